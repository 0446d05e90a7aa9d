import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { everyWish } from '../../../test/stored-wish.ts'
import { takeLock } from '../../database/advisory-locks.ts'
import { type PlatformName, requestStatuses } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import type { WishFilters, WishOrder } from '../../wishes/list/filters.ts'
import { listWishes } from '../../wishes/list/list.ts'
import type { WishSummary } from '../../wishes/list/summary.ts'
import { reclassifySlice, setStrictness } from '../accuracy/reclassifying.ts'
import { purgeRequests } from '../purge/purge.ts'
import { deleteAlone, deleteExpiredRequests } from '../store/delete.ts'
import { preparePage } from '../store/prepared-page.ts'
import { lockRequests } from '../store/request-locks.ts'
import { correctionHash, recomputeStandings } from '../store/standings.ts'
import { storePageAlone } from '../store/store.ts'
import type { View } from '../view.ts'
import { strictnesses } from '../views/strictness.ts'
import { type WishOfRequest, wishColumn } from './membership.ts'
import { readWishIds, readWishNumbers, type WishNumbers } from './numbers.ts'
import { recount } from './recount.ts'
import { type PlainView, plainVoices, plainWishes } from './testing.ts'

// Holds (Data): each wish's numbers are those of its likely members in every view, after any concurrent changes, and add up
// Holds (Data): lists of wishes are exact in every order, with filters
// Holds (Data): imports are never in a wish's public numbers but counted beside them

// Takes seconds: a run makes dozens of changes, and compares all wishes after each.

// Requests are stored, stored again, corrected, purged and expire, and wishes are joined, merged and split, by all and by accounts, in
// any order and at the same time: the numbers of every wish stay those of its members, in each view.
// TEST_SEED repeats a run, WISHES_RUNS=1000 makes it a long one.

const runs = campaignSize('WISHES_RUNS', { quick: 10, nightly: 400 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const start = Date.UTC(2026, 5, 1)
const dayMs = 86_400_000

let opened: TestDatabase
let jobId: string
/** The first has no corrections of its own. */
let accounts: string[]
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

const platform = fc.constantFrom<PlatformName>('github', 'hackernews', 'import')
const found = fc.record({
  sourceId: fc.nat(5).map(String),
  votes: fc.constantFrom(-3, 0, 1, 7, 2_147_483_647),
  posted: fc.option(fc.nat(3)),
  status: fc.option(fc.constantFrom(...requestStatuses)),
  author: fc.constantFrom('ada', 'bob'),
  tags: fc.subarray(['ui', 'bug']),
  confidence: fc.constantFrom(0, 0.45, 1, 1, 1),
})
/** One of the stored requests or of the known wishes, by its position among them. */
const chosen = fc.nat(30)
const reader = fc.constantFrom(1, 1, 2)
/** A confidence of 0.45 is likely as usual, and maybe for strict accounts. */
const strictness = fc.constantFrom(...strictnesses)

const filters: fc.Arbitrary<WishFilters> = fc.record(
  {
    topic: fc.constantFrom('Dark Mode', 'sync', 'none'),
    platforms: fc.subarray<PlatformName>(['github', 'hackernews', 'import'], { minLength: 1 }),
    tags: fc.subarray(['ui', 'bug'], { minLength: 1 }),
    minVotes: fc.constantFrom(0, 1, 7, 8),
    since: fc.nat(70).map((days) => new Date(start - days * dayMs)),
    until: fc.nat(70).map((days) => new Date(start - days * dayMs)),
    status: fc.subarray([...requestStatuses], { minLength: 1 }),
  },
  { requiredKeys: [] },
)

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('store' as const),
      platform,
      day: fc.nat(3),
      source: fc.constantFrom(null, null, 'one'),
      topic: fc.constantFrom('dark mode', 'sync'),
      requests: fc.array(found, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('correct' as const),
      platform,
      sourceId: fc.nat(5).map(String),
      isRequest: fc.boolean(),
      by: fc.constantFrom(null, 1, 2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('turn' as const), by: reader, strictness }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('join' as const), request: chosen, wish: chosen }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('merge' as const), wish: chosen, into: chosen }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('split' as const), request: chosen }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), request: chosen }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete the wish' as const), wish: chosen }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('own join' as const), by: reader, request: chosen, wish: chosen }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('own leave' as const), by: reader, placing: chosen }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('own merge' as const),
      by: reader,
      again: fc.boolean(),
      wish: chosen,
      into: chosen,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('own unmerge' as const), by: reader, merge: chosen }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('purge author' as const), author: fc.constantFrom('@ada', '@bob') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const), day: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), sourceId: fc.nat(5).map(String) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type StepOf<Name extends Step['do']> = Extract<Step, { do: Name }>

