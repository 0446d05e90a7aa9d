import type { PackName, Tier } from '../database/tables.ts'
import { packs, plans } from './plans.ts'

export interface ModelReservation {
  /** Counted in months, from wherever the caller begins. */
  month: number
  pool: number
  payg: number
  isOpen: boolean
}

/** The law of the ledger for one account as plain arithmetic, for tests to compare the real one with. */
export class LedgerModel {
  tier: Tier = 'free'
  cap: number | null = null
  month = 0
  poolHeld = 0
  poolSettled = 0
  paygBalance = 0
  paygHeld = 0
  paygMonthUsed = 0

  usedIn(month: number): number {
    return month > this.month ? 0 : this.poolHeld + this.poolSettled
  }

  /** @returns the reservation, or null when it must be refused; then nothing has changed. */
  reserve(amount: number, month: number): ModelReservation | null {
    const pool = Math.min(amount, Math.max(0, plans[this.tier].creditsPerMonth - this.usedIn(month)))
    const payg = amount - pool
    const paygMonthUsed = month > this.month ? 0 : this.paygMonthUsed
    const underCap = this.cap === null ? payg : Math.max(0, this.cap - paygMonthUsed)
    if (payg > Math.min(this.paygBalance - this.paygHeld, underCap)) return null
    if (month > this.month) Object.assign(this, { month, poolHeld: 0, poolSettled: 0 })
    this.poolHeld += pool
    this.paygHeld += payg
    this.paygMonthUsed = paygMonthUsed + payg
    return { month: this.month, pool, payg, isOpen: true }
  }

  close(reservation: ModelReservation, settled: number): void {
    const pool = Math.min(settled, reservation.pool)
    const payg = settled - pool
    reservation.isOpen = false
    this.paygHeld -= reservation.payg
    this.paygBalance -= payg
    if (reservation.month !== this.month) return
    this.poolHeld -= reservation.pool
    this.poolSettled += pool
    this.paygMonthUsed -= reservation.payg - payg
  }

  grant(pack: PackName): void {
    this.paygBalance += packs[pack].credits
  }
}
