import { definePlatform, itemsOf, webAddressList } from '../../definition.ts'

export const lemmy = definePlatform({
  name: 'lemmy',
  title: 'Lemmy',
  votes: 'score, up less down',
  isOpen: true,
  publicPages: { show: 'texts' },
  hasIndependentHosts: true,
  variables: {
    LEMMY_URLS: webAddressList(
      ['https://lemmy.world', 'https://lemmy.ml', 'https://programming.dev'],
      'the Lemmy instances that are searched, round-robin, one page each',
    ),
  },
  create: async (dependencies, { LEMMY_URLS: urls }) =>
    (await import('./search.ts')).createLemmy({ ...dependencies, urls: itemsOf(urls) }),
})
