import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { leaveWishes, makeWish } from '../../../test/stored-wish.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { correctRequest } from '../../requests/corrections/corrections.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import type { Retention } from '../../requests/store/delete.ts'
import { createGoalJudging } from '../news/goal-judging.ts'
import { readReport } from '../news/read-report.ts'
import { makeReport } from '../news/report.ts'
import { endedRun, makeWatch, type TestRun, type TestWatch } from '../news/testing.ts'
import { readNews } from '../news/unread.ts'
import { readKnownSince } from './coverage.ts'

// Holds (Watches, news and channels): rising demand for a wish or topic is news and an event once; neither one text from fifty accounts nor a merge counts

const publicUrl = 'https://wishes.example.org'
/** At noon, so many days after the watch began. */
const on = (day: number) => new Date(Date.UTC(2026, 0, 1 + day, 12))

let opened: TestDatabase
let watch: TestWatch
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(async () => {
  await opened.reset()
  watch = await makeWatch(opened.database)
})
afterAll(() => opened.close())

/** A request that a person made half a day before. */
const ask = (id: string, day: number, fields: Partial<FoundRequest> = {}): FoundRequest => {
  const author = { authorName: id, authorHandle: id, authorProfileUrl: `https://example.org/people/${id}` }
  return foundRequest(id, { ...author, originalCreatedAt: new Date(on(day).getTime() - 12 * 3_600_000), ...fields })
}
const run = (day: number, requests: FoundRequest[], of = watch, terms: Partial<TestRun> = {}) =>
  endedRun(opened.database, of, { requests, now: on(day), ...terms })
const report = async (day: number, retention: Retention = new Map(), of = watch) => {
  const input = { watchId: of.watchId, canJudge: false, retention, now: on(day) }
  const reportId = (await makeReport(opened.database, input))!
  return (await readReport(opened.database, { reportId, publicUrl }))!
}
/** Makes one wish of all requests with these prefixes. */
const wishOf = async (...prefixes: string[]) => {
  const { rows } = await sql<{ id: string }>`
    select id from requests where left(source_id, 1) = any(${prefixes}::text[]) order by source_id`.execute(
    opened.database,
  )
  return makeWish(
    opened.database,
    rows.map(({ id }) => id),
  )
}
const eventsOf = async (type: string) =>
  (await opened.database.selectFrom('events').select('subject').where('type', '=', type).execute()).map(
    ({ subject }) => subject,
  )

/** Weeks in which one person asks for each of ten wishes, and one for a wish with many requests. */
async function quietWeeks(weeks = 8, of = watch): Promise<void> {
  const usual = Array.from({ length: 10 }, (_, index) => ask(`usual${index}`, 0))
  await run(0, [...usual, ask('w0', 0)], of)
  await report(0, new Map(), of)
  for (let week = 1; week <= weeks; week += 1) {
    await run(7 * week, [ask(`quiet${week}`, 7 * week)], of)
    await report(7 * week, new Map(), of)
  }
}
const burst = (day: number, size = 7) => Array.from({ length: size }, (_, index) => ask(`w-${day}-${index}`, day))

describe('a wish that seven people ask for in two days', () => {
  it('is news and an event, once', async () => {
    await quietWeeks()
    await run(57, burst(57, 3))
    await wishOf('w')
    expect((await report(57)).rising).toEqual([])
    await run(58, burst(58, 4))
    const wishId = await wishOf('w')
    const told = await report(58)
    expect(told.rising).toMatchObject([{ wishId, rise: { voices: 7, onceIn: expect.any(Number) } }])
    expect(told.rising[0]!.rise!.expected).toBeLessThan(0.5)
    expect(told.rising[0]!.rise!.onceIn).toBeGreaterThan(100)
    expect(told).toMatchObject({ totals: { rising: 1, other: 0 } })
    const { watchId } = watch
    expect(await eventsOf('wish.rising')).toEqual([{ watchId, reportId: told.reportId, wishId }])
    await run(59, burst(59))
    // Even where it got another id meanwhile.
    await wishOf('w')
    expect((await report(59)).rising).toEqual([])
    expect(await eventsOf('wish.rising')).toHaveLength(1)
  })

  it('is found by a run of the next week, too', async () => {
    await quietWeeks()
    await run(63, [...burst(57, 3), ...burst(58, 4)])
    await wishOf('w')
    expect((await report(63)).rising).toMatchObject([{ rise: { voices: 7 } }])
  })

  it('is what the account sees: hidden requests are nobody', async () => {
    await quietWeeks()
    await run(58, burst(58))
    await wishOf('w')
    const { rows } = await sql<{ id: string }>`
      select id from requests where source_id like 'w-%' order by source_id limit 3`.execute(opened.database)
    for (const { id: requestId } of rows) {
      const hidden = { accountId: watch.accountId, requestId, isRequest: false, madeBy: 'admin', now: on(58) }
      await opened.database.transaction().execute((transaction) => correctRequest(transaction, hidden))
    }
    expect((await report(58)).rising).toEqual([])
  })

  it('is gone from the report with the last of its requests', async () => {
    await quietWeeks()
    await run(58, burst(58))
    await wishOf('w')
    const { reportId, rising } = await report(58)
    expect(rising).toHaveLength(1)
    for (const { sourceId: id } of [...burst(58), ask('w0', 0)])
      await purgeRequests(opened.database, { platform: 'github', id, suppress: true, dryRun: false, now: on(58) })
    expect(await readReport(opened.database, { reportId, publicUrl })).toBeNull()
  })
})

