interface Waiting {
  /** Priority: lower is older. */
  age: number
  resume: () => void
}

/** Long tasks that wait, in one queue: paced separately, twenty tasks would block the loop twenty times as long. */
const waiting: Waiting[] = []
let startedCount = 0

/** Resumes only the oldest task until it ends, so that the first result comes soon. */
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
 * For long tasks of small steps: await the result between steps. It yields after a while, not each time, which would
 * cost more. The oldest task continues first; a very long one becomes the youngest now and then.
 * @param holdMs except for a single step
 * @param ageMs total hold time before it becomes the youngest
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
