import type { PlatformName } from '../api/types.ts'

// Every address of the page. The service answers each of them with the same file.

export const searchAddress = '/'
export const collectAddress = '/collect'
export const topicsAddress = '/topics'
export const accountAddress = '/account'
export const operatorAddress = '/operator'
export const signInAddress = '/sign-in'

export const jobAddress = (jobId: string): string => `/collect/${encodeURIComponent(jobId)}`
/** The topic is in the query, not in the path: servers and proxies interpret its dots and slashes. */
export const topicAddress = (topic: string): string => `/topics/one?${new URLSearchParams({ topic })}`
export const wishAddress = (wishId: string): string => `/wishes/${encodeURIComponent(wishId)}`
export const operatorAccountAddress = (accountId: string): string =>
  `/operator/accounts/${encodeURIComponent(accountId)}`

/** The search for a topic, for a tag or for the requests of a job. */
export const filteredSearch = (filter: {
  topic?: string
  tag?: string
  job?: string
  q?: string
  include?: 'maybe' | 'all'
}): string => `/?${new URLSearchParams(filter)}`

/** The parameter of the form with the sources of a platform. */
export const sourcesParameter = (platform: PlatformName): string => `sources.${platform}`

/** The form of a new collection, filled in. */
export function newCollection(job: {
  topic: string
  platforms?: readonly PlatformName[]
  depth?: number | undefined
  sources?: Readonly<Record<PlatformName, string[]>> | undefined
}): string {
  const query = new URLSearchParams({ topic: job.topic })
  if (job.platforms) query.set('platforms', job.platforms.join(','))
  if (job.depth !== undefined) query.set('depth', String(job.depth))
  for (const [platform, sources] of Object.entries(job.sources ?? {})) {
    query.set(sourcesParameter(platform), sources.join(', '))
  }
  return `/collect?${query}`
}
