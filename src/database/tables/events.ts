import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { Fixed } from '../column-types.ts'

export interface EventsTables {
  /** The outbox of what is told to accounts. */
  events: {
    id: Generated<string>
    sequence: GeneratedAlways<number>
    /** Null: of all accounts that it concerns. */
    account_id: Fixed<string | null>
    type: Fixed<string>
    /** Whose channels are told; null: the channels that subscribe to the type. */
    watch_id: Fixed<string | null>
    /** Ids and numbers only. */
    subject: ColumnType<Record<string, string | number | null>, string, never>
    created_at: Fixed<Date>
    /** When its deliveries were written. */
    fanned_out_at: Date | null
  }
}
