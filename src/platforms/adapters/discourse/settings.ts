import { definePlatform, itemsOf, webAddressList } from '../../definition.ts'
import { discourseSources } from './source.ts'

export const discourse = definePlatform({
  name: 'discourse',
  title: 'Discourse',
  votes: 'votes of the voting plugin, else likes',
  isOpen: true,
  publicPages: { show: 'texts' },
  hasIndependentHosts: true,
  variables: {
    DISCOURSE_URLS: webAddressList(
      [
        'https://meta.discourse.org/c/feature/2',
        'https://forum.obsidian.md/c/feature-requests/8',
        'https://forum.cursor.com/c/ideas/feature-requests/5',
        'https://community.n8n.io/c/feature-requests/5',
      ],
      'the Discourse forums that are searched, or the category (/c/…) or tag (/tag/…) of their feature requests; round-robin, one page each',
    ),
  },
  sources: discourseSources,
  create: async (dependencies, { DISCOURSE_URLS: urls }) =>
    (await import('./search.ts')).createDiscourse({ ...dependencies, urls: itemsOf(urls) }),
})
