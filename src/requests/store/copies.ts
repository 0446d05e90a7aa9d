import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import { insertQueued } from '../wish-numbers/recount.ts'
import { insertSearchChanges } from './changes.ts'

// Copies derived from `requests` and `request_texts`, written in the same transaction.

/** The statement that copies new requests to `request_facets`. @param requests a `from` item with their columns */
export const insertFacets = (requests: RawBuilder<unknown>) => sql`
  insert into request_facets (request_id, platform, status, standing, votes, posted_at, confidence, tags, product)
  select id, platform, status, standing, votes, posted_at, confidence, tags, product from ${requests}`

/** The statement that makes requests with stored texts searchable. @param requests a `from` item with their columns */
export const insertSearchable = (requests: RawBuilder<unknown>) => sql`
  insert into searchable_requests (request_id, platform, status, standing, votes, posted_at, tags, product)
  select id, platform, status, standing, votes, posted_at, tags, product from ${requests}`

/** Updates the copies, topic counts and change log of changed requests. Their locks must be held. */
export async function refreshCopies(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql`select refresh_request_copies(${[...ids]}::uuid[])`.execute(transaction)
}

/** Makes written texts searchable and queues them for placing. Call it after the statement that writes them. */
export async function followTexts(
  transaction: Transaction,
  { created, changed }: { created: readonly string[]; changed: readonly string[] },
): Promise<void> {
  const ids = [...created, ...changed]
  if (ids.length === 0) return
  await sql`
    with added as (
      ${insertSearchable(sql`(select * from requests where id = any(${[...created]}::uuid[])) as fresh`)}
    ), raised as (
      update searchable_requests set words_version = words_version + 1 where request_id = any(${[...changed]}::uuid[])
    ), queued as (
      ${insertQueued(ids)}
    )
    ${insertSearchChanges(sql`select unnest(${ids}::uuid[])`)}`.execute(transaction)
}

const sliceRows = 5_000

/** Creates the copies of all requests, after restoring a dump. */
export async function copyAllRequests(transaction: Transaction): Promise<void> {
  let after: string | null = '00000000-0000-0000-0000-000000000000'
  while (after !== null) {
    const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
      with slice as materialized (
        select * from requests where id > ${after}::uuid order by id limit ${sliceRows}
      ), copied as (
        ${insertFacets(sql`slice`)}
      ), added as (
        ${insertSearchable(sql`(select * from slice where exists (select from request_texts where request_id = id)) as fresh`)}
      ), noted as (
        ${insertSearchChanges(sql`select id from slice`)}
      )
      select (select id from slice order by id desc limit 1) as last`.execute(transaction)
    after = rows[0]?.last ?? null
  }
}
