import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { joinWish, leaveWishes, makeWish } from '../../../test/stored-wish.ts'
import type { RequestStatus } from '../../database/column-types.ts'
import type { NewsKind } from '../../database/tables/watches.ts'
import { reclassifySlice, setStrictness } from '../../requests/accuracy/reclassifying.ts'
import { correctRequest } from '../../requests/corrections/corrections.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { deleteExpiredRequests } from '../../requests/store/delete.ts'
import type { Strictness } from '../../requests/views/strictness.ts'
import { readConcernedAccounts, readWatchersOf } from './concerned-accounts.ts'
import { type NewsReport, readFeedNews, readReport } from './read-report.ts'
import { deleteOldReports, findDueWatches, makeReport, maxItems } from './report.ts'
import { endedRun, makeWatch, storeFound, type TestWatch, type TestWatchOptions } from './testing.ts'
import { markRead, readNews } from './unread.ts'

// Holds (Watches, news and channels): new requests, votes and statuses are reported once; expiry, return, merges and splits never
// Holds (Watches, news and channels): requests shown only because strictness ended are never reported; any other newly shown request is

const dayMs = 86_400_000
const publicUrl = 'https://wishes.example.org'
const day = (number: number) => new Date(Date.UTC(2026, 5, number, 12))

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

type Votes = Record<string, number | [votes: number, status: RequestStatus]>
const found = (votes: Votes) =>
  Object.entries(votes).map(([id, given]) => {
    const [amount, status] = Array.isArray(given) ? given : [given, 'open' as const]
    return foundRequest(id, { votes: amount, status })
  })
const run = (number: number, votes: Votes, of = watch) =>
  endedRun(opened.database, of, { requests: found(votes), now: day(number) })
const report = async (number: number, of = watch): Promise<NewsReport | null> => {
  const input = { watchId: of.watchId, canJudge: false, retention: new Map(), now: day(number) }
  const reportId = await makeReport(opened.database, input)
  return reportId === null ? null : readReport(opened.database, { reportId, publicUrl })
}
const idOf = async (sourceId: string) =>
  (
    await opened.database
      .selectFrom('requests')
      .select('id')
      .where('source_id', '=', sourceId)
      .executeTakeFirstOrThrow()
  ).id
const eventsOf = async (type: string) =>
  opened.database
    .selectFrom('events')
    .select(['account_id', 'watch_id', 'subject'])
    .where('type', '=', type)
    .orderBy('sequence')
    .execute()
const titles = (news: NewsReport | null) =>
  news && {
    new: news.newWishes.map(({ title }) => title),
    grown: news.grown.map(({ title, votesGained, requestsGained }) => [title, votesGained, requestsGained]),
    completed: news.completed.map(({ title }) => title),
    declined: news.declined.map(({ title }) => title),
  }
const nothing = { new: [], grown: [], completed: [], declined: [] }

