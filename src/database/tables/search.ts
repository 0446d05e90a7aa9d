import type { Generated } from 'kysely'
import type { Fixed } from '../column-types.ts'

/** `creating` in the cluster, `building` from all requests, `serving` searches, or `retired`, to be deleted. */
export type IndexState = 'creating' | 'building' | 'serving' | 'retired'

export interface SearchTables {
  /** The requests that a transaction changed, created or deleted, as far as an index has them. */
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
    claimed_by: string | null
    claimed_until: Date | null
    /** Of one that copies all requests first, in the order of their ids: how far it is; null when nothing is copied yet. */
    copied_through: string | null
    is_copied: Generated<boolean>
  }
  /** The indexes of requests in a search cluster. */
  search_indexes: {
    name: Fixed<string>
    /** The name that stands for the index that serves, the same for all of them. */
    alias: Fixed<string>
    state: IndexState
    /** The version of what the index has of a request. */
    mapping: Fixed<number>
    shards: Fixed<number>
    created_at: Generated<Date>
    state_since: Generated<Date>
  }
}
