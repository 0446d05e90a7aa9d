import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { copyDatabase, openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { openDatabase } from '../../database/open.ts'
import { countTogether, createDatabaseLimiter, purgeIdleWindows } from './database-limiter.ts'
import { createSlidingLog, type RateLimiter } from './limiter.ts'
import { expectedVerdict, fullestMinute, type TestClock, testClock, testSeed } from './testing.ts'

// Holds (Credits and limits): no more calls than the plan allows in any 60 seconds

// Both limiters hold the same law. The one in the database takes a millisecond a call, so it gets fewer windows and
// only small limits, unless LIMIT_WINDOWS and LIMIT_KINDS say more.

let opened: TestDatabase
beforeAll(async () => {
  console.log(`rate limits: seed ${testSeed} (set TEST_SEED to repeat it)`)
  opened = await openTestDatabase()
})
beforeEach(() => opened.reset())
afterAll(() => opened.close())

let keys = 0
/** Every run of a property begins with an empty window, also while a failure is shrunk. */
const newKey = () => `run ${++keys}`
const rowsOf = () => opened.database.selectFrom('rate_limit_windows').selectAll().orderBy('key').execute()
const kinds = [
  {
    name: 'in memory',
    limits: [1, 20, 120, 240],
    windows: 50,
    runs: 300,
    create: (clock: TestClock): RateLimiter => createSlidingLog({ clock }),
  },
  {
    name: 'in the database',
    limits: [1, 20, 120, 240].slice(0, campaignSize('LIMIT_KINDS', { quick: 2, nightly: 4 })),
    windows: campaignSize('LIMIT_WINDOWS', { quick: 2, nightly: 4 }),
    runs: 15,
    create: (clock: TestClock): RateLimiter => createDatabaseLimiter(opened.database, clock),
  },
]

describe.each(kinds)('the limiter $name', ({ limits, windows, runs, create }) => {
  const loads = [0.5, 1, 10]
  it.each(limits.flatMap((limit) => loads.map((load) => ({ limit, load }))))(
    'accepts exactly the limit of evenly spaced calls: $load x a limit of $limit',
    { timeout: windows * 30_000 },
    async ({ limit, load }) => {
      const clock = testClock()
      const start = clock.ms
      const limiter = create(clock)
      const accepted: number[] = []
      const calls = Math.floor(limit * load * windows)
      for (let call = 0; call < calls; call++) {
        clock.ms = start + Math.floor((call * 60_000) / (limit * load))
        if ((await limiter.take('a', limit)).accepted) accepted.push(clock.ms)
      }
      expect(accepted).toHaveLength(Math.min(calls, limit * windows))
      expect(fullestMinute(accepted)).toBeLessThanOrEqual(limit)
    },
  )

  const arrivals = fc.record({
    limit: fc.constantFrom(1, 2, 5, 20),
    // Bursts, trickles, long pauses, and the very edge of the window.
    pauses: fc.array(
      fc.oneof(
        fc.constant(0),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 9_000 }),
        fc.constantFrom(59_999, 60_000, 60_001),
      ),
      { maxLength: 150 },
    ),
  })

  it('decides random arrivals like a count by hand, with the right remainder and reset', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ limit, pauses }) => {
        const key = newKey()
        const clock = testClock()
        const limiter = create(clock)
        const accepted: number[] = []
        for (const pause of pauses) {
          clock.ms += pause
          expect(await limiter.take(key, limit)).toEqual(expectedVerdict(accepted, limit, clock.ms))
        }
        expect(fullestMinute(accepted)).toBeLessThanOrEqual(limit)
      }),
      { numRuns: runs, seed: testSeed },
    )
  })

  it('follows a limit that changes from call to call', async () => {
    const changes = fc.array(fc.record({ limit: fc.integer({ min: 1, max: 9 }), pause: fc.nat(20_000) }), {
      maxLength: 80,
    })
    await fc.assert(
      fc.asyncProperty(changes, async (calls) => {
        const key = newKey()
        const clock = testClock()
        const limiter = create(clock)
        const accepted: number[] = []
        for (const { limit, pause } of calls) {
          clock.ms += pause
          expect(await limiter.take(key, limit)).toEqual(expectedVerdict(accepted, limit, clock.ms))
        }
      }),
      { numRuns: runs, seed: testSeed },
    )
  })

  it('accepts exactly the limit of concurrent calls, for each key by itself', async () => {
    const limiter = create(testClock())
    const verdicts = await Promise.all(
      Array.from({ length: 60 }, (_, index) => limiter.take(index % 2 === 0 ? 'a' : 'b', 20)),
    )
    for (const half of [0, 1]) {
      const own = verdicts.filter((_verdict, index) => index % 2 === half)
      expect(own.filter((verdict) => verdict.accepted)).toHaveLength(20)
    }
  })

  it('accepts the next call exactly at the announced time, after any number of refused ones', async () => {
    const clock = testClock()
    const limiter = create(clock)
    for (let call = 0; call < 3; call++) {
      await limiter.take('a', 3)
      clock.ms += 1_000
    }
    for (let call = 0; call < 50; call++) await limiter.take('a', 3)
    const { accepted, msUntilMore } = await limiter.take('a', 3)
    expect({ accepted, msUntilMore }).toEqual({ accepted: false, msUntilMore: 57_000 })
    clock.ms += msUntilMore - 1
    expect((await limiter.take('a', 3)).accepted).toBe(false)
    clock.ms += 1
    expect((await limiter.take('a', 3)).accepted).toBe(true)
  })

  it('locks no caller out when the clock is set back, and lets none through early', async () => {
    const clock = testClock()
    const limiter = create(clock)
    for (let call = 0; call < 5; call++) await limiter.take('a', 5)
    clock.ms -= 3_600_000
    expect(await limiter.take('a', 5)).toEqual({ accepted: false, remaining: 0, msUntilMore: 60_000 })
    clock.ms += 59_999
    expect((await limiter.take('a', 5)).accepted).toBe(false)
    clock.ms += 1
    expect(await limiter.take('a', 5)).toEqual({ accepted: true, remaining: 4, msUntilMore: 60_000 })
  })
})

