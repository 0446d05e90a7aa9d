import type { Generated } from 'kysely'
import type { Fixed } from '../column-types.ts'

export interface HttpTables {
  /** Calls with an `Idempotency-Key` and their first answers, stored for a day. */
  idempotency_keys: {
    /** SHA-256 of the caller, the method, the path and the key, in hex. */
    id: Fixed<string>
    /** SHA-256 of the body, in hex. */
    fingerprint: string
    status: number | null
    body: string | null
    /** What a long call has committed, from which its answer is made; null before that, and once the answer is stored. */
    effect: string | null
    expires_at: Date
  }
  /** The calls of the last minute, of each account and policy; only where several processes share a Postgres. */
  rate_limit_windows: {
    key: Fixed<string>
    /** When the accepted calls were made, oldest first. */
    hits: Date[]
    /** Whether any of the last calls was accepted. */
    accepted: boolean
    /** How many of the last calls, which were counted together, were accepted. */
    accepted_calls: Generated<number>
    /** When the last call was counted or refused. */
    counted_at: Date
  }
}
