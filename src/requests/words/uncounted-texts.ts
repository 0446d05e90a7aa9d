import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import { standings } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import { addWords, noteChangedWords } from './vocabulary.ts'

// `uncounted_texts`: listed, not yet in the vocabulary. All access holds the request's lock, so never both.

/** Texts counted per transaction: in the embedded backend, all other statements wait for it. */
const maxSliceTexts = 200
const maxSliceWords = 5_000

/** Queues the texts of these listed requests for counting. Their locks must be held. */
export async function countLater(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into uncounted_texts (request_id) select unnest(${[...ids]}::uuid[]) on conflict do nothing`.execute(
    transaction,
  )
}

/** Removes uncounted texts from the queue. @returns the ids that were in it. */
async function forget(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    delete from uncounted_texts where request_id = any(${[...ids]}::uuid[]) returning request_id as id`.execute(
    transaction,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Queues texts of newly listed requests for counting, and subtracts newly unlisted ones at once. Needs their locks. */
export async function countListings(
  transaction: Transaction,
  changes: readonly { id: string; isListed: boolean }[],
): Promise<void> {
  const idsOf = (isListed: boolean) => changes.filter((change) => change.isListed === isListed).map(({ id }) => id)
  const [listed, unlisted] = [idsOf(true), idsOf(false)]
  await countLater(transaction, listed)
  if (unlisted.length === 0) return
  const uncounted = await forget(transaction, unlisted)
  const counted = unlisted.filter((id) => !uncounted.has(id))
  const { rows } = await sql<{ text: string }>`
    select text from request_texts where request_id = any(${counted}::uuid[])`.execute(transaction)
  await noteChangedWords(
    transaction,
    rows.map(({ text }) => ({ before: text, after: null })),
  )
}

/** Locks a slice of the queued requests, skipping those locked elsewhere. @returns their ids. */
async function lockUncounted(transaction: Transaction, maxTexts: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from requests where id = any(array(select request_id from uncounted_texts limit ${maxTexts}))
    for no key update skip locked`.execute(transaction)
  return rows.map(({ id }) => id)
}

/**
 * Counts some uncounted texts, and the words that counted ones gained or lost. A text leaves the queue in the
 * transaction that counts it, so it is never counted twice.
 * @returns whether there may be more.
 */
export async function countUncounted(transaction: Transaction, maxTexts: number): Promise<boolean> {
  await takeLock(transaction, 'vocabulary')
  const ids = await lockUncounted(transaction, maxTexts)
  // A separate statement, to see the texts as they are under the locks. Unlisted texts are never counted.
  const { rows } = await sql<{ text: string | null }>`
    with slice as (
      delete from uncounted_texts where request_id = any(${ids}::uuid[]) returning request_id
    )
    select case when standing >= ${sql.lit(standings.unlikely)} then text end as text
    from slice left join requests on requests.id = request_id left join request_texts using (request_id)`.execute(
    transaction,
  )
  const texts = rows.flatMap(({ text }) => text ?? [])
  const noted = await addWords(transaction, texts, maxSliceWords)
  return rows.length === maxTexts || noted === maxSliceWords
}

/** Counts a slice of the uncounted texts. @returns whether there may be more. */
export const countSlice = (database: Database, sliceTexts = maxSliceTexts): Promise<boolean> =>
  database.transaction().execute((open) => countUncounted(open, sliceTexts))

/** Counts all uncounted texts. */
export async function countTexts(database: Database): Promise<void> {
  while (await countSlice(database));
}

/** Adds the words that counted texts gained or lost to the vocabulary; counts no texts. */
export async function addChangedWords(database: Database): Promise<void> {
  const addSlice = () =>
    database.transaction().execute(async (transaction) => {
      await takeLock(transaction, 'vocabulary')
      return addWords(transaction, [], maxSliceWords)
    })
  while ((await addSlice()) === maxSliceWords);
}
