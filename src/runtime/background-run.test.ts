import { describe, expect, it, vi } from 'vitest'
import { type BackgroundRunOptions, createBackgroundRun } from './background-run.ts'

const noErrors = (error: unknown) => expect.fail(String(error))

/** A run whose steps end when the test says so. */
function controlled(options: Partial<BackgroundRunOptions> = {}) {
  const steps: PromiseWithResolvers<boolean>[] = []
  const step = () => {
    steps.push(Promise.withResolvers())
    return steps.at(-1)!.promise
  }
  const work = createBackgroundRun({ step, onError: noErrors, ...options })
  const begun = (count: number) => expect.poll(() => steps.length).toBe(count)
  return { work, steps, begun }
}

describe('a run', () => {
  it('takes steps until there is no more, and then ends', async () => {
    let left = 3
    const work = createBackgroundRun({ step: async () => --left > 0, onError: noErrors })
    await work.run()
    expect(left).toBe(0)
    await work.run()
    expect(left).toBe(-1)
  })

  it('is one for all who ask at once', async () => {
    const { work, steps, begun } = controlled()
    const runs = [work.run(), work.run(), work.run()]
    await begun(1)
    steps[0]!.resolve(true)
    await begun(2)
    steps[1]!.resolve(false)
    await Promise.all(runs)
    expect(steps).toHaveLength(2)
  })

  it('that a maintenance job begins is not waited for', async () => {
    const { work, steps, begun } = controlled()
    expect(await work.job()).toBe(false)
    await begun(1)
    steps[0]!.resolve(false)
    await work.stop()
  })

  it('begins once after a delay, however often it is asked for', async () => {
    const step = vi.fn(async () => false)
    const work = createBackgroundRun({ step, onError: noErrors })
    for (let time = 0; time < 3; time++) work.startSoon(1)
    expect(step).not.toHaveBeenCalled()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(step).toHaveBeenCalledTimes(1)
    work.startSoon(1)
    await expect.poll(() => step.mock.calls.length).toBe(2)
    await work.stop()
  })

  it('begins after the shortest of several delays', async () => {
    const step = vi.fn(async () => false)
    const work = createBackgroundRun({ step, onError: noErrors })
    work.startSoon(60_000)
    work.startSoon(1)
    await expect.poll(() => step.mock.calls.length).toBe(1)
    await work.stop()
  })

  it('begins every so often until it is stopped', async () => {
    const step = vi.fn(async () => false)
    const work = createBackgroundRun({ step, everyMs: 2, onError: noErrors })
    await expect.poll(() => step.mock.calls.length).toBeGreaterThan(2)
    await work.stop()
    const begun = step.mock.calls.length
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(step).toHaveBeenCalledTimes(begun)
  })

  it('pauses after a step that has more, for a multiple of what the step took', async () => {
    const tookMs = 20
    const starts: number[] = []
    const step = async () => {
      starts.push(performance.now())
      while (performance.now() < starts.at(-1)! + tookMs);
      return starts.length < 2
    }
    await createBackgroundRun({ step, pauseFactor: 3, onError: noErrors }).run()
    // A timer may fire a millisecond early.
    expect(starts[1]! - starts[0]!).toBeGreaterThanOrEqual(tookMs * 4 - 1)
  })
})

describe('a wake-up during a run', () => {
  it.each<[string, (work: ReturnType<typeof createBackgroundRun>) => unknown]>([
    ['by a maintenance job', (work) => work.job()],
    ['by a caller', (work) => work.run()],
    ['by a timer', (work) => work.startSoon(0)],
  ])('%s leads to one more step', async (_by, wake) => {
    const { work, steps, begun } = controlled()
    const running = work.run()
    await begun(1)
    wake(work)
    // The timer of the wake-up is older, so it has fired before this one.
    await new Promise((resolve) => setTimeout(resolve, 1))
    steps[0]!.resolve(false)
    await begun(2)
    steps[1]!.resolve(false)
    await running
    expect(steps).toHaveLength(2)
  })

  it('is found however close to the end of the run it comes', async () => {
    for (let turns = 0; turns < 20; turns++) {
      let isWaiting = false
      const wakeAfterTurns = async () => {
        for (let turn = 0; turn < turns; turn++) await null
        isWaiting = true
        await work.job()
      }
      let woken: Promise<void> | null = null
      const work = createBackgroundRun({
        step: async () => {
          isWaiting = false
          woken ??= wakeAfterTurns()
          return false
        },
        onError: noErrors,
      })
      await work.run()
      await woken
      await new Promise((resolve) => setImmediate(resolve))
      expect({ turns, isWaiting }).toEqual({ turns, isWaiting: false })
    }
  })

  it('is not lost when the step fails', async () => {
    const onError = vi.fn()
    const { work, steps, begun } = controlled({ onError })
    await work.job()
    await begun(1)
    await work.job()
    const failure = new Error('the database is away')
    steps[0]!.reject(failure)
    await begun(2)
    steps[1]!.resolve(false)
    await work.stop()
    expect(onError.mock.calls).toEqual([[failure]])
    expect(steps).toHaveLength(2)
  })
})