async function store(made: StepOf<'store'>): Promise<unknown> {
  const now = new Date(start + made.day * dayMs)
  const requests = made.requests.map(({ sourceId, posted, author, status, ...rest }) =>
    foundRequest(sourceId, {
      ...rest,
      status,
      title: 'Request palette',
      ownSource: made.source,
      authorHandle: author,
      authorProfileUrl: `https://example.org/${author}`,
      originalCreatedAt: posted === null ? null : new Date(start - posted * 20 * dayMs),
    }),
  )
  // What is imported is about no topic.
  const found = made.platform === 'import' ? { requests: [], incomplete: requests } : { requests }
  const prepared = await preparePage(made.platform, found, null)
  const page = { platform: made.platform, topic: made.topic, jobId, markSeenBefore: null, now }
  return storePageAlone(opened.database, { ...page, ...prepared })
}

const correct = ({ platform, sourceId, isRequest, by }: StepOf<'correct'>) =>
  opened.database.transaction().execute(async (transaction) => {
    const ofRequest = sql`platform = ${platform} and source_id = ${sourceId}`
    const stored = await sql`select from requests where ${ofRequest}`.execute(transaction)
    // The routes correct stored requests only. Where there is none, no page may store it meanwhile.
    if (stored.rows.length === 0) await takeLock(transaction, 'suppressions')
    const { rows } = await sql<{ id: string }>`
      select id from requests where ${ofRequest} for no key update`.execute(transaction)
    if (rows.length < stored.rows.length) return
    await sql`
      insert into request_corrections (account_id, platform, source_hash, is_request, made_by, created_at)
      values (${by === null ? null : accounts[by]}, ${platform}, ${correctionHash(platform, sourceId)}, ${isRequest}, 'admin', now())
      on conflict (source_hash, account_id) do update set is_request = excluded.is_request`.execute(transaction)
    await sql`
      update accounts set corrections = (select count(*) from request_corrections where account_id = accounts.id)
      where id = ${by === null ? null : accounts[by]}`.execute(transaction)
    const ids = rows.map(({ id }) => id)
    await recomputeStandings(transaction, ids)
    await recount(transaction, { requests: ids })
  })

/** Ids of the stored requests, and of wishes that have members or had them. */
async function readIds(transaction: Transaction): Promise<{ requests: string[]; wishes: string[] }> {
  const { rows } = await sql<{ requests: string[]; wishes: string[] }>`
    select array(select id from requests order by platform, source_id) as requests,
      array(select id from wishes union select id from requests order by 1) as wishes`.execute(transaction)
  return rows[0]!
}

async function joinWish(transaction: Transaction, request: string, wish: string): Promise<void> {
  await sql`insert into wishes (id) values (${wish}) on conflict do nothing`.execute(transaction)
  await sql`
    insert into wish_members (request_id, wish_id, similarity)
    select id, ${wish}, 0.5 from requests where id in (${request}, ${wish})
    on conflict (request_id) do update set wish_id = excluded.wish_id where wish_members.request_id = ${request}
    `.execute(transaction)
}

/** An account's merge of wishes, which is never a chain. */
const mergeOwn = async (transaction: Transaction, account: string, wish: string, into: string): Promise<unknown> =>
  sql`insert into account_wish_merges (account_id, wish_id, into_wish_id, correction_id)
    select ${account}, ${wish}, ${into}, gen_random_uuid()
    where ${wish} <> ${into} and not exists (select from account_wish_merges
      where account_id = ${account}::uuid and (wish_id = ${into}::uuid or into_wish_id = ${wish}::uuid))
    on conflict (account_id, wish_id) do update set into_wish_id = excluded.into_wish_id`.execute(transaction)

