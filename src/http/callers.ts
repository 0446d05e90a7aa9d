import type { KeyScope, Tier } from '../database/column-types.ts'

export interface Account {
  accountId: string
  tier: Tier
  /** Whether it may see requests differently: it has differences or corrections. */
  hasOwnView: boolean
  /** The API key of the call, of its session, or of the link that made its session; null without one. */
  keyId: string | null
  /** Who signed in by a link or access token, if named; null with a key. */
  personName: string | null
  /** Whether its own or a maker's budget bounds spending. A key's terms never change. */
  keyHasBudget: boolean
  /** What the key may do; without a key, everything. */
  scope: KeyScope
  /** Its monthly pool when the call arrived. */
  pool: Pool
}

export interface Pool {
  /** The month of the figures, and the latest with any: `YYYY-MM`. */
  month: string
  latest_month: string
  pool_held: number
  pool_settled: number
}

/** The caller, as owner of a call's effects. */
export interface Caller {
  name: string
  /** The API key or session token of the call. */
  token: string
}
