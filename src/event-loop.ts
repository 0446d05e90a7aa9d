import { setImmediate } from 'node:timers/promises'

/**
 * For long work in small steps: call the result between two steps, and others get their turn as soon as this work has held the
 * event loop for a while, but not after every small step, which would cost more than the steps.
 * @param holdMs how long the work may hold the event loop; a single step may take longer.
 */
export function createPauses(holdMs = 4): () => Promise<void> {
  let heldSince = performance.now()
  return async () => {
    if (performance.now() - heldSince < holdMs) return
    await setImmediate()
    heldSince = performance.now()
  }
}