/** A wish that the account has merged already; merging it again moves it. */
async function lastMerge(transaction: Transaction, account: string): Promise<string | undefined> {
  const { rows } = await sql<{ wish_id: string }>`
    select wish_id from account_wish_merges where account_id = ${account} order by wish_id desc limit 1`.execute(
    transaction,
  )
  return rows[0]?.wish_id
}

async function change(transaction: Transaction, made: Step): Promise<unknown> {
  const before = await readIds(transaction)
  await lockRequests(transaction, before.requests)
  const now = await readIds(transaction)
  const requests = now.requests.filter((id) => before.requests.includes(id))
  const wishes = now.wishes.filter((id) => !now.requests.includes(id) || requests.includes(id))
  if (requests.length === 0) return
  const request = 'request' in made ? requests[made.request % requests.length]! : ''
  const wish = 'wish' in made ? wishes[made.wish % wishes.length]! : ''
  const into = 'into' in made ? wishes[made.into % wishes.length]! : ''
  const account = 'by' in made && made.by !== null ? accounts[made.by]! : ''
  const run = (statement: ReturnType<typeof sql>) => statement.execute(transaction)
  switch (made.do) {
    case 'join':
      return joinWish(transaction, request, wish)
    case 'split':
      return joinWish(transaction, request, crypto.randomUUID())
    case 'leave':
      return run(sql`delete from wish_members where request_id = ${request}`)
    case 'merge':
      await run(sql`insert into wishes (id) values (${into}) on conflict do nothing`)
      return run(sql`update wish_members set wish_id = ${into} where wish_id = ${wish}`)
    case 'delete the wish':
      return run(sql`delete from wishes where id = ${wish}`)
    case 'own join':
      return run(sql`
        insert into account_wish_members (account_id, request_id, wish_id, correction_id)
        values (${account}, ${request}, ${wish}, gen_random_uuid())
        on conflict (account_id, request_id) do update set wish_id = excluded.wish_id`)
    case 'own leave':
      return run(sql`delete from account_wish_members where account_id = ${account} and request_id = (
        select request_id from account_wish_members where account_id = ${account} order by request_id
        offset ${made.placing} % (select greatest(count(*), 1) from account_wish_members where account_id = ${account}) limit 1)`)
    case 'own merge':
      return mergeOwn(transaction, account, (made.again && (await lastMerge(transaction, account))) || wish, into)
    case 'own unmerge':
      return run(sql`delete from account_wish_merges where account_id = ${account} and wish_id = (
        select wish_id from account_wish_merges where account_id = ${account} order by wish_id
        offset ${made.merge} % (select greatest(count(*), 1) from account_wish_merges where account_id = ${account}) limit 1)`)
  }
}

async function run(made: Step): Promise<unknown> {
  const { database } = opened
  const now = new Date(start + 10 * dayMs)
  if (made.do === 'store') return store(made)
  if (made.do === 'correct') return correct(made)
  if (made.do === 'turn') {
    await setStrictness(database, accounts[made.by]!, made.strictness)
    while (await reclassifySlice(database));
    return
  }
  if (made.do === 'purge author') return purgeRequests(database, { ...made, suppress: false, dryRun: false, now })
  if (made.do === 'expire') {
    return deleteExpiredRequests(database, new Map([['github', 3]]), new Date(start + made.day * dayMs))
  }
  if (made.do === 'delete') {
    const chosen = sql<{ id: string }>`
      select id from requests where source_id = ${made.sourceId} order by platform, source_id for update`
    return deleteAlone(database, chosen)
  }
  return database.transaction().execute(async (transaction) => {
    // As all that change memberships do: one at a time, and no page changes the requests meanwhile.
    await takeLock(transaction, 'memberships')
    const before = await everyWish(transaction)
    await change(transaction, made)
    await recount(transaction, before, await everyWish(transaction))
  })
}

