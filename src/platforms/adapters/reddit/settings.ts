import { definePlatform, secret, webAddress } from '../../definition.ts'
import { redditSources } from './source.ts'

export const reddit = definePlatform({
  name: 'reddit',
  title: 'Reddit',
  votes: 'score, up less down',
  isOpen: false,
  // Its terms allow what it approved, which is unknown here.
  publicPages: { show: 'links' },
  // Its terms demand that posts deleted there are deleted here; 30 days is our interpretation.
  retentionDays: 30,
  variables: {
    REDDIT_API_URL: webAddress('https://oauth.reddit.com', 'base address of the Reddit API'),
    REDDIT_TOKEN_URL: webAddress(
      'https://www.reddit.com/api/v1/access_token',
      'address that issues the access tokens of Reddit',
    ),
    REDDIT_CLIENT_ID: secret('the id of an approved Reddit application; Reddit needs it'),
    REDDIT_CLIENT_SECRET: secret('its secret'),
  },
  sources: redditSources,
  required: ['REDDIT_CLIENT_ID', 'REDDIT_CLIENT_SECRET'],
  create: async (dependencies, environment) =>
    (await import('./search.ts')).createReddit({
      ...dependencies,
      baseUrl: environment.REDDIT_API_URL,
      tokenUrl: environment.REDDIT_TOKEN_URL,
      clientId: environment.REDDIT_CLIENT_ID,
      clientSecret: environment.REDDIT_CLIENT_SECRET,
    }),
})
