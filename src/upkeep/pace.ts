/**
 * Learns how long a kind of work takes, because a statement in the embedded database cannot be interrupted: what would be too
 * long must not begin.
 */
export interface Pace {
  /** How long so many units of a kind would take, in ms. */
  predict(kind: string, units: number): number
  /** What it really took. */
  learn(kind: string, units: number, tookMs: number): void
  /** Something was left undone for being too long: its rate is doubted a little, so that one bad moment does not forbid it for ever. */
  doubt(kind: string): void
}

/** What a statement costs before its first unit of work. */
const overheadMs = 2
/** Of the distance between a learned rate and the assumed one that a doubt takes away. */
const doubtShare = 0.02

/**
 * @param assumed ms a unit, until it is learned. A slower run counts at once, a faster one by a fifth: predictions are to be too
 *   long rather than too short.
 */
export function createPace(assumed: Readonly<Record<string, number>>): Pace {
  const learned = new Map<string, number>()
  const assumedOf = (kind: string) => assumed[kind] ?? 0
  const rateOf = (kind: string) => learned.get(kind) ?? assumedOf(kind)
  return {
    predict: (kind, units) => overheadMs + units * rateOf(kind),
    learn: (kind, units, tookMs) => {
      // Small work says nothing about the rate: it is all overhead.
      if (units < 50 && tookMs < 20) return
      const rate = Math.max(0, tookMs - overheadMs) / Math.max(1, units)
      const known = rateOf(kind)
      learned.set(kind, rate > known ? rate : known * 0.8 + rate * 0.2)
    },
    doubt: (kind) => learned.set(kind, rateOf(kind) + (assumedOf(kind) - rateOf(kind)) * doubtShare),
  }
}
