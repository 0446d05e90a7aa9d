import type { Selectable } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** A row of `scrape_tasks`. */
export type TaskRow = Selectable<Tables['scrape_tasks']>
