import type { PeriodName } from '../../../src/accounts/period.ts'
import { takeFirstSearch } from '../boot.ts'
import { searchBody } from '../search/view.ts'
import { type CallOptions, call, sendTo as send, withQuery } from './client.ts'
import type {
  ApiKey,
  CreditUsage,
  Include,
  Job,
  JobStatus,
  KeyScope,
  ListAnswer,
  ListedJob,
  Paged,
  PaidJob,
  PlatformName,
  PlatformStatus,
  RequestRecord,
  RequestStatus,
  SearchAnswer,
  SearchInput,
  SimilarRequests,
  StatementEntry,
  TopicOrder,
  TopicPage,
  TopicSummary,
  UsageRecord,
  WishDetail,
} from './types.ts'

// Every call of an account, one function each. The calls of the operator are in operator-calls.ts.

type Data<T> = { data: T }
type Read = Pick<CallOptions, 'signal'>
const dataOf = async <T>(answer: Promise<Data<T>>): Promise<T> => (await answer).data
const segment = encodeURIComponent

/** The filters of the list of requests and of the export. */
export interface ListInput {
  topic?: string | undefined
  platforms?: readonly PlatformName[] | undefined
  tag?: readonly string[] | undefined
  minVotes?: number | undefined
  since?: string | undefined
  until?: string | undefined
  status?: readonly RequestStatus[] | undefined
  include?: Include | undefined
  jobId?: string | undefined
  sortBy?: 'new' | 'votes' | undefined
}

/** The parameters of an export: of a list, or with `query` of a search. */
export interface ExportInput extends Omit<ListInput, 'sortBy'> {
  query?: string | undefined
  prefix?: true | undefined
  sortBy?: 'relevance' | 'new' | 'votes' | undefined
}

export const search = (input: SearchInput, { signal }: Read): Promise<SearchAnswer> => {
  const sent = takeFirstSearch(searchBody(input))
  return call('/api/v1/requests/search', { method: 'POST', body: { ...input, highlight: true }, signal, sent })
}

/** Searches and collects the topics around the query live; the answer is a stream of events. */
export const expandSearch = (input: SearchInput, idempotencyKey: string, { signal }: Read): Promise<Response> =>
  send('/api/v1/requests/search', {
    method: 'POST',
    idempotencyKey,
    signal,
    accept: 'text/event-stream',
    body: { ...input, highlight: true, expand: true },
  })

export const listRequests = (
  input: ListInput,
  page: { limit: number; cursor?: string | undefined },
  { signal }: Read,
) => call<ListAnswer>(withQuery('/api/v1/requests', { ...input, ...page }), { signal })

/** A CSV begins with a byte order mark: people open it by a double click, and Excel reads it as UTF-8 only then. */
export const exportRequests = (input: ExportInput, format: 'csv' | 'jsonl', { signal }: Read): Promise<Response> =>
  send(withQuery('/api/v1/requests/export', { ...input, format, ...(format === 'csv' ? { bom: true } : {}) }), {
    signal,
    accept: '*/*',
  })

/** One request, with its whole description. */
export const readRequest = (requestId: string, { signal }: Read): Promise<RequestRecord> =>
  dataOf(call<Data<RequestRecord>>(`/api/v1/requests/${segment(requestId)}`, { signal }))

/** Says whether a text is a request, for this account; null takes that back. */
export const correctRequest = (requestId: string, isRequest: boolean | null) =>
  call<unknown>(
    `/api/v1/requests/${segment(requestId)}/correction`,
    isRequest === null ? { method: 'DELETE' } : { method: 'PUT', body: { isRequest } },
  )

export const readSimilar = (requestId: string, { signal }: Read) =>
  dataOf(call<Data<SimilarRequests>>(`/api/v1/requests/${segment(requestId)}/similar?limit=10`, { signal }))

/** A wish with a page of its requests. */
export const readWish = (wishId: string, cursor: string | undefined, { signal }: Read) =>
  dataOf(call<Data<WishDetail>>(withQuery(`/api/v1/wishes/${segment(wishId)}`, { limit: 20, cursor }), { signal }))

export const listTopics = (
  input: { query?: string | undefined; sortBy: TopicOrder; limit: number; cursor?: string | undefined },
  { signal }: Read,
) => dataOf(call<Data<{ topics: TopicSummary[] } & Paged>>(withQuery('/api/v1/topics', { ...input }), { signal }))

export const readTopic = (topic: string, { signal }: Read) =>
  dataOf(call<Data<TopicPage>>(`/api/v1/topics/${segment(topic)}`, { signal }))

export const readPlatforms = async ({ signal }: Read): Promise<PlatformStatus[]> =>
  (await call<Data<{ platforms: PlatformStatus[] }>>('/api/v1/platforms', { signal })).data.platforms

export interface NewJob {
  topic: string
  platforms: PlatformName[]
  depth: number
  /** Sources of the account, by platform, instead of those of the operator. */
  sources?: Record<string, string[]>
  /** The cost that the form showed: the job is refused when it would cost more. */
  maxCredits: number
}

export const startJob = (job: NewJob, idempotencyKey: string) =>
  call<Data<{ jobId: string }> & { usage: { credits: CreditUsage } }>('/api/v1/scrape', {
    method: 'POST',
    body: job,
    idempotencyKey,
  })

export const readJob = (jobId: string, { signal }: Read): Promise<PaidJob> =>
  dataOf(call<Data<PaidJob>>(`/api/v1/scrape/${segment(jobId)}`, { signal }))

export const followJob = (jobId: string, lastEventId: string, signal: AbortSignal): Promise<Response> =>
  send(`/api/v1/scrape/${segment(jobId)}/events`, { signal, accept: 'text/event-stream', lastEventId })

export const cancelJob = (jobId: string): Promise<Job> =>
  dataOf(call<Data<Job>>(`/api/v1/scrape/${segment(jobId)}`, { method: 'DELETE' }))

export const listJobs = (
  input: { status?: JobStatus | undefined; limit: number; cursor?: string | undefined },
  { signal }: Read,
) => dataOf(call<Data<{ jobs: ListedJob[] } & Paged>>(withQuery('/api/v1/scrape', { ...input }), { signal }))

/** The use of the account; with `days` also by day, with a month (YYYY-MM) or a week (YYYY-Www) also by key and by watch. */
export const readUsage = (
  input: { days?: number } | ({ days?: number } & PeriodName),
  { signal }: Read,
): Promise<UsageRecord> => dataOf(call<Data<UsageRecord>>(withQuery('/api/v1/usage', { ...input }), { signal }))

export const readStatement = (cursor: string | undefined, { signal }: Read) =>
  dataOf(
    call<Data<{ entries: StatementEntry[] } & Paged>>(withQuery('/api/v1/usage/entries', { limit: 20, cursor }), {
      signal,
    }),
  )

export const listKeys = async ({ signal }: Read): Promise<ApiKey[]> =>
  (await call<Data<{ keys: ApiKey[] }>>('/api/v1/keys', { signal })).data.keys

export interface MadeKey {
  keyId: string
  apiKey: string
}

export interface NewKey {
  name: string
  scope?: KeyScope
  /** ISO 8601 */
  expiresAt?: string
  /** Credits that it may use in a month. */
  monthlyCredits?: number
}

export const makeKey = (key: NewKey, idempotencyKey: string): Promise<MadeKey> =>
  dataOf(call<Data<MadeKey>>('/api/v1/keys', { method: 'POST', body: key, idempotencyKey }))

export const revokeKey = (keyId: string) => call<unknown>(`/api/v1/keys/${segment(keyId)}`, { method: 'DELETE' })
