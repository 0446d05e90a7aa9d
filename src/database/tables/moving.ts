import type { Generated } from 'kysely'
import type { Fixed } from '../column-types.ts'

export interface MovingTables {
  /** How far a dump is imported into this database; one row at most. */
  data_import: {
    is_only: Generated<boolean>
    /** How many chunks of the dump are stored. */
    chunks: number
    /** Of the last stored chunk; it depends on all chunks before. */
    digest: string
    begun_at: Fixed<Date>
    /** Null while the import is unfinished: the service does not start then. */
    ended_at: Date | null
  }
}
