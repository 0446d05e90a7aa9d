import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import type { StoredRequest } from './upsert.ts'

/**
 * Samples the votes of the requests whose votes this page changed: the new ones for today, where a later change of the day replaces
 * them. The first sample of a request comes with its base, the votes before, for the day on which they were last read. So growth
 * since a day is the votes now less those of the last sample up to that day; a request without samples has had no other votes.
 */
export async function sampleVotes(
  transaction: Transaction,
  stored: readonly StoredRequest[],
  now: Date,
): Promise<void> {
  const changes = stored.flatMap(({ id, votes, before }) =>
    before === null || before.votes === votes ? [] : [{ id, votes, base: before.votes, read_at: before.updatedAt }],
  )
  if (changes.length === 0) return
  await sql`
    with changes as materialized (
      select id, votes, base, (read_at at time zone 'UTC')::date as base_day,
        (${now}::timestamptz at time zone 'UTC')::date as today
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        as changes (id uuid, votes integer, base integer, read_at timestamptz)
    )
    insert into vote_samples (request_id, day, votes)
    select id, base_day, base from changes
    where base_day < today and not exists (select from vote_samples where request_id = id)
    union all
    select id, today, votes from changes
    on conflict (request_id, day) do update set votes = excluded.votes`.execute(transaction)
}
