import type { KeyScope, Tier } from '../database/column-types.ts'

/** The account that a request is made for. */
export interface Account {
  accountId: string
  tier: Tier
  /** Whether it may see requests differently: it has differences or corrections. */
  hasOwnView: boolean
  /** The API key of the call, of its session, or of the link that made its session; null without one. */
  keyId: string | null
  /** Who signed in by a link or an access token, where that has a name; null with a key. */
  personName: string | null
  /** Whether its own or a maker's budget bounds spending. A key's terms never change. */
  keyHasBudget: boolean
  /** What that key may do; without a key, everything. */
  scope: KeyScope
  /** Its monthly pool when the call arrived. */
  pool: Pool
}

/** What an account used of its monthly pool, in credits. */
export interface Pool {
  /** The month of the figures, and the latest with any: `YYYY-MM`. */
  month: string
  latest_month: string
  pool_held: number
  pool_settled: number
}

/** The caller, as the owner of the effects of a call. */
export interface Caller {
  /** An account's id, or `admin`. */
  name: string
  /** The key, or the token of the session, that the call was made with. */
  token: string
}
