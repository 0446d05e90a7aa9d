import { sql } from 'kysely'
import type { Database } from '../../src/database/open.ts'
import { deleteRequests } from '../../src/requests/store/delete.ts'
import { settle } from './databases.ts'

// What the measurement of visibility stores beside the requests that all setups have.

export const visibilityPrefix = 'visibility-'
export const writerPrefix = 'writer-'

/** Deletes all of that, also what an interrupted run left. */
export async function deleteOwnRequests(database: Database): Promise<void> {
  const chosen = sql<{ id: string }>`
    select id from requests
    where platform = 'github'
      and (source_id like ${`${visibilityPrefix}%`} or source_id like ${`${writerPrefix}%`})
    order by platform, source_id limit 500 for update`
  let deleted = 0
  for (let count = 1; count > 0; deleted += count) {
    count = await database.transaction().execute((transaction) => deleteRequests(transaction, chosen))
  }
  if (deleted > 0) await settle(database)
}
