import { sql } from 'kysely'
import type { Standing } from '../../../database/column-types.ts'
import type { Executor } from '../../../database/open.ts'
import { all, requestConditions } from '../../filters/conditions.ts'
import { filterView } from '../../filters/filters.ts'
import { requestColumns, standingIn } from '../../views/view.ts'
import type { ExactOrder, SearchQuery } from '../engine.ts'
import { phrasesHold } from '../matched-set.ts'

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
