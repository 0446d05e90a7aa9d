import type { Selectable } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** A task as the database has it. */
export type TaskRow = Selectable<Tables['scrape_tasks']>
