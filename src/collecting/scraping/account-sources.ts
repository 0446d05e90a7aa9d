import { type RawBuilder, sql } from 'kysely'
import { takeSourceLocks } from '../../database/advisory-locks.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import { importPlatform } from '../../platforms/registry.ts'
import type { SourcesByPlatform } from '../../platforms/sources/named-sources.ts'
import { recomputeStandings } from '../../requests/store/standings.ts'
import { recount, type WishChanges } from '../../requests/wish-numbers/recount.ts'

// An account that names a source sees its unlisted requests, even those others collected before.

/** Requests made visible per transaction. */
const requestsPerSlice = 500
/** How long a named source is checked for requests its account cannot see yet. */
const checkedMs = 24 * 3600_000

/** Unlisted requests of named sources still hidden from an account that named them, by id. */
async function readUnseen(executor: Executor, named: RawBuilder<unknown>, after: string | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct found.request_id as id
    from account_sources named join request_sources found using (platform, source)
    join requests on requests.id = found.request_id
    where ${named} and named.platform <> ${importPlatform} and requests.standing = -1 and (${after}::uuid is null or found.request_id > ${after}::uuid)
      and not exists (
        select from account_requests seen where seen.account_id = named.account_id and seen.request_id = found.request_id)
    order by id limit ${requestsPerSlice}`.execute(executor)
  return rows.map(({ id }) => id)
}

/** Shows an account 500 requests of its sources; maintenance shows the rest. @returns input for `recount` */
export async function nameSources(
  transaction: Transaction,
  { accountId, sources, now }: { accountId: string; sources: SourcesByPlatform; now: Date },
): Promise<WishChanges> {
  const rows = [...sources].flatMap(([platform, ofPlatform]) =>
    ofPlatform.map((source) => ({ account_id: accountId, platform, source, named_at: now })),
  )
  if (rows.length === 0) return {}
  // A page with requests from these sources is stored before this naming, or sees it.
  await takeSourceLocks(transaction, rows, 'exclusive')
  await transaction
    .insertInto('account_sources')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['platform', 'source', 'account_id']).doUpdateSet({ named_at: now }))
    .execute()
  const ids = await readUnseen(transaction, sql`named.account_id = ${accountId}::uuid and named_at = ${now}`, null)
  await recomputeStandings(transaction, ids)
  return { requests: ids }
}

/** @returns a maintenance job that makes the remaining requests of named sources visible */
export function createSourceCatchUp(database: Database, now: () => Date): () => Promise<boolean> {
  let after: string | null = null
  return async () => {
    const since = new Date(now().getTime() - checkedMs)
    const ids = await readUnseen(database, sql`named_at > ${since}::timestamptz`, after)
    await database.transaction().execute(async (transaction) => {
      await recomputeStandings(transaction, ids)
      await recount(transaction, { requests: ids })
    })
    const isFull = ids.length === requestsPerSlice
    // The next round starts over; within a round, an unchanged batch is not repeated.
    after = isFull ? ids.at(-1)! : null
    return isFull
  }
}