describe('the limiter in the database', () => {
  it('counts calls that arrive together in few statements, each with its own verdict', async () => {
    const clock = testClock()
    const limiter = createDatabaseLimiter(opened.database, clock)
    const first = await limiter.take('a', 5)
    clock.ms += 1_000
    const statements: string[] = []
    const counted = createDatabaseLimiter(
      opened.database.withPlugin({
        transformQuery: ({ node }) => {
          statements.push(node.kind)
          return node
        },
        transformResult: async ({ result }) => result,
      }),
      clock,
    )
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => counted.take('a', 5)))
    expect(first).toEqual({ accepted: true, remaining: 4, msUntilMore: 60_000 })
    const verdict = (accepted: boolean, remaining: number) => ({ accepted, remaining, msUntilMore: 59_000 })
    expect(verdicts).toEqual([...[3, 2, 1, 0].map((left) => verdict(true, left)), ...Array(4).fill(verdict(false, 0))])
    expect(statements).toHaveLength(2)
    const [row] = await rowsOf()
    expect(row?.hits).toHaveLength(5)
  })

  it('gives calls with a new limit a verdict of their own', async () => {
    const limiter = createDatabaseLimiter(opened.database, testClock())
    const verdicts = await Promise.all([2, 2, 2, 9, 9, 1].map((limit) => limiter.take('a', limit)))
    expect(verdicts.map(({ accepted, remaining }) => [accepted, remaining])).toEqual([
      [true, 1],
      [true, 0],
      [false, 0],
      [true, 6],
      [true, 5],
      [false, 0],
    ])
  })

  it('fails the calls that wait when its statement fails, and counts the next ones', async () => {
    let fails = true
    const limiter = countTogether(async (_key, _limit, calls) => {
      if (fails) throw new Error('away')
      return Array(calls).fill({ accepted: true, remaining: 1, msUntilMore: 1 })
    })
    const waiting = await Promise.allSettled([1, 2, 3].map(() => limiter.take('a', 5)))
    expect(waiting.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    fails = false
    expect(await limiter.take('a', 5)).toMatchObject({ accepted: true })
  })
})