describe('a report', () => {
  it('has all wishes as new first, then only what is new, grew or was done since', async () => {
    await run(1, { a: 5, b: 9 })
    const first = await report(1)
    expect(first).toMatchObject({ isFirst: true, since: null, watchName: 'Dark <mode>' })
    expect(titles(first)).toEqual({ ...nothing, new: ['Request b', 'Request a'] })
    expect(first!.newWishes[0]).toMatchObject({
      url: `https://wishes.example.org/wishes/${await idOf('b')}`,
      votes: 9,
      platforms: ['github'],
      status: 'open',
    })
    await run(2, { a: 8, b: [9, 'completed'], c: 1, d: [0, 'declined'] })
    const second = await report(2)
    expect(second).toMatchObject({
      isFirst: false,
      since: day(1),
      totals: { newWishes: 2, grown: 1, completed: 1, declined: 0 },
    })
    expect(titles(second)).toEqual({
      new: ['Request c', 'Request d'],
      grown: [['Request a', 3, 0]],
      completed: ['Request b'],
      declined: [],
    })
    await run(3, { a: 8, b: [9, 'completed'], c: 1, d: [0, 'declined'] })
    expect(titles(await report(3))).toEqual(nothing)
    expect(await eventsOf('watch.news')).toEqual([
      {
        account_id: watch.accountId,
        watch_id: watch.watchId,
        subject: { watchId: watch.watchId, reportId: first!.reportId },
      },
      {
        account_id: watch.accountId,
        watch_id: watch.watchId,
        subject: { watchId: watch.watchId, reportId: second!.reportId },
      },
    ])
  })

  it('is told without news, too, where the watch wants that', async () => {
    watch = await makeWatch(opened.database, { reportsQuiet: true })
    await run(1, {})
    expect(titles(await report(1))).toEqual(nothing)
    expect(await eventsOf('watch.news')).toHaveLength(1)
  })

  it('does not tell the kinds that the watch mutes, anywhere, and goes on with them afterwards', async () => {
    const mute = (kinds: NewsKind[]) =>
      opened.database.updateTable('watches').set({ muted_news: kinds }).where('id', '=', watch.watchId).execute()
    await run(1, { a: 5, b: 9 })
    await report(1)
    await mute(['grown', 'declined'])
    await run(2, { a: 8, b: [9, 'completed'], c: [0, 'open'] })
    const second = await report(2)
    expect(titles(second)).toEqual({ ...nothing, new: ['Request c'], completed: ['Request b'] })
    expect(second!.totals).toMatchObject({ newWishes: 1, grown: 0, completed: 1 })
    // Nothing else is new: nobody is told.
    await run(3, { a: 9, b: [9, 'completed'], c: [0, 'declined'] })
    expect(await report(3)).toMatchObject({ totals: { newWishes: 0, grown: 0, declined: 0 } })
    expect(await eventsOf('watch.news')).toHaveLength(2)
    // What was reported before is muted, too, and a channel may mute more.
    await mute(['new'])
    const view = { account: null, least: 2 as const }
    const input = { accountId: watch.accountId, view, publicUrl, limit: 10 }
    const { results } = await readNews(opened.database, input)
    expect(results).toMatchObject([{ newWishes: [], completed: [{ title: 'Request b' }], totals: { newWishes: 0 } }])
    const told = { reportId: second!.reportId, publicUrl, mutedNews: ['completed' as const] }
    expect(await readReport(opened.database, told)).toBeNull()
    expect(await readFeedNews(opened.database, { watchId: watch.watchId, view, publicUrl, limit: 10 })).toMatchObject([
      { kind: 'completed' },
    ])
    await mute([])
    await run(4, { a: 12, b: [9, 'completed'], c: [0, 'declined'] })
    expect(titles(await report(4))).toEqual({ ...nothing, grown: [['Request a', 3, 0]] })
  })

  it('is made once for a run, and not before the run has ended', async () => {
    await run(1, { a: 1 })
    await sql`update scrape_jobs set ended_at = null`.execute(opened.database)
    expect(await findDueWatches(opened.database, day(1), 10)).toEqual([])
    expect(await report(1)).toBeNull()
    await sql`update scrape_jobs set ended_at = ${day(1)}`.execute(opened.database)
    expect(await findDueWatches(opened.database, day(1), 10)).toEqual([{ id: watch.watchId }])
    const made = await Promise.all([report(1), report(1), report(1)])
    expect(made.filter((one) => one !== null)).toHaveLength(1)
    expect(await eventsOf('watch.news')).toHaveLength(1)
  })

  it('waits for requests that are not placed in wishes, ten minutes at most', async () => {
    await endedRun(opened.database, watch, { requests: found({ a: 1 }), now: day(1), staysUnplaced: true })
    const later = (minutes: number) => new Date(day(1).getTime() + minutes * 60_000)
    expect(await findDueWatches(opened.database, later(9), 10)).toEqual([])
    expect(await findDueWatches(opened.database, later(10), 10)).toHaveLength(1)
    await sql`delete from wish_queue`.execute(opened.database)
    expect(await findDueWatches(opened.database, later(0), 10)).toHaveLength(1)
  })

  it('counts the votes and the new requests of a wish that grew, and each vote once', async () => {
    await run(1, { a: 5, b: 2 })
    const wishId = await makeWish(opened.database, [await idOf('a'), await idOf('b')])
    expect(titles(await report(1))!.new).toEqual(['Request a'])
    await run(2, { a: 6, b: 4, c: 50 })
    await joinWish(opened.database, wishId, [await idOf('c')])
    expect(titles(await report(2))).toEqual({ ...nothing, grown: [['Request c', 3, 1]] })
    await run(3, { a: 3, b: 4, c: 50 })
    expect(titles(await report(3))).toEqual(nothing)
    await run(4, { a: 7, b: 4, c: 50 })
    expect(titles(await report(4))!.grown).toEqual([['Request c', 1, 0]])
  })

  it('never has expiry or return, with whatever numbers a request comes back', async () => {
    await run(1, { a: 5, b: 2 })
    await report(1)
    await deleteExpiredRequests(opened.database, new Map([['github', 30]]), new Date(day(1).getTime() + 60 * dayMs))
    expect(await opened.database.selectFrom('requests').select('id').execute()).toEqual([])
    await run(2, { c: 1 })
    expect(titles(await report(2))!.new).toEqual(['Request c'])
    await run(3, { a: [90, 'completed'], b: 2, c: 1 })
    expect(titles(await report(3))).toEqual(nothing)
    await run(4, { a: [91, 'completed'], b: 2, c: 1 })
    expect(titles(await report(4))!.grown).toEqual([['Request a', 1, 0]])
  })

  it('has no return of a request that expired and came back between two reports', async () => {
    await run(1, { a: 5 })
    await report(1)
    await deleteExpiredRequests(opened.database, new Map([['github', 30]]), new Date(day(1).getTime() + 60 * dayMs))
    await run(2, { a: [90, 'declined'] })
    expect(titles(await report(2))).toEqual(nothing)
  })

  it('knows a wish whose known requests have all expired: another request of it is growth', async () => {
    await run(1, { a: 5 })
    const wishId = await makeWish(opened.database, [await idOf('a')])
    await report(1)
    await deleteExpiredRequests(opened.database, new Map([['github', 30]]), new Date(day(1).getTime() + 60 * dayMs))
    await run(2, { b: 2 })
    await joinWish(opened.database, wishId, [await idOf('b')])
    expect(titles(await report(2))).toEqual({ ...nothing, grown: [['Request b', 0, 1]] })
  })

  it('has neither merges nor splits', async () => {
    await run(1, { a: 5, b: 2, c: 1 })
    await report(1)
    await makeWish(opened.database, [await idOf('a'), await idOf('b')])
    await run(2, { a: 5, b: 2, c: 1 })
    expect(titles(await report(2))).toEqual(nothing)
    await makeWish(opened.database, [await idOf('b'), await idOf('c')])
    await run(3, { a: 5, b: 2, c: 1 })
    expect(titles(await report(3))).toEqual(nothing)
    await leaveWishes(opened.database, await Promise.all(['a', 'b', 'c'].map(idOf)))
    await run(4, { a: 5, b: 2, c: 1 })
    expect(titles(await report(4))).toEqual(nothing)
  })

  it('has only what passes the filters and is likely as the account sees it', async () => {
    watch = await makeWatch(opened.database, { filters: { minVotes: 3, tags: ['enhancement'] } })
    await run(1, { few: 2, many: 9, hidden: 7 })
    const correction = { accountId: watch.accountId, isRequest: false, madeBy: 'admin', now: day(1) }
    const hide = async (requestId: string) =>
      opened.database.transaction().execute((transaction) => correctRequest(transaction, { ...correction, requestId }))
    await hide(await idOf('hidden'))
    expect(titles(await report(1))!.new).toEqual(['Request many'])
    await run(2, { few: 3, many: 9, hidden: 70 })
    expect(titles(await report(2))).toEqual({ ...nothing, new: ['Request few'] })
    await hide(await idOf('many'))
    await run(3, { few: 3, many: 20, hidden: 70 })
    expect(titles(await report(3))).toEqual(nothing)
  })

  it('has nothing that is shown because the account is no longer strict, but what comes later, and what else shows a request', async () => {
    watch = await makeWatch(opened.database, { filters: { minVotes: 3 } })
    const turn = async (strictness: Strictness) => {
      await setStrictness(opened.database, watch.accountId, strictness)
      while (await reclassifySlice(opened.database));
    }
    const correct = async (sourceId: string, isRequest: boolean) => {
      const correction = { accountId: watch.accountId, isRequest, madeBy: 'admin', now: day(1) }
      const requestId = await idOf(sourceId)
      await opened.database
        .transaction()
        .execute((transaction) => correctRequest(transaction, { ...correction, requestId }))
    }
    const pages = async (number: number, hidden: Record<string, number>, shown: Votes = {}) => {
      const requests = Object.entries(hidden).map(([id, votes]) => foundRequest(id, { votes, confidence: 0.4 }))
      await endedRun(opened.database, watch, { requests: [...requests, ...found(shown)], now: day(number) })
      return titles(await report(number))
    }
    await turn('strict')
    expect(await pages(1, { a: 5, b: 4, few: 1, no: 7 }, { z: 3 })).toEqual({
      ...nothing,
      new: ['Request z'],
    })
    await correct('no', false)
    await turn('usual')
    expect(await pages(2, { a: 6, b: 4, few: 1 })).toEqual(nothing)
    const wishId = await makeWish(opened.database, [await idOf('a'), await idOf('b')])
    expect(await pages(3, { a: 8, few: 3 })).toEqual({ ...nothing, new: ['Request few'], grown: [['Request a', 2, 0]] })
    await run(4, { c: 50 })
    await joinWish(opened.database, wishId, [await idOf('c')])
    expect(titles(await report(4))).toEqual({ ...nothing, grown: [['Request c', 0, 1]] })
    await correct('no', true)
    expect(await pages(5, { later: 4 })).toEqual({ ...nothing, new: ['Request no', 'Request later'] })
    await turn('strict')
    expect(await pages(6, { a: 9 })).toEqual(nothing)
  })

  it('keeps so many items, and counts all; nothing of it is news again', async () => {
    const votes = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}`, index]))
    await run(1, votes)
    const first = await report(1)
    expect(first!.totals.newWishes).toBe(1_000)
    expect(first!.newWishes).toHaveLength(50)
    expect(first!.newWishes[0]!.title).toBe('Request 999')
    expect(await opened.database.selectFrom('news_items').select('wish_id').execute()).toHaveLength(maxItems)
    const { results: watches } = await readNews(opened.database, {
      accountId: watch.accountId,
      view: { account: null, least: 2 },
      publicUrl,
      limit: 10,
    })
    expect(watches[0]).toMatchObject({ totals: { newWishes: 1_000 }, hasFirst: true })
    expect(watches[0]!.newWishes).toHaveLength(50)
    await run(2, votes)
    expect(titles(await report(2))).toEqual(nothing)
  })

  it('has nothing of a request that was purged or hidden since, and the watch forgets what was purged', async () => {
    await run(1, { a: 5, b: 2 })
    const reportId = (await makeReport(opened.database, {
      watchId: watch.watchId,
      canJudge: false,
      retention: new Map(),
      now: day(1),
    }))!
    const read = async () => titles(await readReport(opened.database, { reportId, publicUrl }))
    expect((await read())!.new).toEqual(['Request a', 'Request b'])
    await purgeRequests(opened.database, { id: await idOf('a'), suppress: false, dryRun: false, now: day(2) })
    expect((await read())!.new).toEqual(['Request b'])
    expect(await opened.database.selectFrom('watch_requests').select('request_id').execute()).toEqual([
      { request_id: await idOf('b') },
    ])
    const hidden = {
      accountId: watch.accountId,
      requestId: await idOf('b'),
      isRequest: false,
      madeBy: 'admin',
      now: day(2),
    }
    await opened.database.transaction().execute((transaction) => correctRequest(transaction, hidden))
    expect(await read()).toBeNull()
  })

  it('leaves nothing of an expired request that is purged', async () => {
    await run(1, { a: 5 })
    await report(1)
    await deleteExpiredRequests(opened.database, new Map([['github', 30]]), new Date(day(1).getTime() + 60 * dayMs))
    const purge = { platform: 'github' as const, id: 'a', suppress: true, dryRun: false, now: day(2) }
    expect(await opened.database.selectFrom('watch_requests').selectAll().execute()).toHaveLength(1)
    await purgeRequests(opened.database, purge)
    expect(await opened.database.selectFrom('watch_requests').selectAll().execute()).toEqual([])
  })
})

it('reports, purges and pages with changed statuses in other orders never deadlock, and lose no event', async () => {
  const { database } = opened
  const ids = Array.from({ length: 20 }, (_, index) => `${index}`)
  const page = (number: number, status: RequestStatus, order: string[]) =>
    storeFound(database, {
      requests: order.map((id) => foundRequest(id, { status, votes: number })),
      now: day(number),
      jobId: null,
    })
  await run(1, Object.fromEntries(ids.map((id) => [id, 1])))
  await report(1)
  for (let round = 2; round < 6; round++) {
    await run(round, Object.fromEntries([...ids, `new ${round}`].map((id) => [id, round])))
    await Promise.all([
      page(round, 'planned', ids.toReversed()),
      report(round),
      page(round, 'planned', ids),
      purgeRequests(database, { author: 'ada', suppress: false, dryRun: false, now: day(round) }),
      report(round),
    ])
  }
  expect(await database.selectFrom('watch_runs').select('id').where('reported_at', 'is', null).execute()).toEqual([])
  const { rows } = await sql`
    select from watch_requests as known where not exists (select from requests where requests.id = known.request_id)`.execute(
    database,
  )
  expect(rows, 'what is known of purged requests').toEqual([])
})

describe('unread news', () => {
  const news = async (input: { since?: Date; watchId?: string } = {}) =>
    (
      await readNews(opened.database, {
        accountId: watch.accountId,
        view: { account: null, least: 2 },
        publicUrl,
        limit: 10,
        ...input,
      })
    ).results

  it('are those since the mark, each wish once', async () => {
    await run(1, { a: 5, b: 2 })
    await report(1)
    await run(2, { a: 7, b: 2, c: 1 })
    await report(2)
    const [first] = await news()
    expect(first).toMatchObject({ reports: 2, hasFirst: true, until: day(2), totals: { newWishes: 3, grown: 0 } })
    expect(first!.newWishes.map(({ title, votesGained }) => [title, votesGained])).toContainEqual(['Request a', 2])
    expect(await markRead(opened.database, { accountId: watch.accountId, until: day(1) })).toEqual([watch.watchId])
    const [second] = await news()
    expect(second).toMatchObject({ reports: 1, readUntil: day(1), totals: { newWishes: 1, grown: 1 } })
    expect((await news({ since: day(1) }))[0]!.reports).toBe(2)
    await markRead(opened.database, { accountId: watch.accountId })
    expect((await news())[0]).toMatchObject({ reports: 0, until: null, newWishes: [], grown: [] })
    // A mark never goes back, and never lies beyond what is ready.
    await markRead(opened.database, { accountId: watch.accountId, until: day(1) })
    await markRead(opened.database, { accountId: watch.accountId, until: day(20) })
    await run(3, { d: 1 })
    await report(3)
    expect((await news())[0]).toMatchObject({ reports: 1, totals: { newWishes: 1 } })
  })

  it('become ready at later and later moments, also where the clock stands still', async () => {
    for (const id of ['a', 'b', 'c']) {
      await run(1, { [id]: 1 })
      await report(1)
      const [unread] = await news()
      expect(unread).toMatchObject({ reports: 1, totals: { newWishes: 1 } })
      await markRead(opened.database, { accountId: watch.accountId, until: unread!.until! })
      expect((await news())[0]!.reports).toBe(0)
    }
  })

  it('of old reports are deleted, but for the last one of a watch, and are no news again', async () => {
    await run(1, { a: 1 })
    await report(1)
    await run(2, { a: 2 })
    await report(2)
    await deleteOldReports(opened.database, new Date(day(1).getTime() + 200 * dayMs))
    expect((await news())[0]).toMatchObject({ reports: 1, hasFirst: false })
    await run(3, { a: 2 })
    expect(titles(await report(3))).toEqual(nothing)
  })
})

describe('a status that changed', () => {
  const other = { accountId: '', watchId: '' }
  const changed = () => eventsOf('wish.status_changed')
  const store = (votes: Votes, number = 2) =>
    storeFound(opened.database, { requests: found(votes), now: day(number), jobId: null })
  const mark = async (accountId: string, wishId: string) =>
    sql`insert into wish_marks (account_id, wish_id, starred, made_by, updated_at)
      values (${accountId}, ${wishId}, true, 'admin', now())`.execute(opened.database)
  const newAccount = async (options: TestWatchOptions = {}) =>
    Object.assign(other, await makeWatch(opened.database, options))

  it('is an event where a watch has the request or somebody marked its wish, and else is none', async () => {
    await run(1, { watched: 5 })
    await report(1)
    await store({ alone: 1, marked: 1 }, 1)
    const { accountId } = await newAccount()
    await mark(accountId, await idOf('marked'))
    await store({ watched: [5, 'planned'], alone: [1, 'completed'], marked: [1, 'declined'] })
    expect((await changed()).map(({ subject, account_id, watch_id }) => ({ subject, account_id, watch_id }))).toEqual(
      expect.arrayContaining([
        {
          account_id: null,
          watch_id: null,
          subject: { requestId: await idOf('watched'), status: 'planned', previousStatus: 'open' },
        },
        {
          account_id: null,
          watch_id: null,
          subject: { requestId: await idOf('marked'), status: 'declined', previousStatus: 'open' },
        },
      ]),
    )
    expect(await changed()).toHaveLength(2)
    await store({ watched: [9, 'planned'], marked: [8, 'declined'] })
    expect(await changed()).toHaveLength(2)
    expect(await readWatchersOf(opened.database, await idOf('watched'))).toEqual([watch])
    expect(await readConcernedAccounts(opened.database, await idOf('watched'))).toEqual([watch.accountId])
    expect(await readConcernedAccounts(opened.database, await idOf('marked'))).toEqual([accountId])
    expect(await readConcernedAccounts(opened.database, await idOf('alone'))).toEqual([])
  })

  it('is none when the first status is read', async () => {
    await storeFound(opened.database, { requests: [foundRequest('a', { status: null })], now: day(1), jobId: null })
    await mark((await newAccount()).accountId, await idOf('a'))
    await store({ a: [1, 'open'] })
    expect(await changed()).toEqual([])
  })

  it('concerns those who marked the wish that the request is in as they see it', async () => {
    await store({ a: 1, b: 1 }, 1)
    const wishId = await makeWish(opened.database, [await idOf('a'), await idOf('b')])
    const { accountId } = await newAccount()
    await mark(accountId, wishId)
    await store({ a: [1, 'planned'] })
    expect(await changed()).toHaveLength(1)
    expect(await readConcernedAccounts(opened.database, await idOf('a'))).toEqual([accountId])
    const hidden = { accountId, requestId: await idOf('a'), isRequest: false, madeBy: 'admin', now: day(2) }
    await opened.database.transaction().execute((transaction) => correctRequest(transaction, hidden))
    expect(await readConcernedAccounts(opened.database, await idOf('a'))).toEqual([])
  })
})
