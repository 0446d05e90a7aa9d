import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createPauses } from './event-loop.ts'

const holdMs = 2

/** Holds the event loop for so long. */
function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

async function work(steps: number, ageMs: number, ended: () => void): Promise<void> {
  const pause = createPauses(holdMs, ageMs)
  for (let step = 0; step < steps; step++) {
    spin(holdMs)
    await pause()
  }
  ended()
}

describe('long works', () => {
  it('let others have the event loop, one of them at a time between two turns', async () => {
    const works = 8
    let running = works
    // The first steps of all of them are begun here, in one turn; what counts is how it goes on.
    const turns: number[] = []
    let turn = 0
    const count = (async () => {
      while (running > 0) {
        turn++
        await setImmediate()
      }
    })()
    await Promise.all(
      Array.from({ length: works }, async () => {
        const pause = createPauses(holdMs)
        for (let step = 0; step < 5; step++) {
          spin(holdMs)
          await pause()
          turns.push(turn)
        }
        running--
      }),
    )
    await count
    // Each step of any work was in another turn of the loop.
    expect(new Set(turns).size).toBe(turns.length)
    expect(turns).toHaveLength(works * 5)
  })

  it('end in the order in which they were begun, however long they are', async () => {
    const ended: string[] = []
    await Promise.all([
      work(30, 60_000, () => ended.push('long')),
      work(3, 60_000, () => ended.push('short')),
      work(3, 60_000, () => ended.push('last')),
    ])
    expect(ended).toEqual(['long', 'short', 'last'])
  })

  it('do not keep others waiting for their end when they are very long', async () => {
    const ended: string[] = []
    await Promise.all([
      work(300, 10, () => ended.push('very long')),
      work(5, 60_000, () => ended.push('short')),
      work(5, 60_000, () => ended.push('other')),
    ])
    expect(ended).toEqual(['short', 'other', 'very long'])
  })

  it('hold the loop for as long as they may before they give it away', async () => {
    const pause = createPauses(60_000)
    let turned = false
    void setImmediate().then(() => {
      turned = true
    })
    for (let step = 0; step < 1_000; step++) await pause()
    expect(turned).toBe(false)
  })
})