it('a topic that more people ask about than before rises as a whole, once, and none of its wishes does', async () => {
  await quietWeeks()
  const many = (day: number) => Array.from({ length: 20 }, (_, index) => ask(`${day}-${index}`, day))
  await run(58, many(58))
  const told = await report(58)
  expect(told).toMatchObject({ rising: [], topicRise: { voices: 21, onceIn: expect.any(Number) } })
  expect(told.topicRise!.expected).toBeLessThan(2)
  const { watchId, accountId } = watch
  expect(await eventsOf('wish.rising')).toEqual([{ watchId, reportId: told.reportId, wishId: null }])
  const view = { account: null, least: 2 as const }
  const unread = await readNews(opened.database, { accountId, view, publicUrl, limit: 1 })
  expect(unread.results[0]).toMatchObject({ topicRise: told.topicRise, totals: { rising: 0 } })
  await run(59, many(59))
  expect(await report(59)).toMatchObject({ topicRise: null })
})

it('a topic does not rise by what one person asks for', async () => {
  await quietWeeks()
  const author = { authorName: 'ada', authorHandle: 'ada', authorProfileUrl: 'https://example.org/people/ada' }
  await run(
    58,
    Array.from({ length: 20 }, (_, index) => ask(`58-${index}`, 58, author)),
  )
  expect(await report(58)).toMatchObject({ topicRise: null })
})

describe('a wish does not rise', () => {
  it('by one text that fifty accounts post', async () => {
    await quietWeeks()
    const description =
      'Please let me set a dark theme that follows the sunset. I work late and the white pages hurt my eyes, so I change it by hand each evening.'
    await run(
      58,
      Array.from({ length: 50 }, (_, index) => ask(`w-copy${index}`, 58, { description })),
    )
    await wishOf('w')
    expect((await report(58)).rising).toEqual([])
  })

  it('where as many ask each week: its past is that of all that was merged or split', async () => {
    await quietWeeks(0)
    for (let week = 1; week <= 8; week += 1) {
      await run(7 * week, [...burst(7 * week, 3), ...[0, 1, 2].map((index) => ask(`x${week}-${index}`, 7 * week))])
      await report(7 * week)
    }
    await run(57, [ask('w-new', 57), ask('x-new', 57)])
    await wishOf('w', 'x')
    expect((await report(57)).rising).toEqual([])
    await leaveWishes(
      opened.database,
      (await opened.database.selectFrom('requests').select('id').execute()).map(({ id }) => id),
    )
    await run(58, [ask('w-newer', 58), ask('x-newer', 58)])
    await wishOf('w')
    await wishOf('x')
    expect((await report(58)).rising).toEqual([])
  })

  it('while less than three weeks of the past are known', async () => {
    await quietWeeks(2)
    await run(16, burst(16))
    await wishOf('w')
    expect((await report(16)).rising).toEqual([])
  })

  it('where the past has expired', async () => {
    await quietWeeks()
    await run(58, burst(58))
    await wishOf('w')
    expect((await report(58, new Map([['github', 27]]))).rising).toEqual([])
  })
})

