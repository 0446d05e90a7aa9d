import { definePlatform } from '../../definition.ts'
import { itemsOf, webAddressList } from '../../variables.ts'

export const discourse = definePlatform({
  name: 'discourse',
  title: 'Discourse',
  isOpen: true,
  hasIndependentHosts: true,
  variables: {
    DISCOURSE_URLS: webAddressList(
      [
        'https://meta.discourse.org/c/feature/2',
        'https://community.home-assistant.io/c/feature-requests/13',
        'https://forum.obsidian.md/c/feature-requests/8',
      ],
      'the Discourse forums that are searched, or the category (/c/…) or tag (/tag/…) of their feature requests; round-robin, one page each',
    ),
  },
  create: async (dependencies, { DISCOURSE_URLS: urls }) =>
    (await import('./search.ts')).createDiscourse({ ...dependencies, urls: itemsOf(urls) }),
})
