import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import type { IndexState } from '../../database/tables/requests.ts'
import { type Backlog, backlog } from '../outbox/outbox.ts'
import type { Cluster } from './cluster.ts'
import { readIndexes } from './indexes.ts'

export interface IndexStatus {
  name: string
  state: IndexState
  shards: number
  /** Whether it has a copy of all requests, and follows their changes. */
  isCopied: boolean
  /** Null when the cluster does not say. */
  documents: number | null
  bytes: number | null
  /** Changes that it does not have yet; exact up to 10,000, and no more than that. */
  unreadChanges: number
  /** The age of the oldest of them, in milliseconds. */
  lagMs: number
}

export interface SearchIndexStatus {
  /** Whether the cluster answers. */
  isReachable: boolean
  alias: string | null
  indexes: IndexStatus[]
}

/** What there is in a cluster, and how far it is behind. */
export async function readStatus(executor: Executor, cluster: Cluster): Promise<SearchIndexStatus> {
  const rows = await readIndexes(executor)
  const backlogs = new Map((await backlog(executor)).map((one) => [one.name, one]))
  const { rows: copied } = await sql<{ name: string }>`
    select name from search_consumers where is_copied`.execute(executor)
  const areCopied = new Set(copied.map(({ name }) => name))
  let isReachable = true
  const factsOf = (name: string) =>
    cluster.facts(name).catch(() => {
      isReachable = false
      return null
    })
  const indexes: IndexStatus[] = []
  for (const { name, state, shards } of rows) {
    const unread = backlogs.get(name)
    const facts = await factsOf(name)
    indexes.push({
      name,
      state,
      shards,
      isCopied: areCopied.has(name),
      documents: facts?.documents ?? null,
      bytes: facts?.bytes ?? null,
      unreadChanges: unread?.changes ?? 0,
      lagMs: Math.round(unread?.ageMs ?? 0),
    })
  }
  return { isReachable, alias: rows[0]?.alias ?? null, indexes }
}

/** The backlog of the serving index; null while there is none. */
export async function readServingBacklog(executor: Executor): Promise<Omit<Backlog, 'name'> | null> {
  const serving = (await readIndexes(executor)).find(({ state }) => state === 'serving')
  if (serving === undefined) return null
  const [unread] = await backlog(executor, [serving.name])
  return { changes: unread?.changes ?? 0, ageMs: unread?.ageMs ?? 0 }
}
