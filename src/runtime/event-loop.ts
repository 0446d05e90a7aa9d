/** A long work that waits for the event loop to be its again. */
interface Waiting {
  /** Lower is older. */
  age: number
  goOn: () => void
}

/**
 * The long works of this process that wait for their turn. There is one event loop in a process, so there is one line: each
 * with a timing of its own, twenty works would hold the loop twenty times as long as one may.
 */
const line: Waiting[] = []
let begun = 0

/** Lets the oldest go on. The others get nearer to their ends only when it has ended, so the first result is there soonest. */
function letOldestGoOn(): void {
  let oldest = 0
  for (let place = 1; place < line.length; place++) if (line[place]!.age < line[oldest]!.age) oldest = place
  const [next] = line.splice(oldest, 1)
  next!.goOn()
  if (line.length > 0) setImmediate(letOldestGoOn)
}

const turnOf = (age: number): Promise<void> =>
  new Promise((goOn) => {
    line.push({ age, goOn })
    if (line.length === 1) setImmediate(letOldestGoOn)
  })

/**
 * For long work in small steps: call the result between two steps, and others get their turn as soon as this work has held the
 * event loop for a while, but not after every small step, which would cost more than the steps. Of several such works the
 * one that was begun first goes on first; one that is very long stands in line again now and then:
 * a hostile page takes seconds, and whoever wants a text highlighted must not wait for its end.
 * @param holdMs how long the work may hold the event loop; a single step may take longer.
 * @param ageMs how long it may hold it before it is the youngest.
 */
export function createPauses(holdMs = 4, ageMs = 100): () => Promise<void> {
  let age = begun++
  let heldOfAgeMs = 0
  let heldSince = performance.now()
  return async () => {
    const heldMs = performance.now() - heldSince
    if (heldMs < holdMs) return
    heldOfAgeMs += heldMs
    if (heldOfAgeMs > ageMs) [age, heldOfAgeMs] = [begun++, 0]
    await turnOf(age)
    heldSince = performance.now()
  }
}
