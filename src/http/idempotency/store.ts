import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { deleteSlice } from '../../database/delete-slice.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import { canonicalJson } from '../../runtime/canonical-json.ts'

const retentionMs = 24 * 3600_000

/** A call's identity as hashes: key and body cannot be read from the database. */
export interface Call {
  /** Hash of caller, method, path and key: identifies equal calls. */
  id: string
  fingerprint: string
}

export interface Answer {
  status: number
  /** The answer's text, encrypted if it has a secret. */
  body: string
}

/** Stored state of a key's first call. */
export interface StoredCall {
  fingerprint: string
  answer: Answer | null
  /** A long call's final effect, to build the answer from; null before, and once the answer is stored. */
  effect: string | null
}

const emptyState = { status: null, body: null, effect: null } as const

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** @param scope caller, method and path */
export const identify = (scope: readonly string[], key: string, body: unknown): Call => ({
  // JSON keeps the parts' boundaries unambiguous.
  id: sha256(JSON.stringify([...scope, key])),
  fingerprint: sha256(canonicalJson(body)),
})

/** Waits for other claims up to `lock_timeout`. @returns null if claimed, else the first call's stored state */
export async function claim(
  transaction: Transaction,
  { id, fingerprint }: Call,
  now: Date,
): Promise<StoredCall | null> {
  const expiresAt = new Date(now.getTime() + retentionMs)
  const claimed = await transaction
    .insertInto('idempotency_keys')
    .values({ id, fingerprint, ...emptyState, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ fingerprint, ...emptyState, expires_at: expiresAt })
        // An expired but undeleted row counts as missing.
        .where('idempotency_keys.expires_at', '<=', now),
    )
    .returning('id')
    .executeTakeFirst()
  if (claimed) return null
  const stored = await transaction
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body', 'effect'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { status, body, effect } = stored
  return { fingerprint: stored.fingerprint, answer: status === null || body === null ? null : { status, body }, effect }
}

/** Stores a claimed call's final effect: repeats build their answers from it. */
export async function noteEffect(transaction: Transaction, id: string, effect: string): Promise<void> {
  await transaction
    .updateTable('idempotency_keys')
    .set({ effect })
    .where('id', '=', id)
    .where('status', 'is', null)
    .execute()
}

/** Stores the answer of an effect; the first one wins. @returns the stored answer; null if the row expired */
export async function storeAnswerOfEffect(
  executor: Executor,
  { id, effect, answer }: { id: string; effect: string; answer: Answer },
): Promise<Answer | null> {
  const { numUpdatedRows } = await executor
    .updateTable('idempotency_keys')
    .set({ ...answer, effect: null })
    .where('id', '=', id)
    .where('effect', '=', effect)
    .executeTakeFirst()
  if (numUpdatedRows === 1n) return answer
  const stored = await executor
    .selectFrom('idempotency_keys')
    .select(['status', 'body'])
    .where('id', '=', id)
    .executeTakeFirst()
  return stored?.status && stored.body !== null ? { status: stored.status, body: stored.body } : null
}

/** Deletes a claimed call without effect or answer, so it can be repeated. */
export async function forget(transaction: Transaction, id: string): Promise<void> {
  await transaction
    .deleteFrom('idempotency_keys')
    .where('id', '=', id)
    .where('status', 'is', null)
    .where('effect', 'is', null)
    .execute()
}

/** Stores the answer of a call claimed and executed in this transaction. */
export async function storeAnswer(transaction: Transaction, id: string, answer: Answer): Promise<void> {
  await transaction.updateTable('idempotency_keys').set(answer).where('id', '=', id).execute()
}

/** Removes deleted requests from stored answers. Keeps the rest, and the key: a repeat must not be charged again. */
export async function withdrawRequests(transaction: Transaction, requestIds: readonly string[]): Promise<void> {
  const results = sql`jsonb_array_elements(body::jsonb #> '{data,results}') with ordinality as result (record, position)`
  const isDeleted = sql`record ->> '_id' = any(${[...requestIds]}::text[])`
  // Other answers are no lists, or encrypted: the cast to JSON would fail.
  await sql`
    update idempotency_keys set body = jsonb_set(body::jsonb, '{data,results}', (
      select coalesce(jsonb_agg(record order by position), '[]') from ${results} where not (${isDeleted})))::text
    where id = any(array(
      select id from idempotency_keys
      where case when body like '{"data":{"results":[{%' then exists (select from ${results} where ${isDeleted}) end
      order by id for no key update))`.execute(transaction)
}

/** Deletes a batch of expired answers. @returns whether more may remain */
export const purgeExpiredAnswers = (database: Database, now: Date): Promise<boolean> =>
  deleteSlice(database, 'idempotency_keys', { where: sql`expires_at <= ${now}::timestamptz`, by: 'expires_at' })
