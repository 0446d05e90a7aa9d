import type { Tier } from '../database/column-types.ts'

/** The account that a request is made for. */
export interface Account {
  accountId: string
  tier: Tier
  /** Whether it may see requests differently from all others: it has differences or corrections. */
  hasOwnView: boolean
}

/** The caller, as the owner of the effects of a call. */
export interface Caller {
  /** An account's id, or `admin`. */
  name: string
  /** The key, or the token of the session, that the call was made with. */
  token: string
}
