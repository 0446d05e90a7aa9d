import { sql } from 'kysely'
import type { Standing } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { all, requestConditions } from '../requests/filters/conditions.ts'
import { filterView } from '../requests/filters/filters.ts'
import { requestColumns, standingIn } from '../requests/views/view.ts'
import type { ExactOrder, OrderedInput, SearchQuery } from './engine.ts'
import { phrasesHold } from './matched-set.ts'

// What an index outside of the database found is checked in the database, which alone says what exists and is shown.

/** What a page may lose to the check: the index is a moment behind. */
const spareHits = 20

/**
 * Of hits of the index, which is a moment behind, those that still exist, pass the filters and have the phrases, in their present order and
 * with their present class in the view.
 */
export async function verify(
  executor: Executor,
  query: SearchQuery,
  order: ExactOrder,
  ids: readonly string[],
): Promise<{ id: string; standing: Standing }[]> {
  if (ids.length === 0) return []
  const column = sql.ref(order === 'votes' ? 'votes' : 'posted_at')
  const { rows } = await sql<{ id: string; standing: Standing }>`
    select id, standing from (
      select requests.id, votes, posted_at, ${standingIn(filterView(query.filters), requestColumns)} as standing
      from unnest(${[...ids]}::uuid[]) as hit (request_id) join requests on requests.id = hit.request_id
      where ${all(requestConditions(query.filters))} and ${phrasesHold(query, sql.ref('requests.id'))} offset 0
    ) as present order by standing desc, ${column} desc, id desc`.execute(executor)
  return rows
}

/** The first ones of an index in an order, and whether it has no more; null where too many match. */
export type ReadFirst = (size: number) => Promise<{ ids: readonly string[]; isAll: boolean } | null>

/**
 * The first `limit` of those of the index that the database has and shows. It reads some more of the index than that, and far more where many
 * of the first ones were just deleted or hidden, so that no page is short.
 * @param max the index gives no more than so many.
 */
export async function readVerified(
  executor: Executor,
  query: SearchQuery,
  { order, limit }: OrderedInput,
  { readFirst, max }: { readFirst: ReadFirst; max: number },
): Promise<string[] | null> {
  const { least } = filterView(query.filters)
  for (let size = limit + spareHits; ; size = Math.min(4 * size, max)) {
    const first = await readFirst(size)
    if (first === null) return null
    const present = await verify(executor, query, order, first.ids)
    const shown = present.filter(({ standing }) => standing >= least).map(({ id }) => id)
    if (shown.length >= limit || first.isAll || size === max) return shown.slice(0, limit)
  }
}