/** Most runs begin with some requests. */
const first = fc.record({
  do: fc.constant('store' as const),
  platform,
  day: fc.constant(1),
  source: fc.constant(null),
  topic: fc.constant('dark mode'),
  requests: fc.array(found, { minLength: 4, maxLength: 6 }),
})
const steps = fc
  .tuple(fc.option(first, { freq: 9 }), fc.array(step, { minLength: 1, maxLength: 24 }))
  .map(([begin, rest]): Step[] => (begin === null ? rest : [begin, ...rest]))

async function runAll(steps: readonly Step[], atOnce: boolean): Promise<void> {
  const [begin, ...rest] = steps
  if (begin !== undefined) await run(begin)
  if (atOnce) await Promise.all(rest.map(run))
  for (const made of atOnce ? [] : rest) await run(made)
}

async function makeAccounts(): Promise<void> {
  const { database } = opened
  const { rows } = await sql<{ id: string }>`
    insert into accounts (name, tier, created_at) select 'test', 'max', now() from generate_series(1, 3) returning id`.execute(
    database,
  )
  accounts = rows.map(({ id }) => id)
  await sql`insert into account_sources select account_id, platform, 'one', now()
    from unnest(array['github', 'hackernews', 'import']) as platform, unnest(${accounts.slice(1)}::uuid[]) as account_id`.execute(
    database,
  )
  const job = { account_id: accounts[1]!, topic: 'dark mode', depth: 1, created_at: new Date(start) }
  jobId = (await database.insertInto('scrape_jobs').values(job).returning('id').executeTakeFirstOrThrow()).id
}

/** Ids of all requests and wishes that exist or that anything refers to. */
async function allIds(): Promise<{ requests: string[]; wishes: string[] }> {
  const { rows } = await sql<{ requests: string[]; wishes: string[] }>`
    select array(select id from requests) as requests, array(
      select id from requests union select id from wishes union select wish_id from account_wishes
      union select wish_id from account_wish_members union select into_wish_id from account_wish_merges) as wishes`.execute(
    opened.database,
  )
  return rows[0]!
}

async function checkView(view: View): Promise<void> {
  const { database } = opened
  const { requests, wishes } = await allIds()
  const right = await plainWishes(database, view.account)
  const numbers = await readWishNumbers(database, wishes, view)
  expect(Object.fromEntries(numbers)).toEqual(Object.fromEntries(right.wishes))
  expect(Object.fromEntries(await readWishIds(database, requests, view))).toEqual(Object.fromEntries(right.wishIds))
  const { rows } = await sql<{ wish: WishOfRequest | null }>`select ${wishColumn(view)} as wish from requests`.execute(
    database,
  )
  for (const { wish } of rows) if (wish) expect(right.wishes.get(wish.wishId)).toMatchObject(wish)
  const counted = [...numbers.values()].reduce((sum, { requestCount, own }) => sum + requestCount + (own?.asks ?? 0), 0)
  expect(counted).toBe(right.wishIds.size)
}

const keyOf = (sortBy: WishOrder, wish: WishNumbers): number =>
  sortBy === 'votes' ? wish.votes : sortBy === 'requests' ? wish.requestCount : wish.firstAskedAt.getTime()

/** The ids of the wishes that pass the filters, in an order, by a plain scan. */
function plainList(right: PlainView, sortBy: WishOrder, given: WishFilters): string[] {
  const { topic, platforms, tags, minVotes = -Infinity, since, until, status } = given
  const passes = (wish: WishNumbers) =>
    (platforms?.some((name) => wish.platforms.includes(name)) ?? true) &&
    wish.votes >= minVotes &&
    (since === undefined || wish.lastAskedAt >= since) &&
    (until === undefined || wish.firstAskedAt < until) &&
    (status === undefined || (wish.status !== null && status.includes(wish.status))) &&
    right.members
      .get(wish.wishId)!
      .some(
        (member) =>
          (topic === undefined || member.topics.includes(topic.toLowerCase())) &&
          (tags ?? []).every((tag) => member.tags.includes(tag)),
      )
  return [...right.wishes.values()]
    .filter(passes)
    .sort((a, b) => keyOf(sortBy, b) - keyOf(sortBy, a) || (a.wishId < b.wishId ? 1 : -1))
    .map(({ wishId }) => wishId)
}

