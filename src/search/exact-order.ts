import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { filterView } from '../requests/filters/filters.ts'
import type { CacheBounds } from './bounds.ts'
import type { ExactOrder, OrderedIds, OrderedInput, SearchQuery } from './engine.ts'
import { matchesOf, offeredOf } from './matched-set.ts'
import { totalOf } from './totals.ts'

const columns: Record<ExactOrder, RawBuilder<unknown>> = { votes: sql`votes`, new: sql`posted_at` }

/** At most so many requests of the class maybe are handed out. */
const maxMaybe = 1_000

interface OrderedRow {
  found: number
  total: number
  ids: string[]
  maybe_ids: string[]
}

/**
 * Implements `SearchEngine.ordered` inside the database: reads all matches and sorts them. A large cache reads a bounded number: null where more
 * match.
 */
export async function readOrdered(
  executor: Executor,
  query: SearchQuery,
  { part, order, limit }: OrderedInput,
  { isSmall, sorted, counted }: CacheBounds,
): Promise<OrderedIds | null> {
  const least = sql.lit(filterView(query.filters).least)
  const inOrder = sql`standing desc, ${columns[order]} desc, id desc`
  const max = isSmall ? sql`null` : sql.lit(sorted + 1)
  const read = isSmall
    ? sql`select * from matches`
    : sql`select * from matches where (select count(*) from matches) <= ${sql.lit(sorted)}`
  const { rows } = await sql<OrderedRow>`
    with matches as materialized (${matchesOf(query, part, { max })}),
    offered as materialized (
      select id, standing, ${columns[order]} from (${offeredOf(query, read, part)}) as passing
    ),
    page as (select * from offered where standing >= ${least} order by ${inOrder} limit ${limit})
    select (select count(*)::int from matches) as found,
      (select count(*)::int from offered where standing >= ${least}) as total,
      (select coalesce(json_agg(id order by ${inOrder}), '[]') from page) as ids,
      (select coalesce(json_agg(id), '[]') from (
        select id from offered where standing < ${least} limit ${sql.lit(maxMaybe)}
      ) as maybe) as maybe_ids`.execute(executor)
  const { found, total, ids, maybe_ids: maybeIds } = rows[0]!
  if (!isSmall && found > sorted) return null
  return { ids, maybeIds, ...(part === 'all' ? { totals: totalOf(total, counted) } : {}) }
}
