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
  /** Whether it has copied all requests and follows their changes. */
  isCopied: boolean
  documents: number | null
  bytes: number | null
  /** Changes not yet in the index, counted up to 10,000. */
  unreadChanges: number
  /** The age of the oldest unread change, in ms. */
  lagMs: number
}

export interface SearchIndexStatus {
  isReachable: boolean
  alias: string | null
  indexes: IndexStatus[]
}

/** The state of the indexes, and how far they lag. */
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
