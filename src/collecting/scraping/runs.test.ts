import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import type { ClaimedTask } from './claim.ts'
import type { TaskChange } from './task-changes.ts'
import { createRuns } from './worker.ts'

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
  const notify = (taskId: string, state: TaskChange['state']) => {
    for (const subscriber of subscribers) subscriber({ jobId: 'a job', taskId, state })
  }
  return { runs, notify }
}
const task = (taskId: string, leftMs = 3_600_000) =>
  ({ taskId, expiresAt: new Date(systemClock.now().getTime() + leftMs) }) as ClaimedTask

describe('a task that this process runs', () => {
  it('is stopped when it is ended elsewhere; other tasks are not', () => {
    const { runs, notify } = setUp()
    const [one, two] = [runs.begin(), runs.begin()]
    one.hold(task('one'))
    two.hold(task('two'))
    notify('one', 'running')
    expect(one.stopped.aborted).toBe(false)
    notify('one', 'skipped')
    expect([one.stopped.aborted, two.stopped.aborted]).toEqual([true, false])
    one.end()
    two.end()
  })

  it('goes on when the end of its job lies further ahead than a timer of Node can wait', async () => {
    const { runs } = setUp()
    const run = runs.begin()
    run.hold(task('one', 30 * 24 * 3_600_000))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(run.stopped.aborted).toBe(false)
    run.end()
  })

  it('is stopped at once when it ended during its claim', () => {
    const { runs, notify } = setUp()
    const run = runs.begin()
    notify('one', 'skipped')
    run.hold(task('one'))
    expect(run.stopped.aborted).toBe(true)
    run.end()
  })

  it('is stopped with a TimeoutError when the time of its job is over', async () => {
    const { runs } = setUp()
    const run = runs.begin()
    run.hold(task('one', 1))
    if (!run.stopped.aborted) await once(run.stopped, 'abort')
    expect(run.stopped.reason).toMatchObject({ name: 'TimeoutError' })
    run.end()
  })
})
