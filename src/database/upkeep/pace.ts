/**
 * Learns how long each kind of work takes: a statement in the embedded database cannot be interrupted, so one that would take too
 * long must not begin.
 */
export interface Pace {
  /** How long so many units of a kind would take, in ms. */
  predict(kind: string, units: number): number
  /** Takes the real duration. */
  learn(kind: string, units: number, tookMs: number): void
  /** After work was left undone as too long: moves its rate a little towards the assumed one, so that one slow run does not forbid it for ever. */
  doubt(kind: string): void
}

/** What a statement costs before its first unit of work. */
const overheadMs = 2
/** The share of the distance between the learned and the assumed rate that a doubt removes. */
const doubtShare = 0.02

/**
 * @param assumed ms per unit, until it is learned. A slower run counts fully, a faster one by a fifth: predictions should be too
 *   long rather than too short.
 */
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
