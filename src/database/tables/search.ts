import type { Generated } from 'kysely'
import type { Fixed } from '../column-types.ts'

export interface SearchTables {
  /** The requests that a transaction changed, created or deleted, as far as an index has them; written by triggers. */
  search_changes: {
    /** A number of 64 bits, as text. */
    transaction_id: Fixed<string>
    request_id: Fixed<string>
    noted_at: Fixed<Date>
  }
  /** The indexes outside of the database that follow the changes. */
  search_consumers: {
    name: Fixed<string>
    /** A `pg_snapshot`, as text: every change of a transaction that is complete in it was read. */
    position: string
    /** It follows this part of the requests, of so many. */
    part: Fixed<number>
    parts: Fixed<number>
    /** When it last read, and had nothing left or recorded a position. */
    seen_at: Generated<Date>
    /** The process that reads for it now, and until when no other one may. */
    lease_owner: string | null
    lease_until: Date | null
  }
}
