import type { Generated } from 'kysely'
import type { Fixed, FixedWithDefault, KeyScope, Tier } from '../column-types.ts'

export interface HttpTables {
  /** Calls with an `Idempotency-Key` and their first answers, stored for a day. */
  idempotency_keys: {
    /** SHA-256 of the caller, the method, the path and the key, in hex. */
    id: Fixed<string>
    /** SHA-256 of the body, in hex. */
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
    /** How many requests it has corrected, 10,000 at most. */
    corrections: Generated<number>
    /** Whether detection must be surer of what this account is shown (`requests/views/strictness.ts`). */
    is_strict: Generated<boolean>
    /** Up to which request its classes follow from that; null: all do. */
    reclassified_to: string | null
    /** Set once: the name is emptied and no key is valid any more, but the ledger stays. */
    deleted_at: Date | null
  }
  api_keys: {
    id: Generated<string>
    account_id: Fixed<string>
    name: string
    /** SHA-256 of the key, in hex. The key itself is never stored. */
    hash: Fixed<string>
    /** The first characters of the key, so that people can tell their keys apart. */
    hint: Fixed<string>
    created_at: Fixed<Date>
    revoked_at: Date | null
    /** Exact to within minutes: not every call writes it. */
    last_used_at: Date | null
    /** What it may do. */
    scope: FixedWithDefault<KeyScope>
    /** From then on it opens nothing; null: never. */
    expires_at: FixedWithDefault<Date | null>
    /** The credits that calls with it may use in a UTC month; null: what the account has. */
    monthly_credits: FixedWithDefault<number | null>
    /** The budgeted keys above it: what it spends counts against their budgets too. */
    bearers: FixedWithDefault<string[]>
    /** The key that made it; null: the operator, or a session that no key opened. */
    made_by: FixedWithDefault<string | null>
  }
  /** Sessions of the dashboard. */
  sessions: {
    id: Generated<string>
    /** SHA-256 of the token in the cookie, in hex. */
    token_hash: Fixed<string>
    /** Null for the operator. */
    account_id: Fixed<string | null>
    /** The key that opened it or made its link; null where it was the admin key. */
    api_key_id: Fixed<string | null>
    /** SHA-256 (hex) of token and admin key that opened it or made its link; null if an API key did. */
    admin_key_hash: Fixed<string | null>
    /** The link that opened it; null where a key did. */
    link_id: FixedWithDefault<string | null>
    created_at: Fixed<Date>
    /** When it ends, however much it is used. */
    expires_at: Fixed<Date>
    /** Exact to within minutes. */
    last_used_at: Date
  }
  /** For whom the links of sessions were made; of ended sessions, too. */
  session_people: {
    session_id: Fixed<string>
    account_id: Fixed<string>
    person_name: Fixed<string>
    signed_in_at: Fixed<Date>
  }
  /** Unused links that open an account's dashboard once. */
  sign_in_links: {
    id: Generated<string>
    /** SHA-256 of the token in the link, in hex. */
    token_hash: Fixed<string>
    account_id: Fixed<string>
    /** The key that made it; null for the operator, and for a session that no key opened. */
    api_key_id: FixedWithDefault<string | null>
    /** SHA-256 (hex) of token and admin key of the service that made it; null if an API key did. */
    admin_key_hash: Fixed<string | null>
    /** For whom it is; null where nobody said. */
    person_name: FixedWithDefault<string | null>
    created_at: Fixed<Date>
    expires_at: Fixed<Date>
  }
}
