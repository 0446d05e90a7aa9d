import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'

/** How long reports are kept; the last one of a watch stays. */
export const reportDays = 90
const sliceRows = 100

/** Deletes a slice of old reports. What watches know stays, so nothing of it is news again. @returns whether there may be more. */
export async function deleteOldReports(database: Database, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - reportDays * 86_400_000)
  const { rows } = await sql`
    delete from news_reports where id = any(array(
      select id from news_reports as old where made_at < ${before}::timestamptz and state = 'ready'
        and exists (select from news_reports as later where later.watch_id = old.watch_id and later.made_at > old.made_at)
      order by made_at limit ${sliceRows} for update skip locked
    )) returning id`.execute(database)
  await sql`delete from news_judgement_days where day < ${before.toISOString().slice(0, 10)}::date`.execute(database)
  return rows.length === sliceRows
}