describe('in a watch with a goal', () => {
  /** The report of a day, of which a model said that the wishes of requests with these prefixes do not fit. */
  const judgedReport = async (day: number, ...unfit: string[]) => {
    const [retention, now] = [new Map(), on(day)]
    const reportId = (await makeReport(opened.database, { watchId: watch.watchId, canJudge: true, retention, now }))!
    await sql`
      update news_items set fits = false where report_id = ${reportId} and kind = 'new' and request_ids && array(
        select id from requests where left(source_id, 1) = any(${unfit}::text[]))`.execute(opened.database)
    const clock = { now: () => now }
    const judging = createGoalJudging({
      database: opened.database,
      log: { warn: () => {} },
      config: null,
      ...{ clock, retention },
    })
    await judging.judgeNext(new AbortController().signal)
    return (await readReport(opened.database, { reportId, publicUrl }))!
  }
  const askFor = (prefix: string, day: number, size: number) =>
    Array.from({ length: size }, (_, index) => ask(`${prefix}-${day}-${index}`, day))
  beforeEach(async () => {
    watch = await makeWatch(opened.database, { goal: 'ideas, not bugs' })
    await quietWeeks()
  })

  it('what does not fit it does not rise, and spends nothing of what may be told', async () => {
    const bugs = ['1', '2', '3', '4', '5', '6']
    const eachWeek = [1, 2, 3, 4, 5, 6, 7, 8].map((week) => ask(`w${week}`, 7 * week))
    await run(58, [...eachWeek, ...bugs.flatMap((bug) => askFor(bug, 58, 9))])
    for (const bug of bugs) await wishOf(bug)
    expect(await judgedReport(58, ...bugs)).toMatchObject({ rising: [], topicRise: null, totals: { other: 6 } })
    expect(await eventsOf('wish.rising')).toEqual([])
    // Five are told where one is usual, unless other wishes were told before.
    await run(70, [...askFor('1', 70, 30), ...burst(70, 5)])
    await wishOf('1')
    const wishId = await wishOf('w')
    const told = await judgedReport(70)
    expect(told.rising).toMatchObject([{ wishId, rise: { voices: 5 } }])
    expect(told).toMatchObject({ topicRise: null, totals: { other: 1 } })
  })

  it('its topic is of what fits it alone', async () => {
    await run(58, [...askFor('b', 58, 15), ...askFor('i', 58, 20)])
    expect((await judgedReport(58, 'b')).topicRise).toMatchObject({ voices: 21 })
  })

  it('its topic rises with something new that fits', async () => {
    watch = await makeWatch(opened.database, { goal: 'ideas, not bugs' })
    await quietWeeks(2)
    await run(26, [...askFor('b', 26, 1), ...askFor('i', 26, 20)])
    await wishOf('b')
    expect(await judgedReport(26, 'b')).toMatchObject({ topicRise: null, totals: { other: 1 } })
    await run(28, askFor('b', 28, 1))
    await wishOf('b')
    // Only now is enough of the past known.
    expect(await judgedReport(28)).toMatchObject({ topicRise: null, totals: { grown: 0, other: 1 } })
    await run(29, askFor('c', 29, 1))
    expect(await judgedReport(29, 'c')).toMatchObject({ topicRise: null, totals: { other: 1 } })
    await run(30, askFor('i', 30, 1))
    expect(await judgedReport(30)).toMatchObject({ topicRise: { voices: 21 } })
  })
})

it('what a platform had is known since the first run of it, since the last long pause, and as long as it is kept', async () => {
  await run(0, [])
  await run(30, [])
  await run(31, [], watch, { platform: 'reddit' })
  const knownSince = (day: number, retention: Retention = new Map()) =>
    readKnownSince(opened.database, { watchId: watch.watchId, retention, now: on(day) })
  expect(await knownSince(40, new Map([['reddit', 5]]))).toEqual(
    new Map([
      ['github', on(0)],
      ['reddit', on(35)],
    ]),
  )
  await run(80, [])
  expect(await knownSince(80)).toEqual(
    new Map([
      ['github', on(80)],
      ['reddit', on(31)],
    ]),
  )
})

it('what a platform had is known since the first run that collects what those before did not', async () => {
  const knownAfter = async (day: number, terms: Partial<TestRun>) => {
    await run(day, [], watch, terms)
    return (await readKnownSince(opened.database, { watchId: watch.watchId, retention: new Map(), now: on(day) })).get(
      'github',
    )
  }
  const [one, two] = ['example/one', 'example/two']
  expect(await knownAfter(0, {})).toEqual(on(0))
  expect(await knownAfter(1, { sources: [one] })).toEqual(on(1))
  expect(await knownAfter(2, { sources: [one, two] })).toEqual(on(2))
  expect(await knownAfter(3, { sources: [two, one] })).toEqual(on(2))
  expect(await knownAfter(4, { sources: [one] })).toEqual(on(2))
  expect(await knownAfter(5, { sources: [two] })).toEqual(on(5))
  expect(await knownAfter(6, {})).toEqual(on(6))
  expect(await knownAfter(7, { depth: 2, isCutOff: true })).toEqual(on(6))
  expect(await knownAfter(8, { depth: 2 })).toEqual(on(6))
  expect(await knownAfter(9, { depth: 1, isCutOff: true })).toEqual(on(6))
  expect(await knownAfter(10, { depth: 2 })).toEqual(on(10))
})
