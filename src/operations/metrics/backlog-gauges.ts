import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { readBacklog } from '../../wishes/placing/claims.ts'
import type { Collector } from './collectors.ts'
import { maxCounted } from './job-gauges.ts'

/** What a search index outside of the database has not read of the outbox. */
export interface OutboxBacklog {
  index: 'opensearch'
  changes: number
  ageSeconds: number
}

async function readUncounted(database: Database): Promise<number> {
  const { rows } = await sql<{ texts: number }>`
    select count(*)::int as texts from (select from uncounted_texts limit ${sql.lit(maxCounted)}) as waiting`.execute(
    database,
  )
  return rows[0]!.texts
}

/** Work in the background: requests to place in wishes, and texts whose words are to be counted. */
export const backlogCollector = (database: Database): Collector => ({
  name: 'backlogs',
  maxAgeMs: 10_000,
  read: async () => [
    { name: 'wishwell_unplaced_requests', value: await readBacklog(database), labels: {} },
    { name: 'wishwell_uncounted_texts', value: await readUncounted(database), labels: {} },
  ],
})

/** @param read reads the backlog of each search index outside of the database. */
export const outboxCollector = (read: () => Promise<readonly OutboxBacklog[]>): Collector => ({
  name: 'outbox',
  maxAgeMs: 10_000,
  read: async () =>
    (await read()).flatMap(({ index, changes, ageSeconds }) => [
      { name: 'wishwell_search_outbox_changes' as const, value: changes, labels: { index } },
      { name: 'wishwell_search_outbox_age_seconds' as const, value: ageSeconds, labels: { index } },
    ]),
})

/** The size of the database; its files are counted for it, so seldom. */
export const sizeCollector = (database: Database): Collector => ({
  name: 'size',
  maxAgeMs: 120_000,
  read: async () => {
    const { rows } = await sql<{ bytes: number }>`
      select pg_database_size(current_database())::float8 as bytes`.execute(database)
    return [{ name: 'wishwell_database_size_bytes', value: rows[0]!.bytes, labels: {} }]
  },
})
