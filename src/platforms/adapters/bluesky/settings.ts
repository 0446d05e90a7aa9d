import { definePlatform, secret, webAddress } from '../../definition.ts'

export const bluesky = definePlatform({
  name: 'bluesky',
  title: 'Bluesky',
  votes: 'likes',
  isOpen: false,
  // Authors can opt for signed-in readers only (`!no-unauthenticated`), and that label is not stored.
  publicPages: { show: 'links' },
  variables: {
    BLUESKY_API_URL: webAddress('https://bsky.social', 'the Bluesky server of the account'),
    BLUESKY_HANDLE: secret('the handle of a Bluesky account; required for Bluesky'),
    BLUESKY_APP_PASSWORD: secret('an app password of that account'),
  },
  required: ['BLUESKY_HANDLE', 'BLUESKY_APP_PASSWORD'],
  create: async (dependencies, environment) =>
    (await import('./search.ts')).createBluesky({
      ...dependencies,
      baseUrl: environment.BLUESKY_API_URL,
      handle: environment.BLUESKY_HANDLE,
      appPassword: environment.BLUESKY_APP_PASSWORD,
    }),
})
