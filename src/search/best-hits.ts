import { type RawBuilder, sql } from 'kysely'
import { filterView } from '../requests/filters/filters.ts'
import { bestFirst, type Hits, maxLower, type RankedQuery, type SearchQuery } from './engine.ts'
import {
  allWords,
  isChecked,
  leastVisible,
  requestsWithWords,
  sampledRequestsWithWords,
  visibleOf,
} from './matched-set.ts'
import { hasUnrankedForms, isOneWord } from './terms.ts'
import type { CacheBounds } from './totals.ts'

/** Queries give `request_id`, `score` (higher is better), `has_all` words, and `considered` as in `Hits`. */
export interface Ranking {
  /** At least the `max` best matches, and no others. @param all a `tsquery`; null: `has_all` is true */
  best(words: string, all: RawBuilder<unknown> | null, max: number): RawBuilder<unknown>
  /** The matches among `ids`. Reads every text, so pass few ids. */
  among(words: string, all: RawBuilder<unknown> | null, ids: RawBuilder<unknown>): RawBuilder<unknown>
}

const hitsOf = (ranked: RawBuilder<unknown>) => sql`
  select request_id as id, score, has_all, considered::integer as considered, 0 as lower, null::json as totals from (${ranked}) as ranked`

/** Score of a match with only other forms of the words, as a share of the worst match with the words themselves. */
const otherFormsShare = 0.85
/** The worst score if nothing has the words themselves. */
const leastScore = sql.lit(0.01)

/** The requests among some that have any of the words, or all in other forms. */
export function amongOf(ranking: Ranking, { words, terms }: RankedQuery, ids: readonly string[]): Hits {
  const some = sql`${[...ids]}::uuid[]`
  const ranked = ranking.among(words.join(' '), isOneWord(terms) ? null : allWords(terms), some)
  if (!hasUnrankedForms(terms)) return hitsOf(ranked)
  return sql`
    with ranked as materialized (${hitsOf(ranked)})
    select * from ranked union all
    select request_id, coalesce((select min(score) from ranked), ${leastScore}) * ${sql.lit(otherFormsShare)}, true, null, 0, null::json from request_texts
    where request_id = any(${some}) and words @@ ${allWords(terms)} and request_id not in (select id from ranked)`
}

/** Whether the sample suggests too many requests to count. In a small cache, counting is as fast as asking. */
function areManyIn(query: SearchQuery, { requests, counted, manySampled }: CacheBounds): RawBuilder<unknown> {
  if (requests <= counted) return sql`false`
  const least = isChecked(query) ? leastVisible(query) : filterView(query.filters).least
  const sampled = sampledRequestsWithWords(allWords(query.terms), { least, max: manySampled })
  return sql`(select count(*) from ${sampled}) >= ${sql.lit(manySampled)}`
}

/**
 * A query's full matches as JSON, by `extent` of `bestOf`; null if counting needs its own statement.
 * @param matches rows of `searchable_requests` that have all words and that the view may show
 */
function totalsIn(query: SearchQuery, matches: RawBuilder<unknown>, { counted }: CacheBounds): RawBuilder<unknown> {
  const ofMany = isChecked(query) ? sql`null` : sql.lit(counted + 1)
  return sql`(
    select case when total is not null then
      json_build_object('total', least(total, ${sql.lit(counted)}), 'totalIsExact', total <= ${sql.lit(counted)}) end
    from (
      select case when are_many then ${ofMany} else (
        select count(*) from (${visibleOf(query, matches, 'all')}) as visible
        where standing >= ${sql.lit(filterView(query.filters).least)}
      ) end as total from extent offset 0
    ) as counted)`
}

/**
 * The best matches by score, then other requests with all words, then those with some. The index of words finds the
 * others (and the total), but not their scores, which would take 0.4 ms each: they are at most the worst score here.
 */
export function bestOf(ranking: Ranking, query: RankedQuery, max: number, bounds: CacheBounds): Hits {
  const { terms } = query
  // Phrases search other words, so they are counted separately.
  const counted = query.counted?.phrases.length === 0 ? query.counted : undefined
  const isOne = isOneWord(terms)
  const all = allWords(terms)
  const isUnranked = hasUnrankedForms(terms)
  // Matches by other forms rank like all others, so a whole page of them may be needed.
  const most = sql.lit(isUnranked ? max : maxLower)
  const ranked = ranking.best(query.words.join(' '), isOne ? null : all, max)
  const best = sql`${hitsOf(ranked)} order by score desc, id limit ${max}`
  if (isOne && counted === undefined) return best
  const having = (limit: RawBuilder<unknown>) =>
    sql`select * from ${requestsWithWords(all, { least: sql.lit(leastVisible(query)), max: limit })}`
  const extent = sql`extent as materialized (select ${counted ? areManyIn(counted, bounds) : sql`true`} as are_many)`
  const totals = (matches: RawBuilder<unknown>) => (counted ? totalsIn(counted, matches, bounds) : sql`null::json`)
  const counting = having(sql`null`)
  if (isOne) {
    return sql`with ${extent} select id, score, has_all, considered, lower, ${totals(counting)} as totals from (${best}) as best`
  }
  return sql`
    with ${extent},
    best as materialized (${best}),
    found as materialized (
      select *, (hits = ${max} or considered is not null) and whole < hits
        or ${sql.lit(isUnranked)} and hits < ${max} as may_be_lower from (
        select count(*) as hits, count(*) filter (where has_all) as whole, min(score) as worst, max(considered) as considered from best
      ) as counts
    ),
    -- Read once, and only where it is needed.
    matching as materialized (
      ${having(sql`(select case when are_many then whole + ${most} end from extent, found)`)}
    ),
    lower_ones as materialized (
      select request_id from matching
      where (select may_be_lower from found) and request_id not in (select id from best) limit ${most}
    )
    select id, score, has_all, (select considered from found) as considered, (select count(*)::integer from lower_ones) as lower,
      case when (select may_be_lower from found) then ${totals(sql`select * from matching`)} else ${totals(counting)} end as totals
    from (
      select id, score, has_all from best
      union all select request_id, coalesce((select worst from found), ${leastScore}) * ${sql.lit(isUnranked ? otherFormsShare : 1)}, true
      from lower_ones
    ) as hits order by ${bestFirst} limit ${max}`
}
