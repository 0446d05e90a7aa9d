import { randomUUID } from 'node:crypto'
import type { WatchRun } from '../watches/history.ts'
import type { WatchPreview } from '../watches/preview.ts'
import type { describeWatch } from '../watches/watches.ts'
import type { Connection } from './connection.ts'

export type ListedWatch = ReturnType<typeof describeWatch>
export type ReadWatch = ListedWatch & { preview: WatchPreview }

/** Which of the found requests are news. */
export interface WatchFilters {
  tags?: string[]
  minVotes?: number
  since?: string
  until?: string
  include?: string
  status?: string[]
}

/** What a watch is made with, or changed to. */
export interface WatchFields {
  name?: string
  topic?: string
  platforms?: string[]
  /** Null: those of the service. */
  sources?: Record<string, string[]> | null
  depth?: number
  schedule?: string
  timezone?: string
  monthlyCredits?: number
  /** Null removes it. */
  goal?: string | null
  /** All of them. */
  filters?: WatchFilters
  channels?: string[]
  reportsQuiet?: boolean
  state?: 'active' | 'paused'
}

export interface RunPage {
  data: { runs: WatchRun[]; hasMore: boolean; cursor: string | null }
}

/** The calls about watches. All of them throw ApiError. */
export interface WatchCalls {
  add(fields: WatchFields): Promise<{ data: ReadWatch }>
  list(): Promise<{ data: { watches: ListedWatch[] } }>
  read(watchId: string): Promise<{ data: ReadWatch }>
  change(watchId: string, fields: WatchFields): Promise<{ data: ReadWatch }>
  resume(watchId: string): Promise<{ data: ReadWatch }>
  /** Says that somebody looks at it. */
  look(watchId: string): Promise<unknown>
  run(watchId: string): Promise<{ data: { watchId: string; jobId: string } }>
  history(watchId: string, query: { limit?: number; cursor?: string }): Promise<RunPage>
  remove(watchId: string): Promise<{ data: { watchId: string } }>
  preview(fields: WatchFields): Promise<{ data: WatchPreview }>
}

const path = '/api/v1/watches'
const watchPath = (watchId: string) => `${path}/${encodeURIComponent(watchId)}`

export function createWatchCalls(call: Connection['call']): WatchCalls {
  const post = <Answer>(address: string, body?: object) =>
    call<Answer>(address, {
      method: 'POST',
      ...(body === undefined ? {} : { body }),
      headers: { 'idempotency-key': randomUUID() },
    })
  return {
    add: (fields) => post(path, fields),
    list: () => call(path),
    read: (watchId) => call(watchPath(watchId)),
    change: (watchId, fields) => call(watchPath(watchId), { method: 'PATCH', body: fields }),
    resume: (watchId) => post(`${watchPath(watchId)}/resume`),
    look: (watchId) => call(`${watchPath(watchId)}/look`, { method: 'POST' }),
    run: (watchId) => post(`${watchPath(watchId)}/run`),
    history: (watchId, query) => {
      const given = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
      const text = new URLSearchParams(given).toString()
      return call(`${watchPath(watchId)}/runs${text === '' ? '' : `?${text}`}`)
    },
    remove: (watchId) => call(watchPath(watchId), { method: 'DELETE' }),
    preview: (fields) => call(`${path}/preview`, { method: 'POST', body: fields }),
  }
}