async function checkLists(view: View, given: WishFilters): Promise<void> {
  const right = await plainWishes(opened.database, view.account)
  for (const sortBy of ['votes', 'requests', 'new'] as const) {
    const listed: WishSummary[] = []
    let cursor: string | undefined
    do {
      const page = await listWishes(opened.database, {
        ...given,
        sortBy,
        view,
        now: new Date(start),
        limit: 2,
        cursor,
      })
      listed.push(...page.results)
      cursor = page.cursor ?? undefined
    } while (cursor !== undefined)
    expect(
      listed.map(({ wishId }) => wishId),
      `list by ${sortBy}`,
    ).toEqual(plainList(right, sortBy, given))
    for (const { wishId, requestCount, votes, own, voices, authors, crossPosts, topRequest } of listed) {
      const { own: ownVoices, ...plain } = plainVoices(right.members.get(wishId)!)
      const expected = right.wishes.get(wishId)!
      expect({ requestCount, votes, own, voices, authors, crossPosts, topRequestId: topRequest._id }).toEqual({
        ...plain,
        requestCount: expected.requestCount,
        votes: expected.votes,
        own: expected.own && { ...expected.own, voices: ownVoices },
        topRequestId: expected.topRequestId,
      })
    }
  }
}

async function checkCores(): Promise<void> {
  const { rows } = await sql`
    select wish_id from wish_members join requests on id = request_id where standing = 2
    group by wish_id having not bool_or(is_core)`.execute(opened.database)
  expect(rows, 'wishes with likely members, none of them a core').toEqual([])
}

/** An account without differences has no numbers of its own, so it reads those of all. */
async function checkDerived(): Promise<void> {
  const { rows } = await sql`select from account_wishes where account_id = ${accounts[0]}`.execute(opened.database)
  expect(rows).toHaveLength(0)
}

/** In the list of an account one wish is in three indexes at the same place, and a page ends between them: for some orders of the ids. */
const one = {
  sourceId: '0',
  votes: -3 as const,
  posted: 0,
  status: null,
  author: 'ada' as const,
  tags: [],
  confidence: 1 as const,
}
const endsBetweenIndexes: Step[] = [
  {
    do: 'store',
    platform: 'github',
    day: 1,
    source: null,
    topic: 'dark mode',
    requests: [{ ...one, sourceId: '1', votes: 7 }, one],
  },
  {
    do: 'store',
    platform: 'github',
    day: 0,
    source: null,
    topic: 'dark mode',
    requests: [
      { ...one, sourceId: '2' },
      { ...one, sourceId: '3' },
    ],
  },
  { do: 'own merge', by: 1, again: false, wish: 5, into: 0 },
  { do: 'join', request: 0, wish: 23 },
  { do: 'own join', by: 1, request: 5, wish: 15 },
  { do: 'join', request: 9, wish: 26 },
  { do: 'join', request: 2, wish: 0 },
]

it('the numbers of every wish are those of its members, in each view, after any changes', {
  timeout: 600_000,
}, async () => {
  console.log(`numbers of wishes: seed ${seed}, ${runs} runs`)
  await fc.assert(
    fc.asyncProperty(steps, filters, fc.boolean(), async (made, given, atOnce) => {
      await opened.reset()
      await makeAccounts()
      await runAll(made, atOnce)
      for (const account of [null, ...accounts]) {
        await checkView({ account, least: 2 })
        await checkLists({ account, least: 2 }, {})
        await checkLists({ account, least: 2 }, given)
      }
      await checkCores()
      await checkDerived()
    }),
    {
      numRuns: runs,
      seed,
      examples: Array.from({ length: 5 }, (): [Step[], WishFilters, boolean] => [endsBetweenIndexes, {}, false]),
    },
  )
})
