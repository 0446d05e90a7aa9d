import type { Selectable } from 'kysely'
import type { Discarded, PlatformName } from '../../database/column-types.ts'
import type { Tables } from '../../database/tables.ts'

/** A row of `scrape_tasks`. */
export type TaskRow = Selectable<Tables['scrape_tasks']>

/** What the platform of a task has delivered. */
export interface TaskResult {
  platform: PlatformName
  pages: number
  requestsFound: number
  requestsCreated: number
  maybeCreated: number
  discarded: Discarded
}

export const resultOf = (task: TaskRow): TaskResult => ({
  platform: task.platform,
  pages: task.pages,
  requestsFound: task.requests_found,
  requestsCreated: task.requests_created,
  maybeCreated: task.maybe_created,
  discarded: task.discarded,
})
