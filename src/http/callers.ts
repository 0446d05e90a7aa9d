import type { Tier } from '../database/column-types.ts'

/** The account that a request is made for. */
export interface Account {
  accountId: string
  tier: Tier
}

/** Who made a call, as far as its effects are concerned. */
export interface Caller {
  /** An account's id, or `admin`. */
  name: string
  /** The key, or the token of the session, that the call was made with. */
  token: string
}
