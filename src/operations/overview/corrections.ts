import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { maxCounted } from '../metrics/gauges.ts'
import type { Overview } from './schemas.ts'

const countOf = (rows: RawBuilder<unknown>) =>
  sql`(select count(*)::int from (select from ${rows} limit ${sql.lit(maxCounted)}) as first_ones)`

/** How often, and when last, people corrected and purged. The newest of each is an index's end. */
export async function readCorrections(executor: Executor): Promise<Pick<Overview, 'corrections' | 'purges'>> {
  const { rows } = await sql<Record<'requests' | 'wishes' | 'purges' | 'suppressed', number> & Lasts>`
    select ${countOf(sql`request_corrections`)} as requests, ${countOf(sql`wish_corrections where undone_at is null`)} as wishes,
      ${countOf(sql`suppressions`)} as suppressed,
      (select count(distinct purge_id)::int from (
        select purge_id from suppressions limit ${sql.lit(maxCounted)}) as first_ones) as purges,
      (select max(created_at) from request_corrections) as "lastRequest",
      (select max(created_at) from wish_corrections) as "lastWish",
      (select max(created_at) from suppressions) as "lastPurge"`.execute(executor)
  const { requests, wishes, purges, suppressed, lastRequest, lastWish, lastPurge } = rows[0]!
  return {
    corrections: {
      requests: { count: requests, lastAt: iso(lastRequest) },
      wishes: { count: wishes, lastAt: iso(lastWish) },
    },
    purges: { count: purges, lastAt: iso(lastPurge), suppressed },
  }
}

type Lasts = Record<'lastRequest' | 'lastWish' | 'lastPurge', Date | null>

const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null
