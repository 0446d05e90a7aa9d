import { definePlatform, itemsOf, optionalWebAddressList } from '../../definition.ts'
import { rssSources } from './source.ts'

export const rss = definePlatform({
  name: 'rss',
  title: 'RSS',
  votes: 'none: a feed has no votes',
  isOpen: true,
  isOptIn: true,
  // A feed's terms are those of its site.
  publicPages: { show: 'links' },
  hasIndependentHosts: true,
  variables: {
    RSS_URLS: optionalWebAddressList('the feeds (RSS, Atom, JSON Feed) that are read, round-robin; a page is one feed'),
  },
  required: ['RSS_URLS'],
  sources: rssSources,
  create: async (dependencies, { RSS_URLS: urls }) =>
    (await import('./search.ts')).createRss({ ...dependencies, urls: itemsOf(urls) }),
})
