import { sql } from 'kysely'
import type { Database } from '../../src/database/open.ts'
import { refreshCopies } from '../../src/requests/store/copies.ts'
import { deleteAlone } from '../../src/requests/store/delete.ts'
import { recount } from '../../src/requests/wish-numbers/recount.ts'
import type { Cluster } from '../../src/search/opensearch/cluster.ts'
import { store } from '../../src/search/testing.ts'

// What the tests of a search cluster have in common.

/** All documents of an index, by what tells them apart: their ids with their votes. @param max of one page of a cluster */
export async function indexedVotes(cluster: Cluster, index: string): Promise<Map<string, number>> {
  await cluster.refresh(index)
  const votes = new Map<string, number>()
  // A search gives at most 10,000 hits.
  const size = 10_000
  for (let last: string | null = ''; last !== null; ) {
    const { hits } = await cluster.search(
      index,
      { query: { range: { id: { gt: last } } }, size, sort: [{ id: 'asc' }, { votes: 'asc' }] },
      { session: 'test' },
    )
    for (const { sort } of hits) votes.set(String(sort[0]), Number(sort[1]))
    last = hits.length < size ? null : String(hits.at(-1)?.sort[0])
  }
  return votes
}

export async function storedVotes(database: Database): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; votes: number }>`select id, votes from requests`.execute(database)
  return new Map(rows.map(({ id, votes }) => [id, votes]))
}

/** Stores requests of one topic, all with the word `everywhere` and one of their own. */
export const storeMany = (database: Database, count: number, word = 'word') =>
  store(
    database,
    Array.from({ length: count }, (_, number) => ({
      text: `everywhere ${word}${number}`,
      platform: 'github',
      topic: 'cluster',
    })),
  )

/**
 * A writer that changes, deletes and adds requests beside a service until it is stopped, by the steps of the store.
 * @returns how many rounds it made
 */
export function startWriter(database: Database): { stop(): Promise<number> } {
  let isStopped = false
  const write = async () => {
    let rounds = 0
    const own = await storeMany(database, 50, 'own')
    for (; !isStopped; rounds++) {
      own.push(...(await storeMany(database, 3, `round${rounds}x`)))
      const changed = own[(rounds * 7) % own.length]!
      await database.transaction().execute(async (transaction) => {
        await sql`update requests set votes = votes + 1 where id = ${changed}`.execute(transaction)
        await refreshCopies(transaction, [changed])
        await recount(transaction, { requests: [changed] })
      })
      const [deleted] = own.splice((rounds * 11) % own.length, 1)
      await deleteAlone(database, sql`select id from requests where id = ${deleted} for update`)
    }
    return rounds
  }
  const writing = write()
  return {
    stop: () => {
      isStopped = true
      return writing
    },
  }
}
