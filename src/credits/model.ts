import { packs, plans } from '../accounts/plans.ts'
import type { PackName, Tier } from '../database/column-types.ts'

export interface ModelReservation {
  /** A number of months, from any start. */
  month: number
  pool: number
  payg: number
  isOpen: boolean
}

/** The bookings of one month. */
interface ModelMonth {
  poolHeld: number
  poolSettled: number
  paygUsed: number
}

/** The law of the ledger for one account as plain arithmetic, for tests to compare the real one with. */
export class LedgerModel {
  tier: Tier = 'free'
  cap: number | null = null
  /** The month of the last reservation; `latestMonth` is the maximum of all. */
  month = 0
  latestMonth = 0
  paygBalance = 0
  paygHeld = 0
  readonly #months = new Map<number, ModelMonth>()

  bookedIn(month: number): ModelMonth {
    const booked = this.#months.get(month) ?? { poolHeld: 0, poolSettled: 0, paygUsed: 0 }
    this.#months.set(month, booked)
    return booked
  }

  usedIn(month: number): number {
    const { poolHeld, poolSettled } = this.bookedIn(month)
    return poolHeld + poolSettled
  }

  /** @returns the reservation, or null when it must be refused; then nothing changes. */
  reserve(amount: number, month: number): ModelReservation | null {
    const booked = this.bookedIn(month)
    const pool = Math.min(amount, Math.max(0, plans[this.tier].creditsPerMonth - this.usedIn(month)))
    const payg = amount - pool
    const underCap = this.cap === null ? payg : Math.max(0, this.cap - booked.paygUsed)
    if (payg > Math.min(this.paygBalance - this.paygHeld, underCap)) return null
    this.month = month
    this.latestMonth = Math.max(this.latestMonth, month)
    booked.poolHeld += pool
    booked.paygUsed += payg
    this.paygHeld += payg
    return { month, pool, payg, isOpen: true }
  }

  close(reservation: ModelReservation, settled: number): void {
    const booked = this.bookedIn(reservation.month)
    const pool = Math.min(settled, reservation.pool)
    const payg = settled - pool
    reservation.isOpen = false
    this.paygHeld -= reservation.payg
    this.paygBalance -= payg
    booked.poolHeld -= reservation.pool
    booked.poolSettled += pool
    booked.paygUsed -= reservation.payg - payg
  }

  grant(pack: PackName): void {
    this.paygBalance += packs[pack].credits
  }
}
