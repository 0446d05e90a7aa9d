import { sql } from 'kysely'
import type { Database, Executor } from '../database/open.ts'
import type { Clock } from '../runtime/clock.ts'

/** So many texts are counted for an estimate of the average length; each takes 20 µs. */
const sampledTexts = 1_000
/** A smaller change of the average is none: each one changes the ranking a little. */
const minChange = 0.1
const intervalMs = 24 * 60 * 60_000

/** Estimates how many words a text has on average, for the ranking of `tsvector`, and stores it where it has changed. */
export async function estimateUsualLength(executor: Executor): Promise<void> {
  const { rows: sizes } = await sql<{ texts: number }>`
    select greatest(reltuples, ${sql.lit(sampledTexts)})::float8 as texts from pg_class
    where oid = 'request_texts'::regclass`.execute(executor)
  // Twice as many pages as are wanted on average: the rows of some are not alive any more.
  const percent = Math.min(100, (200 * sampledTexts) / sizes[0]!.texts)
  await sql`
    update search_engine set usual_length = average
    from (
      select greatest(1, round(avg(length)))::integer as average from (
        select words from request_texts tablesample system (${sql.lit(percent)})
        limit ${sql.lit(sampledTexts)}
      ) as texts cross join lateral (select sum(cardinality(positions)) as length from unnest(words)) as counted
      having count(length) > 0
    ) as sample
    where abs(average - usual_length) > ${sql.lit(minChange)} * usual_length`.execute(executor)
}

/** A maintenance job: estimates the length anew once a day, while `tsvector` searches. */
export function createUsualLength(database: Database, clock: Clock, kind: string): () => Promise<boolean> {
  let estimatedAt = clock.now().getTime()
  return async () => {
    if (kind !== 'tsvector' || clock.now().getTime() - estimatedAt < intervalMs) return false
    await estimateUsualLength(database)
    estimatedAt = clock.now().getTime()
    return false
  }
}
