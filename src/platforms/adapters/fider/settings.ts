import { definePlatform, itemsOf, webAddressList } from '../../definition.ts'
import { fiderSources } from './source.ts'

export const fider = definePlatform({
  name: 'fider',
  title: 'Fider',
  votes: 'people who want it',
  isOpen: true,
  isOptIn: true,
  publicPages: { show: 'texts' },
  hasIndependentHosts: true,
  variables: {
    FIDER_URLS: webAddressList(
      ['https://feedback.fider.io'],
      'the Fider boards that are searched, round-robin; a page is one board',
    ),
  },
  sources: fiderSources,
  create: async (dependencies, { FIDER_URLS: urls }) =>
    (await import('./search.ts')).createFider({ ...dependencies, urls: itemsOf(urls) }),
})
