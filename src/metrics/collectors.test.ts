import { describe, expect, it } from 'vitest'
import type { Observation } from './catalogue.ts'
import { createCollectors } from './collectors.ts'

/** A collector whose readings the test ends one by one. */
function steppedCollector() {
  const readings: PromiseWithResolvers<Observation[]>[] = []
  const read = () => {
    const reading = Promise.withResolvers<Observation[]>()
    readings.push(reading)
    return reading.promise
  }
  return { readings, collector: { name: 'jobs', maxAgeMs: 10_000, read } }
}
const queued = (value: number): Observation => ({ name: 'wishwell_jobs_queued', value, labels: {} })
const up = (value: number): Observation => ({ name: 'wishwell_collector_up', value, labels: { collector: 'jobs' } })

function prepare() {
  const { readings, collector } = steppedCollector()
  const failures: unknown[] = []
  const time = { now: 0 }
  const options = { collectors: [collector], onFailure: (error: unknown) => failures.push(error), waitMs: 5 }
  return { readings, failures, time, read: createCollectors({ ...options, now: () => time.now }) }
}

describe('what metrics read from the database', () => {
  it('is read once for scrapes at the same time, and again only when its time is over', async () => {
    const { readings, time, read } = prepare()
    const scrapes = Promise.all([read(), read(), read()])
    readings[0]!.resolve([queued(4)])
    expect(await scrapes).toEqual(Array(3).fill([up(1), queued(4)]))
    time.now = 9_999
    await read()
    expect(readings).toHaveLength(1)
    time.now = 10_000
    const next = read()
    expect(readings).toHaveLength(2)
    readings[1]!.resolve([queued(5)])
    expect(await next).toEqual([up(1), queued(5)])
  })

  it('does not delay a scrape: a late reading shows the numbers of the last one, and no second one begins', async () => {
    const { readings, time, read } = prepare()
    const first = read()
    readings[0]!.resolve([queued(4)])
    await first
    time.now = 20_000
    expect(await read()).toEqual([up(1), queued(4)])
    time.now = 40_000
    expect(await read()).toEqual([up(0), queued(4)])
    expect(readings).toHaveLength(2)
    readings[1]!.resolve([queued(6)])
    await readings[1]!.promise
    expect(await read()).toEqual([up(1), queued(6)])
  })

  it('is shown for a minute at most when readings fail, and the first failure is reported', async () => {
    const { readings, failures, time, read } = prepare()
    const first = read()
    readings[0]!.resolve([queued(4)])
    await first
    const fail = async (now: number) => {
      time.now = now
      const scrape = read()
      readings.at(-1)!.reject(new Error(`at ${now}`))
      return scrape
    }
    expect(await fail(10_000)).toEqual([up(0), queued(4)])
    expect(await fail(69_000)).toEqual([up(0), queued(4)])
    expect(await fail(80_000)).toEqual([up(0)])
    expect(failures).toEqual([new Error('at 10000')])
    time.now = 90_000
    const back = read()
    readings.at(-1)!.resolve([queued(1)])
    expect(await back).toEqual([up(1), queued(1)])
  })
})
