import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Executor, Transaction } from '../database/open.ts'

/** How long an answer is kept, and can be had again. */
export const keptMs = 24 * 3600_000

/** A call as it is remembered: hashes, so that neither the key nor the body can be read from the database. */
export interface Call {
  /** Of who calls, the method, the path and the key: calls with the same id are the same. */
  id: string
  /** Of the body. */
  fingerprint: string
}

export interface Answer {
  status: number
  /** The text that is sent; encrypted where it holds a secret. */
  body: string
}

/** What is kept of the first call with a key. */
export interface KeptCall {
  fingerprint: string
  /** Null while a call that takes longer than a transaction is under way. */
  answer: Answer | null
  /** Of such a call, once it cannot be taken back: what its answer is made of. */
  effect: string | null
}

const nothingKept = { status: null, body: null, effect: null } as const

/** The same text for the same value: the order of an object's properties does not count. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const properties = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${properties.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** @param scope who calls, the method and the path. */
export const identify = (scope: readonly string[], key: string, body: unknown): Call => ({
  // As JSON, so that no part can end where another begins.
  id: sha256(JSON.stringify([...scope, key])),
  fingerprint: sha256(canonicalJson(body)),
})

/**
 * Takes a call for this transaction, when nobody has; one that another transaction holds is waited for, as long as the
 * `lock_timeout` allows.
 * @returns null when the call is ours to execute, else what is kept of the first one.
 */
export async function claim(transaction: Transaction, { id, fingerprint }: Call, now: Date): Promise<KeptCall | null> {
  const expiresAt = new Date(now.getTime() + keptMs)
  const claimed = await transaction
    .insertInto('idempotency_keys')
    .values({ id, fingerprint, ...nothingKept, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ fingerprint, ...nothingKept, expires_at: expiresAt })
        // Expired but not deleted yet counts as not there.
        .where('idempotency_keys.expires_at', '<=', now),
    )
    .returning('id')
    .executeTakeFirst()
  if (claimed) return null
  const kept = await transaction
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'body', 'effect'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { status, body, effect } = kept
  return { fingerprint: kept.fingerprint, answer: status === null || body === null ? null : { status, body }, effect }
}

/** Notes with a claimed call what it has done for good: from now on a repeated call takes it up instead of making it again. */
export async function noteEffect(transaction: Transaction, id: string, effect: string): Promise<void> {
  await transaction
    .updateTable('idempotency_keys')
    .set({ effect })
    .where('id', '=', id)
    .where('status', 'is', null)
    .execute()
}

/**
 * Keeps the answer that was made of an effect. Two callers may be making it at the same moment: the first to keep it decides.
 * @returns the answer that is kept; null when it is not of this effect any more, because its time is over.
 */
export async function keepAnswerOf(
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
  const kept = await executor
    .selectFrom('idempotency_keys')
    .select(['status', 'body'])
    .where('id', '=', id)
    .executeTakeFirst()
  return kept?.status && kept.body !== null ? { status: kept.status, body: kept.body } : null
}

/** Forgets a call that is under way and has come to nothing, so that it may be made again; no answer or effect is forgotten so. */
export async function forget(transaction: Transaction, id: string): Promise<void> {
  await transaction
    .deleteFrom('idempotency_keys')
    .where('id', '=', id)
    .where('status', 'is', null)
    .where('effect', 'is', null)
    .execute()
}

/** Keeps the answer of a call that this transaction has claimed and executed. */
export async function keep(transaction: Transaction, id: string, answer: Answer): Promise<void> {
  await transaction.updateTable('idempotency_keys').set(answer).where('id', '=', id).execute()
}

/**
 * Takes requests out of the answers that are kept, so that a repeated call does not bring back what was deleted. What it cost
 * and found stays, and so does the key: the repeated call must not be charged again.
 */
export async function withdrawRequests(transaction: Transaction, requestIds: readonly string[]): Promise<void> {
  const results = sql`jsonb_array_elements(body::jsonb #> '{data,results}') with ordinality as result (record, place)`
  const isDeleted = sql`record ->> '_id' = any(${[...requestIds]}::text[])`
  // Other answers are no lists of requests, or sealed and no JSON: the cast must not meet them.
  await sql`
    update idempotency_keys set body = jsonb_set(body::jsonb, '{data,results}', (
      select coalesce(jsonb_agg(record order by place), '[]') from ${results} where not (${isDeleted})))::text
    where case when body like '{"data":{"results":[{%' then exists (select from ${results} where ${isDeleted}) end`.execute(
    transaction,
  )
}

/** How many rows one statement deletes at most: everybody else waits for it in the embedded backend. */
const sliceRows = 500

/**
 * Deletes answers that need not be kept any more, a slice of them.
 * @returns whether there may be more.
 */
export async function purgeExpiredAnswers(database: Database, now: Date): Promise<boolean> {
  const { rows } = await sql`
    delete from idempotency_keys where id in (
      select id from idempotency_keys where expires_at <= ${now}::timestamptz
      order by expires_at limit ${sliceRows} for update skip locked
    ) returning id`.execute(database)
  return rows.length === sliceRows
}
