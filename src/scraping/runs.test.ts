import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import type { ClaimedTask } from './claim.ts'
import { createRuns } from './runs.ts'
import type { TaskChange } from './task-changes.ts'

function setUp() {
  const subscribers = new Set<(change: TaskChange | null) => void>()
  const changes = {
    subscribe: (onChange: (change: TaskChange | null) => void) => {
      subscribers.add(onChange)
      return () => void subscribers.delete(onChange)
    },
    stop: async () => {},
  }
  const runs = createRuns(changes, systemClock)
  runs.start()
  const tell = (taskId: string, state: TaskChange['state']) => {
    for (const subscriber of subscribers) subscriber({ jobId: 'a job', taskId, state })
  }
  return { runs, tell }
}
const task = (taskId: string, leftMs = 3_600_000) =>
  ({ taskId, expiresAt: new Date(systemClock.now().getTime() + leftMs) }) as ClaimedTask

describe('what this process works at', () => {
  it('is stopped when it is ended elsewhere, and only that', () => {
    const { runs, tell } = setUp()
    const [one, two] = [runs.begin(), runs.begin()]
    one.hold(task('one'))
    two.hold(task('two'))
    tell('one', 'running')
    expect(one.stopped.aborted).toBe(false)
    tell('one', 'skipped')
    expect([one.stopped.aborted, two.stopped.aborted]).toEqual([true, false])
    one.end()
    two.end()
  })

  it('is stopped at once when it was ended while it was being claimed', () => {
    const { runs, tell } = setUp()
    const run = runs.begin()
    tell('one', 'skipped')
    run.hold(task('one'))
    expect(run.stopped.aborted).toBe(true)
    run.end()
  })

  it('is stopped with a TimeoutError when its time is over', async () => {
    const { runs } = setUp()
    const run = runs.begin()
    run.hold(task('one', 1))
    if (!run.stopped.aborted) await once(run.stopped, 'abort')
    expect(run.stopped.reason).toMatchObject({ name: 'TimeoutError' })
    run.end()
  })
})