describe('the memory of the limiter', () => {
  it('holds only keys of the last minute', async () => {
    const clock = testClock()
    const limiter = createSlidingLog({ clock })
    for (let key = 0; key < 1_000; key++) {
      await limiter.take(`key ${key}`, 1)
      clock.ms += 120
    }
    expect(limiter.size).toBeLessThanOrEqual(501)
    clock.ms += 60_000
    await limiter.take('another', 1)
    expect(limiter.size).toBe(1)
  })

  it('is bounded also within a minute, and holds the last keys', async () => {
    const limiter = createSlidingLog({ clock: testClock(), maxKeys: 3 })
    for (const key of ['a', 'b', 'c', 'a', 'd']) await limiter.take(key, 2)
    expect(limiter.size).toBe(3)
    expect((await limiter.take('a', 2)).accepted).toBe(false)
    expect((await limiter.take('b', 2)).remaining).toBe(1)
  })
})

describe('the windows in the database', () => {
  it('are not changed by a refused call', async () => {
    const clock = testClock()
    const limiter = createDatabaseLimiter(opened.database, clock)
    await limiter.take('a', 1)
    const [before] = await rowsOf()
    clock.ms += 30_000
    await limiter.take('a', 1)
    expect((await rowsOf())[0]?.hits).toEqual(before?.hits)
  })

  it('use the clock of the database when no other is given', async () => {
    const limiter = createDatabaseLimiter(opened.database)
    expect((await limiter.take('a', 2)).msUntilMore).toBe(60_000)
    const { msUntilMore } = await limiter.take('a', 2)
    // Both calls may be in the same millisecond.
    expect(msUntilMore).toBeLessThanOrEqual(60_000)
    expect(msUntilMore).toBeGreaterThan(30_000)
    expect((await limiter.take('a', 2)).accepted).toBe(false)
    expect(await purgeIdleWindows(opened.database)).toBe(false)
    expect(await rowsOf()).toHaveLength(1)
  })

  it('are deleted, slice by slice, once they are empty and not before', async () => {
    const clock = testClock()
    const limiter = createDatabaseLimiter(opened.database, clock)
    for (let key = 0; key < 510; key++) await limiter.take(`old ${key}`, 9)
    clock.ms += 59_999
    await limiter.take('young', 9)
    expect(await purgeIdleWindows(opened.database, clock)).toBe(false)
    expect(await rowsOf()).toHaveLength(511)
    clock.ms += 1
    expect(await purgeIdleWindows(opened.database, clock)).toBe(true)
    expect(await rowsOf()).toHaveLength(11)
    expect(await purgeIdleWindows(opened.database, clock)).toBe(false)
    expect((await rowsOf()).map((row) => row.key)).toEqual(['young'])
  })
})

it('two processes on one Postgres accept together exactly the limit, 50 times over', async () => {
  const copy = await copyDatabase()
  const onCrash = (error: Error) => {
    throw error
  }
  const processes = [1, 2].map(() => openDatabase({ ...copy.options, poolSize: 20, onCrash }))
  const both = await Promise.all(processes)
  onTestFinished(async () => {
    for (const { close } of both) await close()
    await copy.remove()
  })
  const limiters = both.map(({ database }) => createDatabaseLimiter(database))
  for (let round = 0; round < 50; round++) {
    const limit = [1, 2, 10][round % 3] ?? 1
    const calls = limiters.flatMap((limiter) => Array.from({ length: 20 }, () => limiter.take(`round ${round}`, limit)))
    const verdicts = await Promise.all(calls)
    const accepted = verdicts.filter((verdict) => verdict.accepted)
    expect(accepted.map((verdict) => verdict.remaining).sort((a, b) => a - b)).toEqual(
      Array.from({ length: limit }, (_, index) => index),
    )
    for (const { msUntilMore } of verdicts) expect(msUntilMore).toBeGreaterThan(0)
  }
})