describe('an error of a step', () => {
  const failure = new Error('the database is away')
  function failingOnce() {
    const onError = vi.fn()
    const results = [() => Promise.reject(failure), () => Promise.resolve(false)]
    const step = vi.fn(() => results.shift()!())
    return { work: createBackgroundRun({ step, onError }), step, onError }
  }

  it('ends the run and goes to its caller; the next run works', async () => {
    const { work, step, onError } = failingOnce()
    await expect(work.run()).rejects.toBe(failure)
    await work.run()
    expect(step).toHaveBeenCalledTimes(2)
    expect(onError).not.toHaveBeenCalled()
  })

  it('is reported once where there is no caller; the next start works', async () => {
    const { work, step, onError } = failingOnce()
    await work.job()
    await expect.poll(() => onError.mock.calls).toEqual([[failure]])
    work.startSoon(0)
    await expect.poll(() => step.mock.calls.length).toBe(2)
    await work.stop()
    expect(onError).toHaveBeenCalledTimes(1)
  })

  it('goes to both where a caller joins a run that has none', async () => {
    const { work, steps, begun } = controlled({ onError: (error) => expect(error).toBe(failure) })
    await work.job()
    await begun(1)
    const joined = work.run()
    steps[0]!.reject(failure)
    await expect(joined).rejects.toBe(failure)
    await begun(2)
    steps[1]!.resolve(false)
    await work.stop()
  })
})

describe('a stop', () => {
  it('waits for the step under way, and tells it', async () => {
    let signal: AbortSignal | undefined
    const slice = Promise.withResolvers<boolean>()
    const step = vi.fn((given: AbortSignal) => {
      signal = given
      return slice.promise
    })
    const work = createBackgroundRun({ step, onError: noErrors })
    const running = work.run()
    await expect.poll(() => signal?.aborted).toBe(false)
    const stopped = work.stop().then(() => 'stopped')
    expect(signal?.aborted).toBe(true)
    expect(await Promise.race([stopped, Promise.resolve('waits')])).toBe('waits')
    slice.resolve(true)
    expect(await stopped).toBe('stopped')
    await running
    expect(step).toHaveBeenCalledTimes(1)
  })

  it('is stronger than a wake-up', async () => {
    const { work, steps, begun } = controlled()
    await work.job()
    await begun(1)
    await work.job()
    const stopped = work.stop()
    steps[0]!.resolve(false)
    await stopped
    await new Promise((resolve) => setImmediate(resolve))
    expect(steps).toHaveLength(1)
  })

  it('does not wait for a pause', async () => {
    // The pause would take minutes.
    const { work, steps, begun } = controlled({ pauseFactor: 100_000 })
    await work.job()
    await begun(1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    steps[0]!.resolve(true)
    await new Promise((resolve) => setImmediate(resolve))
    await work.stop()
    expect(steps).toHaveLength(1)
  })

  it('is the end: nothing begins afterwards', async () => {
    const { work, steps } = controlled()
    work.startSoon(1)
    await work.stop()
    work.startSoon(1)
    expect(await work.job()).toBe(false)
    await work.run()
    await work.stop()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(steps).toHaveLength(0)
  })

  it('between a start and its first step lets no step begin', async () => {
    const { work, steps } = controlled()
    const running = work.run()
    await work.stop()
    await running
    expect(steps).toHaveLength(0)
  })
})
