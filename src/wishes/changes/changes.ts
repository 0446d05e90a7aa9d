import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { dayOf } from '../../requests/timeline.ts'
import type { View } from '../../requests/view.ts'
import { membersIn } from '../../requests/wish-numbers/membership.ts'
import { wishNumbers } from '../../requests/wish-numbers/numbers.ts'
import { dayMs } from '../../runtime/durations.ts'
import { idsWithNews, maxSelected, placedIn } from '../list/list.ts'
import { readWishes, votesGained, type WishSummary } from '../list/summary.ts'

// Changes since a moment, independent of watches. A wish is in one list: settled ones are neither rising nor new.

export interface ChangesInput {
  view: View
  since: Date
  now: Date
  limit: number
}

interface ChangeList<Wish> {
  total: number
  results: Wish[]
}

export interface Changes {
  /** Most gained first. */
  rising: ChangeList<WishSummary & { votesGained: number }>
  /** Wishes not cached before, most voted first. */
  new: ChangeList<WishSummary>
  /** Most voted first. */
  done: ChangeList<WishSummary>
}

interface Selection {
  /** A query for the `id` of changed requests. */
  ids: RawBuilder<unknown>
  /** For a query with `placed`: the descending sort key of wishes; null omits a wish. */
  key: RawBuilder<number>
  /** On `wish`, with its numbers and key. */
  condition: RawBuilder<boolean>
}

/** Whether a member of `wish` was cached before. */
const isKnown = ({ view, since }: ChangesInput) => sql<boolean>`exists (
  select from (${membersIn(view, sql.ref('wish.id'))}) as member join requests on requests.id = member.request_id
  where requests.created_at < ${since}::timestamptz)`

/** Only the newest, if there are very many. */
const newest = (ids: RawBuilder<unknown>) => sql`${ids} desc limit ${sql.lit(maxSelected)}`

function selections(input: ChangesInput): Record<keyof Changes, Selection> {
  const since = sql`${input.since}::timestamptz`
  // Samples are per day: gains count from the end of the previous day.
  const day = dayOf(new Date(input.since.getTime() - dayMs))
  const votes = sql<number>`max(wish.votes)`
  return {
    rising: {
      ids: idsWithNews(day),
      key: sql<number>`coalesce(sum(${votesGained('placed', day)}), 0)::bigint`,
      condition: sql<boolean>`wish.key > 0 and wish.status is distinct from 'completed'`,
    },
    new: {
      ids: newest(sql`select id from requests where created_at >= ${since} order by created_at`),
      key: votes,
      condition: sql<boolean>`wish.status is distinct from 'completed' and not ${isKnown(input)}`,
    },
    done: {
      ids: newest(sql`select id from requests
        where status = 'completed' and status_changed_at >= ${since} order by status_changed_at`),
      key: votes,
      condition: sql<boolean>`wish.status = 'completed'`,
    },
  }
}

interface Found {
  total: number
  keys: Map<string, number>
}

async function findWishes(
  executor: Executor,
  { ids, key, condition }: Selection,
  { view, limit }: ChangesInput,
): Promise<Found> {
  const numbers = wishNumbers(sql`array(select distinct wish_id from placed)`, view)
  const { rows } = await sql<{ id: string | null; key: number; total: number }>`
    with selected as materialized (${ids}),
    placed as materialized (${placedIn(view)}),
    numbers as materialized (${numbers}),
    keyed as materialized (
      select wish_id, ${key} as key from placed join numbers as wish on wish.id = placed.wish_id group by wish_id
    ),
    found as materialized (
      select wish.id, wish.key from (
        select numbers.*, keyed.key from numbers join keyed on keyed.wish_id = numbers.id offset 0
      ) as wish where ${condition}
    )
    select total, page.* from (select count(*)::integer as total from found) as counted
      left join (select * from found order by key desc, id desc limit ${limit}) as page on true
    order by page.key desc, page.id desc`.execute(executor)
  const keys = rows.flatMap((row): [string, number][] => (row.id === null ? [] : [[row.id, Number(row.key)]]))
  return { total: rows[0]?.total ?? 0, keys: new Map(keys) }
}

/** The wishes that gained votes, are new or were settled, among the last 2,000 changes of each kind. */
export async function readChanges(executor: Executor, input: ChangesInput): Promise<Changes> {
  const { rising, new: added, done } = selections(input)
  const read = async (selection: Selection) => {
    const { total, keys } = await findWishes(executor, selection, input)
    return { total, keys, results: await readWishes(executor, [...keys.keys()], input) }
  }
  const grown = await read(rising)
  const listOf = ({ total, results }: Awaited<ReturnType<typeof read>>) => ({ total, results })
  return {
    rising: {
      total: grown.total,
      results: grown.results.map((wish) => ({ ...wish, votesGained: grown.keys.get(wish.wishId)! })),
    },
    new: listOf(await read(added)),
    done: listOf(await read(done)),
  }
}
