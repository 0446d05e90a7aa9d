import { type RawBuilder, sql } from 'kysely'
import type { PlatformName, RequestStatus } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import { importPlatform } from '../../platforms/registry.ts'
import { requestColumns, sharedView, standingIn, type View } from '../../requests/view.ts'
import { allMembers, wishIdIn } from '../../requests/wish-numbers/membership.ts'
import { wishNumbers } from '../../requests/wish-numbers/numbers.ts'
import type { Verified, VerifyOptions, WrongNumber } from '../../requests/wrong-number.ts'

/** Members per statement, unless a single wish has more. */
const maxMembers = 5_000
const maxWishes = 200
const maxRequests = 1_000
const firstId = '00000000-0000-0000-0000-000000000000'

interface Member {
  id: string
  platform: PlatformName
  votes: number
  status: RequestStatus | null
  confidence: number
  /** Unix seconds, like all moments here. */
  posted: number
}

interface Numbers {
  requests: number
  votes: number
  asks: number
  askedVotes: number
  platforms: string
  status: string | null
  first: number
  last: number
  top: string
}

const statusOrder = ['in_progress', 'planned', 'open', 'completed', 'declined', 'closed', 'duplicate'] as const

const before = (a: Member, b: Member): number =>
  b.votes - a.votes || b.confidence - a.confidence || a.posted - b.posted || (a.id < b.id ? -1 : 1)

const votesOf = (members: readonly Member[]): number => members.reduce((sum, { votes }) => sum + votes, 0)

/** A wish's numbers from its likely members, independent of the SQL that maintains them. */
function numbersOf(members: readonly Member[]): Numbers | null {
  if (members.length === 0) return null
  const [asks, others] = [
    members.filter(({ platform }) => platform === importPlatform),
    members.filter(({ platform }) => platform !== importPlatform),
  ]
  const telling = others.length > 0 ? others : asks
  const posted = telling.map((member) => member.posted)
  return {
    requests: others.length,
    votes: votesOf(others),
    asks: asks.length,
    askedVotes: votesOf(asks),
    platforms: [...new Set(members.map(({ platform }) => platform))].sort().join(' '),
    status: statusOrder.find((status) => telling.some((member) => member.status === status)) ?? null,
    first: posted.reduce((a, b) => Math.min(a, b)),
    last: posted.reduce((a, b) => Math.max(a, b)),
    top: telling.toSorted(before)[0]!.id,
  }
}

interface Read {
  served: (Numbers & { id: string })[] | null
  members: (Member & { wish: string })[] | null
}

/** What callers see of wishes in a view, and their members in `requests`, from one snapshot. */
async function readWishes(database: Database, ids: readonly string[], view: View): Promise<Read> {
  const array = sql`${[...ids]}::uuid[]`
  const { rows } = await sql<Read>`
    with served as (${wishNumbers(array, view)}),
    members as (
      select wish.id as wish, requests.id, platform, votes, status, confidence,
        extract(epoch from posted_at)::float8 as posted
      from unnest(${array}) as wish (id)
        cross join lateral (${allMembers(view.account, sql.ref('wish.id'))}) as member
        join requests on requests.id = member.request_id
      where ${standingIn(view, requestColumns)} = 2
    )
    select (
      select json_agg(json_build_object('id', id, 'requests', requests, 'votes', votes, 'status', status,
        'asks', own_requests, 'askedVotes', own_votes,
        'platforms', array_to_string(platforms, ' '), 'first', extract(epoch from first_asked_at)::float8,
        'last', extract(epoch from last_asked_at)::float8, 'top', top_request_id)) from served
    ) as served, (select json_agg(members) from members) as members`.execute(database)
  return rows[0]!
}

const names: (keyof Numbers)[] = [
  'requests',
  'votes',
  'asks',
  'askedVotes',
  'platforms',
  'status',
  'first',
  'last',
  'top',
]
const shown = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

async function compare(database: Database, ids: readonly string[], view: View): Promise<WrongNumber[]> {
  if (ids.length === 0) return []
  const { served, members } = await readWishes(database, ids, view)
  const servedById = new Map((served ?? []).map((one) => [one.id, one]))
  const membersById = Map.groupBy(members ?? [], ({ wish }) => wish)
  const seenBy = view.account === null ? '' : ` of account ${view.account}`
  return ids.flatMap((id) => {
    const [stored, expected] = [servedById.get(id), numbersOf(membersById.get(id) ?? [])]
    return names
      .filter((name) => shown(stored?.[name]) !== shown(expected?.[name]))
      .map((name) => ({
        subject: `wish ${id}${seenBy}`,
        check: name,
        stored: shown(stored?.[name]),
        expected: shown(expected?.[name]),
      }))
  })
}

