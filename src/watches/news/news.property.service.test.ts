import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { leaveWishes, makeWish } from '../../../test/stored-wish.ts'
import type { RequestStatus } from '../../database/column-types.ts'
import type { NewsKind } from '../../database/tables/watches.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { deleteExpiredRequests } from '../../requests/store/delete.ts'
import { makeReport } from './report.ts'
import { endedRun, makeWatch, storeFound, type TestWatch } from './testing.ts'

// Holds (Watches, news and channels): new requests, votes and statuses are reported once; expiry, return, merges and splits never

// Takes seconds: a run is a month of a watch.

// A month of a watch, in any order: runs, other jobs, expiry, return, purges, merges, splits and changed statuses. Each new request, each vote and each changed
// status is in exactly one report; expiry, return, merges and splits are in none. TEST_SEED repeats a run, NEWS_RUNS=100 makes it a long one.

const runs = campaignSize('NEWS_RUNS', { quick: 6, nightly: 100 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const dayMs = 86_400_000
const start = Date.UTC(2026, 5, 1)

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

const sourceId = fc.nat(7).map(String)
const found = fc.record({
  sourceId,
  votes: fc.constantFrom(0, 1, 2, 3, 5, 9),
  status: fc.constantFrom<RequestStatus[]>('open', 'open', 'completed', 'declined', 'planned'),
})
const requests = fc.uniqueArray(found, { maxLength: 8, selector: (one) => one.sourceId })
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('run' as const), requests }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('other job' as const), requests }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('purge' as const), sourceId }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('expire' as const), sourceIds: fc.uniqueArray(sourceId, { minLength: 1 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('merge' as const), sourceIds: fc.uniqueArray(sourceId, { minLength: 2 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('split' as const), sourceId }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Stored {
  id: string
  votes: number
  status: RequestStatus
}

/** What a report must say, by request and not by wish. */
interface Expected {
  added: string[]
  votesGained: number
  completed: string[]
  declined: string[]
}

const readStored = async (): Promise<Map<string, Stored>> => {
  const rows = await opened.database.selectFrom('requests').select(['source_id', 'id', 'votes', 'status']).execute()
  return new Map(rows.map(({ source_id, id, votes, status }) => [source_id, { id, votes, status: status! }]))
}

/** The plain model: what a careful reader of the watch would have in mind. */
function createReader() {
  const known = new Map<string, { id: string; votes: number | null; status: RequestStatus | null; wasThere: boolean }>()
  return {
    forget: (id: string) => known.delete(id),
    report(linked: readonly string[], stored: ReadonlyMap<string, Stored>): Expected {
      for (const source of linked) {
        const { id } = stored.get(source)!
        const before = known.get(source)
        if (before === undefined) known.set(source, { id, votes: null, status: null, wasThere: false })
        else if (before.id !== id) Object.assign(before, { id, wasThere: false })
      }
      const expected: Expected = { added: [], votesGained: 0, completed: [], declined: [] }
      for (const [source, mind] of known) {
        const now = stored.get(source)
        const isThere = now !== undefined && now.id === mind.id
        if (isThere && mind.votes === null) expected.added.push(mind.id)
        if (isThere && mind.wasThere) {
          expected.votesGained += Math.max(0, now.votes - mind.votes!)
          const isChanged = now.status !== mind.status
          if (isChanged && now.status === 'completed') expected.completed.push(mind.id)
          if (isChanged && now.status === 'declined') expected.declined.push(mind.id)
        }
        if (isThere) {
          mind.votes = mind.wasThere ? Math.max(mind.votes!, now.votes) : now.votes
          mind.status = now.status
        }
        mind.wasThere = isThere
      }
      return expected
    },
  }
}

const readItems = (reportId: string) =>
  opened.database.selectFrom('news_items').selectAll().where('report_id', '=', reportId).execute()

async function checkReport(watch: TestWatch, now: Date, expected: Expected): Promise<void> {
  const events = async () =>
    (await opened.database.selectFrom('events').select('subject').where('type', '=', 'watch.news').execute()).map(
      ({ subject }) => subject.reportId,
    )
  const before = new Set(await events())
  const reportId = (await makeReport(opened.database, {
    watchId: watch.watchId,
    canJudge: false,
    retention: new Map(),
    now,
  }))!
  const items = await readItems(reportId)
  const idsOf = (kind: NewsKind) => items.filter((item) => item.kind === kind).flatMap(({ request_ids }) => request_ids)
  const sumOf = (column: 'votes_gained' | 'requests_gained') => items.reduce((sum, item) => sum + item[column], 0)
  expect({
    added: sumOf('requests_gained'),
    votesGained: sumOf('votes_gained'),
    completed: idsOf('completed').sort(),
    declined: idsOf('declined').sort(),
  }).toEqual({
    added: expected.added.length,
    votesGained: expected.votesGained,
    completed: expected.completed.sort(),
    declined: expected.declined.sort(),
  })
  // Every added request is named, and a new wish has no other ones.
  expect([...idsOf('new'), ...idsOf('grown')]).toEqual(expect.arrayContaining(expected.added))
  expect(expected.added).toEqual(expect.arrayContaining(idsOf('new')))
  expect((await events()).filter((id) => !before.has(id))).toEqual(items.length > 0 ? [reportId] : [])
  // The same run is never reported again.
  expect(
    await makeReport(opened.database, { watchId: watch.watchId, canJudge: false, retention: new Map(), now }),
  ).toBeNull()
}

async function take(made: Step, watch: TestWatch, reader: ReturnType<typeof createReader>, now: Date): Promise<void> {
  const { database } = opened
  const stored = await readStored()
  const idsOf = (sources: readonly string[]) => sources.flatMap((source) => stored.get(source)?.id ?? [])
  if (made.do === 'run' || made.do === 'other job') {
    const page = {
      requests: made.requests.map(({ sourceId: id, ...fields }) => foundRequest(id, { ...fields, title: 'Palette' })),
      now,
    }
    if (made.do === 'other job') {
      if (page.requests.length > 0) await storeFound(database, { ...page, jobId: null })
      return
    }
    await endedRun(database, watch, page)
    const linked = made.requests.map((one) => one.sourceId)
    await checkReport(watch, now, reader.report(linked, await readStored()))
  } else if (made.do === 'purge') {
    reader.forget(made.sourceId)
    await purgeRequests(database, { platform: 'github', id: made.sourceId, suppress: false, dryRun: false, now })
    // An expired request is purged with its suppression, which is lifted here.
    if (!stored.has(made.sourceId)) {
      await purgeRequests(database, { platform: 'github', id: made.sourceId, suppress: true, dryRun: false, now })
      await sql`delete from suppressions`.execute(database)
    }
  } else if (made.do === 'expire') {
    const ids = idsOf(made.sourceIds)
    await sql`update requests set updated_at = ${new Date(start - 40 * dayMs)}, seen_at = null where id = any(${ids}::uuid[])`.execute(
      database,
    )
    await deleteExpiredRequests(database, new Map([['github', 60]]), new Date(start + 25 * dayMs))
  } else if (made.do === 'merge') {
    const ids = idsOf(made.sourceIds)
    if (ids.length > 1) await makeWish(database, ids)
  } else {
    await leaveWishes(database, idsOf([made.sourceId]))
  }
}

it(`in a month of a watch each cause is reported once, expiry and return never (TEST_SEED=${seed})`, {
  timeout: runs * 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      await opened.reset()
      const watch = await makeWatch(opened.database)
      const reader = createReader()
      for (const [day, made] of steps.entries()) await take(made, watch, reader, new Date(start + day * dayMs))
    }),
    { numRuns: runs, seed },
  )
})
