import { definePlatform, secret, webAddress } from '../../definition.ts'

export const x = definePlatform({
  name: 'x',
  title: 'X',
  votes: 'likes',
  isOpen: false,
  // X's terms: share only ids, and show only current versions.
  publicPages: { show: 'links' },
  // X's terms demand that posts deleted there are deleted here; 30 days is our interpretation.
  retentionDays: 30,
  variables: {
    X_API_URL: webAddress('https://api.x.com/2', 'base address of the X API'),
    X_BEARER_TOKEN: secret('an X bearer token; required for X, which bills every post that is read'),
  },
  required: ['X_BEARER_TOKEN'],
  create: async (dependencies, { X_API_URL: baseUrl, X_BEARER_TOKEN: bearerToken }) =>
    (await import('./search.ts')).createX({ ...dependencies, baseUrl, bearerToken }),
})
