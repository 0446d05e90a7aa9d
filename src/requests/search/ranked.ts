import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { filterView } from '../filters/filters.ts'
import { requestColumns, standingIn } from '../views/view.ts'
import { classOrder, conditionOf, depths, orders, type PageInput, type SearchEngine } from './page.ts'

/** The matches of a query that the view shows and that pass its filters, without their records. */
export interface RankedMatches {
  /** In the order of the search. */
  ids: string[]
  /** For each of the ids how well it matches: the lower, the better. */
  scores: number[]
  /** Set when only so many of the best matches were considered and there may be more among the rest. */
  window: number | null
  /** As in `SearchMatches`. */
  maybeIds: string[]
  anyMatch: boolean
}

export const noRankedMatches: RankedMatches = { ids: [], scores: [], window: null, maybeIds: [], anyMatch: false }

const depth = depths[2]

/** Ranks all matches, as far as the widest window goes. */
export async function rankMatches(executor: Executor, engine: SearchEngine, input: PageInput): Promise<RankedMatches> {
  const view = filterView(input.filters)
  const least = sql.lit(view.least)
  const isShown = sql`passes and standing >= ${least}`
  const order = sql`${classOrder(view)}${orders[input.sortBy]}`
  const { rows } = await sql<RankedMatches & { found: number; considered: number }>`
    with matches as materialized (${engine.best(input.words, depth)}),
    candidates as materialized (
      select requests.id, score, votes, posted_at, standing_in_view as standing, ${conditionOf(input) ?? sql`true`} as passes
      from matches join requests on requests.id = matches.request_id
        cross join lateral (select ${standingIn(view, requestColumns)} as standing offset 0) as seen (standing_in_view)
      where standing_in_view >= ${sql.lit(Math.min(view.least, 1))}
    )
    select (select count(*)::int from matches) as found, count(*) filter (where standing >= ${least})::int as considered,
      coalesce(array_agg(id order by ${order}) filter (where ${isShown}), '{}') as ids,
      coalesce(array_agg(score::float8 order by ${order}) filter (where ${isShown}), '{}') as scores,
      coalesce(array_agg(id) filter (where passes and standing < ${least}), '{}') as "maybeIds",
      count(*) > 0 as "anyMatch"
    from candidates`.execute(executor)
  const { found, considered, ...ranked } = rows[0]!
  return { ...ranked, window: found < depth ? null : considered }
}
