import type { Pricing } from '../accounts/plans.ts'
import type { PackName, Tier } from '../database/column-types.ts'

export interface ModelReservation {
  /** A number of months, from any start. */
  month: number
  pool: number
  payg: number
  /** The pool of the plan then. */
  limit: number
  isOpen: boolean
  /** 0 while it is open. */
  settled: number
  /** Whose use of the month it is counted in. */
  spenders: readonly ModelSpender[]
}

/** A key, a person, a watch, or a key with a budget and the keys that it made. */
export interface ModelSpender {
  name: string
  /** Null for none. */
  budget: number | null
}

/** What a spender holds and has settled in a month. */
interface ModelSpent {
  held: number
  settled: number
}

/** The percents of the pool that an account is told of. */
const percents = [80, 95, 100]

/** The bookings of one month. */
interface ModelMonth {
  poolHeld: number
  poolSettled: number
  paygUsed: number
}

/** The law of the ledger for one account as plain arithmetic, for tests to compare the real one with. */
export class LedgerModel {
  readonly pricing: Pricing
  tier: Tier = 'free'
  cap: number | null = null
  /** The month of the last reservation; `latestMonth` is the maximum of all. */
  month = 0
  latestMonth = 0
  paygBalance = 0
  paygHeld = 0
  readonly spent = new Map<string, ModelSpent>()
  /** What the account was told, as `<month> <percent>`. */
  readonly alerts = new Set<string>()
  readonly #months = new Map<number, ModelMonth>()

  constructor(pricing: Pricing) {
    this.pricing = pricing
  }

  bookedIn(month: number): ModelMonth {
    const booked = this.#months.get(month) ?? { poolHeld: 0, poolSettled: 0, paygUsed: 0 }
    this.#months.set(month, booked)
    return booked
  }

  usedIn(month: number): number {
    const { poolHeld, poolSettled } = this.bookedIn(month)
    return poolHeld + poolSettled
  }

  spentIn(month: number, { name }: ModelSpender): ModelSpent {
    const spent = this.spent.get(`${month} ${name}`) ?? { held: 0, settled: 0 }
    this.spent.set(`${month} ${name}`, spent)
    return spent
  }

  /** @returns the reservation, or why it must be refused; then nothing changes. */
  reserve(
    amount: number,
    month: number,
    spenders: readonly ModelSpender[] = [],
  ): ModelReservation | 'credits' | 'budget' {
    const booked = this.bookedIn(month)
    const limit = this.pricing.plans[this.tier].creditsPerMonth
    const pool = Math.min(amount, Math.max(0, limit - this.usedIn(month)))
    const payg = amount - pool
    const underCap = this.cap === null ? payg : Math.max(0, this.cap - booked.paygUsed)
    if (payg > Math.min(this.paygBalance - this.paygHeld, underCap)) return 'credits'
    const isOver = (spender: ModelSpender) => {
      const { held, settled } = this.spentIn(month, spender)
      return spender.budget !== null && held + settled + amount > spender.budget
    }
    if (spenders.some(isOver)) return 'budget'
    for (const spender of spenders) this.spentIn(month, spender).held += amount
    this.month = month
    this.latestMonth = Math.max(this.latestMonth, month)
    booked.poolHeld += pool
    booked.paygUsed += payg
    this.paygHeld += payg
    return { month, pool, payg, limit, isOpen: true, settled: 0, spenders }
  }

  /** @param now the month of the clock. */
  close(reservation: ModelReservation, settled: number, now: number): void {
    const booked = this.bookedIn(reservation.month)
    const pool = Math.min(settled, reservation.pool)
    const payg = settled - pool
    reservation.isOpen = false
    reservation.settled = settled
    this.paygHeld -= reservation.payg
    this.paygBalance -= payg
    booked.poolHeld -= reservation.pool
    booked.poolSettled += pool
    booked.paygUsed -= reservation.payg - payg
    for (const spender of reservation.spenders) {
      const spent = this.spentIn(reservation.month, spender)
      spent.held -= reservation.pool + reservation.payg
      spent.settled += settled
    }
    if (settled > 0 && reservation.month === this.month && reservation.month >= now) this.#tell(reservation)
  }

  #tell({ month, limit }: ModelReservation): void {
    const share = (this.bookedIn(month).poolSettled * 100) / limit
    for (const percent of percents) if (share >= percent) this.alerts.add(`${month} ${percent}`)
  }

  grant(pack: PackName): void {
    this.paygBalance += this.pricing.packs[pack].credits
  }
}
