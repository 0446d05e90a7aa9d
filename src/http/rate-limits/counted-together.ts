import type { RateLimiter, Verdict } from './limiter.ts'

/**
 * Counts calls of a key that arrived together.
 * @returns the verdict of each call, in their order.
 */
export type CountCalls = (key: string, limit: number, calls: number) => Promise<Verdict[]>

interface WaitingCall {
  limit: number
  verdict: PromiseWithResolvers<Verdict>
}

/** The maximum of calls that one statement counts. */
const maxCalls = 1_000

/** How many of the first calls have the same limit: a new plan applies to the calls after it. */
function countAlike(calls: readonly WaitingCall[]): number {
  const other = calls.findIndex(({ limit }) => limit !== calls[0]?.limit)
  return Math.min(maxCalls, other === -1 ? calls.length : other)
}

/**
 * A limiter whose calls of one key are counted one batch after the other: those that arrive during a statement are counted by the next
 * one. A failed statement fails all calls that wait, so that none waits for a second failure.
 */
export function countTogether(count: CountCalls): RateLimiter {
  /** The waiting calls of each key of which a statement runs. */
  const waiting = new Map<string, WaitingCall[]>()

  const countAll = async (key: string, calls: WaitingCall[]) => {
    while (calls.length > 0) {
      const batch = calls.splice(0, countAlike(calls))
      try {
        const verdicts = await count(key, batch[0]?.limit ?? 0, batch.length)
        for (const [index, { verdict }] of batch.entries()) verdict.resolve(verdicts[index] as Verdict)
      } catch (error) {
        for (const { verdict } of [...batch, ...calls.splice(0)]) verdict.reject(error)
      }
    }
    waiting.delete(key)
  }
  return {
    take: (key, limit) => {
      const call: WaitingCall = { limit, verdict: Promise.withResolvers() }
      const calls = waiting.get(key)
      if (calls) calls.push(call)
      else {
        const first = [call]
        waiting.set(key, first)
        void countAll(key, first)
      }
      return call.verdict.promise
    },
  }
}
