/** Learns how long work takes: embedded statements cannot be interrupted, so ones that are too long must not start. */
export interface Pace {
  /** Predicted ms for this many units. */
  predict(kind: string, units: number): number
  /** Learns from a measured duration. */
  learn(kind: string, units: number, tookMs: number): void
  /** Moves a rate towards the assumed one after work was skipped, so that one slow run never blocks it forever. */
  doubt(kind: string): void
}

/** Ms per statement before its first unit. */
const overheadMs = 2
/** The share of the gap between learned and assumed rate that one doubt closes. */
const doubtShare = 0.02

/** @param assumed ms per unit until learned. Slower runs count fully, faster ones a fifth: rather predict too long */
export function createPace(assumed: Readonly<Record<string, number>>): Pace {
  const learned = new Map<string, number>()
  const assumedOf = (kind: string) => assumed[kind] ?? 0
  const rateOf = (kind: string) => learned.get(kind) ?? assumedOf(kind)
  return {
    predict: (kind, units) => overheadMs + units * rateOf(kind),
    learn: (kind, units, tookMs) => {
      // Small work is all overhead and shows no rate.
      if (units < 50 && tookMs < 20) return
      const rate = Math.max(0, tookMs - overheadMs) / Math.max(1, units)
      const known = rateOf(kind)
      learned.set(kind, rate > known ? rate : known * 0.8 + rate * 0.2)
    },
    doubt: (kind) => learned.set(kind, rateOf(kind) + (assumedOf(kind) - rateOf(kind)) * doubtShare),
  }
}
