// Every address of the page. The service answers each of them with the same file.

export const homeAddress = '/'
export const wishesAddress = '/wishes'
export const collectAddress = '/collect'
export const importAddress = '/collect/import'
export const topicsAddress = '/topics'
export const newsAddress = '/watches/news'
export const watchesAddress = '/watches'
export const reviewAddress = '/review'
export const briefsAddress = '/briefs'
export const settingsAddress = '/settings'
export const accountAddress = '/settings'
export const channelsAddress = '/settings/channels'
export const feedsAddress = '/settings/channels#feeds'
export const sharingAddress = '/settings/sharing'
export const peopleAddress = '/settings/people'
export const operatorAddress = '/operator'
export const operatorAccountsAddress = '/operator/accounts'
export const signInAddress = '/sign-in'

export const jobAddress = (jobId: string): string => `/collect/${encodeURIComponent(jobId)}`
/** The wishes of a topic. It is in the query, not in the path: servers and proxies interpret its dots and slashes. */
export const topicAddress = (topic: string): string => `${wishesAddress}?${new URLSearchParams({ topic })}`
/** `change` opens the form of its settings. */
export const watchAddress = (watchId: string, view?: 'change'): string =>
  `/watches/${encodeURIComponent(watchId)}${view === undefined ? '' : `?${view}`}`
export const briefAddress = (briefId: string): string => `/briefs/${encodeURIComponent(briefId)}`
export const wishAddress = (wishId: string): string => `/wishes/${encodeURIComponent(wishId)}`
export const operatorAccountAddress = (accountId: string): string =>
  `/operator/accounts/${encodeURIComponent(accountId)}`

/** The wishes of a topic, with a tag, or those of which a job found requests. */
export const filteredSearch = (filter: {
  topic?: string
  tag?: string
  job?: string
  q?: string
  include?: 'maybe' | 'all'
}): string => `${wishesAddress}?${new URLSearchParams(filter)}`

/** The parameter of the form with the sources of a platform. */
export const sourcesParameter = (platform: string): string => `sources.${platform}`

/** What the forms of a collection and of a watch begin with. */
export interface Prefilled {
  topic: string
  platforms?: readonly string[]
  depth?: number | undefined
  sources?: Readonly<Record<string, string[]>> | undefined
}

function prefilled({ topic, platforms, depth, sources }: Prefilled): URLSearchParams {
  const query = new URLSearchParams({ topic })
  if (platforms) query.set('platforms', platforms.join(','))
  if (depth !== undefined) query.set('depth', String(depth))
  for (const [platform, named] of Object.entries(sources ?? {})) {
    query.set(sourcesParameter(platform), named.join(', '))
  }
  return query
}

/** The form of a new collection, filled in. */
export const newCollection = (job: Prefilled): string => `/collect?${prefilled(job)}`

/** The form of a new watch, filled in. */
export const newWatch = (watch?: Prefilled): string => (watch ? `/watches/new?${prefilled(watch)}` : '/watches/new')
