import { type CallOptions, call, withQuery } from './client.ts'
import type { ListedWatch, Paged, Preview, RunTerms, Watch, WatchRun, WatchSettings } from './types.ts'

// The calls of watches, one function each.

type Data<T> = { data: T }
type Read = Pick<CallOptions, 'signal'>
const dataOf = async <T>(answer: Promise<Data<T>>): Promise<T> => (await answer).data
const pathOf = (watchId: string) => `/api/v1/watches/${encodeURIComponent(watchId)}`

export const listWatches = async ({ signal }: Read): Promise<ListedWatch[]> =>
  (await call<Data<{ watches: ListedWatch[] }>>('/api/v1/watches', { signal })).data.watches

export const readWatch = (watchId: string, { signal }: Read): Promise<Watch> =>
  dataOf(call<Data<Watch>>(pathOf(watchId), { signal }))

/** Says that somebody looks at a watch: one that nobody looks at stops after 90 days. */
export const lookAtWatch = (watchId: string) => call<unknown>(`${pathOf(watchId)}/look`, { method: 'POST' })

export const previewWatch = (terms: RunTerms, { signal }: Read): Promise<Preview> =>
  dataOf(call<Data<Preview>>('/api/v1/watches/preview', { method: 'POST', body: terms, signal }))

export const makeWatch = (settings: WatchSettings, idempotencyKey: string): Promise<{ watchId: string }> =>
  dataOf(call<Data<{ watchId: string }>>('/api/v1/watches', { method: 'POST', body: settings, idempotencyKey }))

export type WatchChange = Partial<Omit<WatchSettings, 'topic' | 'sources'>> & {
  sources?: Record<string, string[]> | null
  state?: 'active' | 'paused'
}

export const changeWatch = (watchId: string, change: WatchChange) =>
  call<unknown>(pathOf(watchId), { method: 'PATCH', body: change })

/** Has a watch go on that is paused or asks; who says so pays from then on. */
export const resumeWatch = (watchId: string) => call<unknown>(`${pathOf(watchId)}/resume`, { method: 'POST' })

export const removeWatch = (watchId: string) => call<unknown>(pathOf(watchId), { method: 'DELETE' })

export const runWatch = (watchId: string, idempotencyKey: string): Promise<{ jobId: string }> =>
  dataOf(call<Data<{ jobId: string }>>(`${pathOf(watchId)}/run`, { method: 'POST', idempotencyKey }))

export const listRuns = (watchId: string, cursor: string | undefined, { signal }: Read) =>
  dataOf(
    call<Data<{ runs: WatchRun[] } & Paged>>(withQuery(`${pathOf(watchId)}/runs`, { limit: 20, cursor }), { signal }),
  )
