import type { Generated } from 'kysely'
import type { Fixed, FixedWithDefault, KeyScope, Tier } from '../column-types.ts'

export interface HttpTables {
  /** Calls with an `Idempotency-Key` and their first answers, kept for a day. */
  idempotency_keys: {
    /** SHA-256 (hex) of caller, method, path and key. */
    id: Fixed<string>
    fingerprint: string
    status: number | null
    body: string | null
    /** What a long call committed, to build its answer from; null before, and once the answer is stored. */
    effect: string | null
    expires_at: Date
  }
  /** Calls of the last minute per account and policy; only if several processes share a Postgres. */
  rate_limit_windows: {
    key: Fixed<string>
    /** Times of accepted calls, oldest first. */
    hits: Date[]
    /** Whether any of the last calls was accepted. */
    accepted: boolean
    /** How many of the last calls, counted together, were accepted. */
    accepted_calls: Generated<number>
    /** When the last call was counted or refused. */
    counted_at: Date
  }
}

export interface AccountsTables {
  accounts: {
    id: Generated<string>
    name: string
    tier: Tier
    /** Maximum PAYG credits per month, including held ones; null without a cap. */
    payg_monthly_cap: number | null
    created_at: Fixed<Date>
    /** Whether it has rows in `account_requests`, so sees some requests differently. */
    has_own_view: Generated<boolean>
    /** Requests it has corrected, at most 10,000. */
    corrections: Generated<number>
    /** Whether detection must be surer of what this account is shown (`requests/views/strictness.ts`). */
    is_strict: Generated<boolean>
    /** The last request reclassified by strictness; null: all are. */
    reclassified_to: string | null
    /** Set once: empties the name and invalidates keys; the ledger stays. */
    deleted_at: Date | null
  }
  api_keys: {
    id: Generated<string>
    account_id: Fixed<string>
    name: string
    /** SHA-256 (hex) of the key, which itself is never stored. */
    hash: Fixed<string>
    /** The key's first characters, to tell keys apart. */
    hint: Fixed<string>
    created_at: Fixed<Date>
    revoked_at: Date | null
    /** Exact to within minutes, because not every call writes it. */
    last_used_at: Date | null
    scope: FixedWithDefault<KeyScope>
    /** Invalid from then on; null: never. */
    expires_at: FixedWithDefault<Date | null>
    /** Credits its calls may use per UTC month; null: the account's. */
    monthly_credits: FixedWithDefault<number | null>
    /** The budgeted keys above it: what it spends counts against their budgets too. */
    bearers: FixedWithDefault<string[]>
    /** Its making key; null: the operator, or a session without a key. */
    made_by: FixedWithDefault<string | null>
  }
  sessions: {
    id: Generated<string>
    token_hash: Fixed<string>
    /** Null: the operator. */
    account_id: Fixed<string | null>
    /** The key that opened it or made its link; null: the admin key. */
    api_key_id: Fixed<string | null>
    /** SHA-256 (hex) of token and admin key that opened it or made its link; null if an API key did. */
    admin_key_hash: Fixed<string | null>
    /** The link that opened it; null: a key did. */
    link_id: FixedWithDefault<string | null>
    created_at: Fixed<Date>
    /** Its end, regardless of use. */
    expires_at: Fixed<Date>
    /** Exact to within minutes. */
    last_used_at: Date
  }
  /** People for whom session links were made, also of ended sessions. */
  session_people: {
    session_id: Fixed<string>
    account_id: Fixed<string>
    person_name: Fixed<string>
    signed_in_at: Fixed<Date>
  }
  /** Unused one-time links to an account's dashboard. */
  sign_in_links: {
    id: Generated<string>
    token_hash: Fixed<string>
    account_id: Fixed<string>
    /** Its making key; null: the operator, or a session without a key. */
    api_key_id: FixedWithDefault<string | null>
    /** SHA-256 (hex) of token and admin key of the service that made it; null if an API key did. */
    admin_key_hash: Fixed<string | null>
    /** For whom it is; null if unnamed. */
    person_name: FixedWithDefault<string | null>
    created_at: Fixed<Date>
    expires_at: Fixed<Date>
  }
}
