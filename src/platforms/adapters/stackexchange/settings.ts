import { commaList, definePlatform, itemsOf, secret, webAddress } from '../../definition.ts'
import { stackexchangeSource } from './source.ts'

export const stackexchange = definePlatform({
  name: 'stackexchange',
  title: 'Stack Exchange',
  votes: 'score, up less down',
  isOpen: true,
  // Attribution demands that site, author and license are named, with direct links that are not nofollow.
  publicPages: { show: 'texts', hasPlainLinks: true },
  variables: {
    STACKEXCHANGE_API_URL: webAddress('https://api.stackexchange.com/2.3', 'base address of the Stack Exchange API'),
    STACKEXCHANGE_API_KEY: secret('a Stack Exchange key: 10,000 calls a day instead of 300'),
    STACKEXCHANGE_SITES: commaList(
      ['meta', 'meta.stackoverflow', 'softwarerecs'],
      'the sites that are searched, round-robin, one page each',
    ),
  },
  sources: stackexchangeSource,
  create: async (dependencies, environment) =>
    (await import('./search.ts')).createStackexchange({
      ...dependencies,
      baseUrl: environment.STACKEXCHANGE_API_URL,
      key: environment.STACKEXCHANGE_API_KEY,
      sites: itemsOf(environment.STACKEXCHANGE_SITES),
    }),
})