interface Counted {
  id: string
  size: number
}

function bySize(wishes: readonly Counted[]): string[][] {
  const pages: string[][] = []
  let size = 0
  for (const wish of wishes) {
    if (pages.length === 0 || size + wish.size > maxMembers) {
      pages.push([])
      size = 0
    }
    pages.at(-1)!.push(wish.id)
    size += wish.size
  }
  return pages
}

/** Iterates over ids in order. @param read gives the next ones after an id */
async function* batches<Row extends { id: string }>(
  read: (after: string) => Promise<Row[]>,
  { signal }: VerifyOptions,
) {
  for (let after = firstId; ; ) {
    signal?.throwIfAborted()
    const rows = await read(after)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.id
  }
}

async function readSharedWishes(database: Database, after: string): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    select id, requests + own_requests as size from wishes where id > ${after} order by id limit ${sql.lit(maxWishes)}`.execute(
    database,
  )
  return rows
}

/** The wishes that an account may see differently, by its own data and its stored numbers. */
async function readAccountWishes(database: Database, account: string, after: string): Promise<Counted[]> {
  const seen = (table: RawBuilder<unknown>) => sql`
    select unnest(array[${wishIdIn(sharedView, sql.ref('own.request_id'))},
      ${wishIdIn({ account, least: 2 }, sql.ref('own.request_id'))}]) as id from ${table} as own where own.account_id = ${account}`
  const { rows } = await sql<Counted>`
    select touched.id, coalesce(wishes.requests + wishes.own_requests, 1) as size from (
      select wish_id as id from account_wishes where account_id = ${account}
      union ${seen(sql`account_requests`)}
      union ${seen(sql`account_wish_members`)}
      union select wish_id from account_wish_members where account_id = ${account}
      union select unnest(array[wish_id, into_wish_id]) from account_wish_merges where account_id = ${account}
    ) as touched left join wishes on wishes.id = touched.id
    where touched.id > ${after} order by touched.id limit ${sql.lit(maxWishes)}`.execute(database)
  return rows
}

/** The copies (`request_facets`, `searchable_requests`) behind numbers, lists and filters. */
async function readCopies(database: Database, after: string): Promise<{ id: string; wrong: string | null }[]> {
  const columns = sql`platform, status, standing, votes, posted_at, tags`
  const values = (alias: string) =>
    sql`(${sql.join(
      ['platform', 'status', 'standing', 'votes', 'posted_at', 'tags'].map((name) => sql.ref(`${alias}.${name}`)),
    )})`
  const { rows } = await sql<{ id: string; wrong: string | null }>`
    with page as (
      select id, ${columns}, confidence from requests where id > ${after} order by id limit ${sql.lit(maxRequests)}
    )
    select page.id, case
      when facet.request_id is null or ${values('facet')} is distinct from ${values('page')}
        or facet.confidence is distinct from page.confidence then 'copy in request_facets'
      when copy.request_id is not null and ${values('copy')} is distinct from ${values('page')}
        then 'copy in searchable_requests'
    end as wrong
    from page left join request_facets as facet on facet.request_id = page.id
      left join searchable_requests as copy on copy.request_id = page.id
    order by page.id`.execute(database)
  return rows
}

/**
 * Checks the copies of requests, then re-derives the numbers of every wish, shared and per account, and compares them
 * with what callers get. Each statement reads some thousand members in one snapshot, so concurrent writes are no
 * differences.
 */
export async function verifyWishes(database: Database, options: VerifyOptions): Promise<Verified> {
  const wrong: WrongNumber[] = []
  const isFull = () => wrong.length >= options.limit
  const check = async (wishes: readonly Counted[], view: View) => {
    for (const ids of bySize(wishes)) if (!isFull()) wrong.push(...(await compare(database, ids, view)))
  }
  for await (const rows of batches((after) => readCopies(database, after), options)) {
    for (const { id, wrong: what } of rows) {
      if (what !== null)
        wrong.push({ subject: `request ${id}`, check: what, stored: 'another value', expected: 'that of the request' })
    }
    if (isFull()) break
  }
  for await (const wishes of batches((after) => readSharedWishes(database, after), options)) {
    await check(wishes, sharedView)
    if (isFull()) break
  }
  const accountIds = database.selectFrom('accounts').select('id').orderBy('id').limit(maxWishes)
  for await (const accounts of batches((after) => accountIds.where('id', '>', after).execute(), options)) {
    for (const { id: account } of isFull() ? [] : accounts) {
      const view: View = { account, least: 2 }
      for await (const wishes of batches((after) => readAccountWishes(database, account, after), options))
        await check(wishes, view)
    }
  }
  return { wrong: wrong.slice(0, options.limit), unchecked: 0 }
}
