import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createPauses } from './event-loop.ts'

const holdMs = 2

/** Holds the event loop for this time. */
function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** A long-running task, by default never made the youngest. @returns its name when it has ended. */
async function work(name: string, steps: number, { ageMs = 60_000, afterStep = () => {} } = {}): Promise<string> {
  const pause = createPauses(holdMs, ageMs)
  for (let step = 0; step < steps; step++) {
    spin(holdMs)
    await pause()
    afterStep()
  }
  return name
}

/** The names of tasks in the order of their ends. */
async function orderOf(works: Promise<string>[]): Promise<string[]> {
  const ended: string[] = []
  await Promise.all(works.map((one) => one.then((name) => ended.push(name))))
  return ended
}

describe('long-running tasks', () => {
  it('yield the event loop, one of them at a time between two turns', async () => {
    let running = true
    const turns: number[] = []
    let turn = 0
    const count = (async () => {
      while (running) {
        turn++
        await setImmediate()
      }
    })()
    await Promise.all(Array.from({ length: 8 }, () => work('one', 5, { afterStep: () => turns.push(turn) })))
    running = false
    await count
    // Each step of any task was in another turn of the loop.
    expect(new Set(turns).size).toBe(turns.length)
    expect(turns).toHaveLength(8 * 5)
  })

  it('end in the order of their starts, however long they are', async () => {
    const works = [work('long', 30), work('short', 3), work('last', 3)]
    expect(await orderOf(works)).toEqual(['long', 'short', 'last'])
  })

  it('do not delay others until their end when they are very long', async () => {
    const works = [work('very long', 300, { ageMs: 10 }), work('short', 5), work('other', 5)]
    expect(await orderOf(works)).toEqual(['short', 'other', 'very long'])
  })

  it('hold the loop for their full time before they yield it', async () => {
    const pause = createPauses(60_000)
    let turned = false
    void setImmediate().then(() => {
      turned = true
    })
    for (let step = 0; step < 1_000; step++) await pause()
    expect(turned).toBe(false)
  })
})
