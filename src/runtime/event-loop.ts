/** A long-running task that waits to continue on the event loop. */
interface Waiting {
  /** Its priority: a lower number is older. */
  age: number
  resume: () => void
}

/**
 * The waiting long-running tasks of this process. They share one queue, because a process has one event loop: with a timing of
 * its own for each, twenty tasks would block the loop twenty times as long as one may.
 */
const waiting: Waiting[] = []
let startedCount = 0

/** Resumes the oldest task, and only that one until it ends: so the first result is available as soon as possible. */
function resumeOldest(): void {
  let oldest = 0
  for (let index = 1; index < waiting.length; index++) if (waiting[index]!.age < waiting[oldest]!.age) oldest = index
  const [next] = waiting.splice(oldest, 1)
  next!.resume()
  if (waiting.length > 0) setImmediate(resumeOldest)
}

const untilResumed = (age: number): Promise<void> =>
  new Promise((resume) => {
    waiting.push({ age, resume })
    if (waiting.length === 1) setImmediate(resumeOldest)
  })

/**
 * For a long-running task of small steps: call the result between two steps. It yields the event loop when the task has held it
 * for a while, not after every step, which would cost more than the steps. Of several tasks the one that began first continues
 * first. A very long one becomes the youngest now and then: a hostile page takes seconds, and a text to highlight must not
 * wait for its end.
 * @param holdMs how long the task may hold the event loop; a single step may take longer.
 * @param ageMs how long the task may hold it in all before it becomes the youngest.
 */
export function createPauses(holdMs = 4, ageMs = 100): () => Promise<void> {
  let age = startedCount++
  let heldOfAgeMs = 0
  let heldSince = performance.now()
  return async () => {
    const heldMs = performance.now() - heldSince
    if (heldMs < holdMs) return
    heldOfAgeMs += heldMs
    if (heldOfAgeMs > ageMs) [age, heldOfAgeMs] = [startedCount++, 0]
    await untilResumed(age)
    heldSince = performance.now()
  }
}
