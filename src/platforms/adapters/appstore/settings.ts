import { definePlatform, itemsOf, optionalSourceList, webAddress } from '../../definition.ts'
import { expressesWish } from '../wish-phrases.ts'
import { appstoreSources, storeUrl } from './source.ts'

export const appstore = definePlatform({
  name: 'appstore',
  title: 'App Store',
  votes: 'none: a review has stars, no votes',
  isOpen: true,
  isOptIn: true,
  // No terms of the review feed are known.
  publicPages: { show: 'links' },
  variables: {
    APPSTORE_API_URL: webAddress(storeUrl, 'address of the App Store'),
    APPSTORE_APPS: optionalSourceList(
      'the apps whose reviews are read, round-robin, one page each: us/839285684, or their addresses in the App Store',
    ),
  },
  required: ['APPSTORE_APPS'],
  sources: appstoreSources,
  // App names are lists of popular search words.
  contextIsTopic: ({ description }) => expressesWish(description),
  create: async (dependencies, { APPSTORE_API_URL: baseUrl, APPSTORE_APPS: apps }) =>
    (await import('./search.ts')).createAppstore({ ...dependencies, baseUrl, apps: itemsOf(apps) }),
})
