import { type RawBuilder, sql } from 'kysely'
import { standings } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { filterView } from '../requests/filters/filters.ts'
import { type RequestRecord, type RequestRow, recordColumns, type TextChoice, toRecord } from '../requests/record.ts'
import { standingIn, type View } from '../requests/views/view.ts'
import { type CountedWords, countsOf } from '../requests/words/vocabulary.ts'
import { bestMatchScoreIn, matchColumns, reorderedMatches, tuning } from './best-match.ts'
import { bestFirst, type Hits, type SearchQuery, type Totals } from './engine.ts'
import { searchableColumns } from './matched-set.ts'
import type { SearchOrder } from './orders.ts'

// The records of matches, in one statement with their ranking.

export interface PageInput extends SearchQuery, TextChoice {
  /** The words to rank by, any of them. */
  words: readonly string[]
  /** Also those that a long query does without; behind a selective filter all words are matched. */
  allWords: readonly string[]
  sortBy: SearchOrder
  offset: number
  /** `offset` + `limit` is at most 100. */
  limit: number
  /** What is read in the first statement of the page. */
  aside?: { words: readonly string[]; total: boolean } | undefined
}

/** What a search wants to know besides its page. */
export interface Aside {
  /** Null where counting takes a statement of its own. */
  totals: Totals | null
  /** Of the words to be checked; null where they were not read. */
  counts: CountedWords | null
}

/** How many have all words where nothing has any of them. */
const noTotals: Totals = { total: 0, totalIsExact: true }

export interface SearchMatches {
  /** The page, best first. */
  results: RequestRecord[]
  /** Another match exists after these. */
  more: boolean
  /** How many of the matches, the first ones, have all words of the query: of those that were considered. */
  whole: number
  /** Set when only so many of the best matches were considered and there may be more among the rest. */
  window: number | null
  /** The considered matches that are of the class maybe, pass the filters, and are not shown because the view leaves them out. */
  maybeIds: string[]
  /** Whether anything that the view shows or may offer has one of the words, whatever the filters say. */
  anyMatch: boolean
  /** Whether everything that has one of the words was considered: there is nothing beyond. */
  isAll: boolean
  /** Null where it was not read with the page. */
  aside: Aside | null
}

const orders: Record<SearchOrder, RawBuilder<unknown>> = {
  relevance: sql`best desc nulls last, score desc, id`,
  votes: sql`votes desc, id desc`,
  new: sql`posted_at desc, id desc`,
}

/**
 * What comes before any order: requests with all words of the query before those with some, and in a view of several classes likely requests
 * before those that may be one.
 */
const partOrder = ({ least }: View) =>
  least === standings.likely ? sql`has_all desc` : sql`has_all desc, standing desc`

/** The order of a search among its best matches, as columns of `shownOf`. */
export const searchOrder = (view: View, sortBy: SearchOrder): RawBuilder<unknown> =>
  sql`${partOrder(view)}, ${orders[sortBy]}`

/**
 * How many of the shown matches keep their order whatever a deeper ranking adds. It adds matches after the worst one or equal to it:
 * those change nothing before the ones that they cannot pass even at best, and nothing at all once enough are ordered anew.
 */
export const finalCount = sql`
  select case when better >= ${sql.lit(reorderedMatches)} then better else unpassed end from (
    -- Once a match with some of the words is the worst, those with all words are all here.
    select count(*) filter (where shown.has_all > worst.has_all or shown.score > worst.score)::int as better,
      count(*) filter (where shown.has_all > worst.has_all or best > worst.score * ${sql.lit(1 + tuning.band)})::int as unpassed
    from shown join (select score, has_all from hits where has_all or lower = 0 order by rank desc limit 1) as worst
      on shown.has_all >= worst.has_all
  ) as counted`

interface MatchOptions {
  /** What narrows the matches beyond words and view. */
  condition: RawBuilder<boolean> | null
  /** How many of the hits are considered, the best ones. */
  max: number
}

export interface Considered {
  /** How many hits there are … */
  hits: number
  /** … of how many that were ranked, where not all of those that match were. */
  ranked: number | null
  /** How many of them are there only because they have all words; at most `maxLower`. */
  lower: number
  /** How many of the considered hits the view shows … */
  inView: number
  /** … how many of these pass the filters … */
  passing: number
  /** … and how many of these, from the first on, no deeper ranking changes. */
  final: number
  matches: SearchMatches
}

type MatchRow = RequestRow &
  Omit<Considered, 'matches'> & {
    maybe_ids: string[] | null
    visible: number
    whole: number
    totals: Totals | null
    counts: CountedWords
  }

/**
 * The common table expressions `hits`, with their ranks, and `candidates`: the considered ones that the view shows or may offer, with whether
 * they pass the condition.
 */
export function candidatesOf(hits: Hits, view: View, { condition, max }: MatchOptions): RawBuilder<unknown> {
  // Not shown, but counted: what `include=maybe` would add.
  const leastVisible = sql.lit(Math.min(view.least, standings.maybe))
  // `offset 0`, so that a standing which is a query by itself runs once for each hit.
  const own = sql`cross join lateral (select ${standingIn(view, searchableColumns)} as standing offset 0) as considered`
  const [standing, joined] =
    view.account === null ? ['searchable_requests.standing', sql``] : ['considered.standing', own]
  return sql`hits as materialized (
      select *, row_number() over (order by ${bestFirst}) as rank from (${hits}) as hits
    ),
    candidates as materialized (
      select hits.id, score, has_all, votes, posted_at, ${sql.ref(standing)}, ${condition ?? sql`true`} as passes
      from hits join searchable_requests on searchable_requests.request_id = hits.id ${joined}
      where rank <= ${sql.lit(max)} and ${sql.ref(standing)} >= ${leastVisible}
    )`
}

/** Of the candidates those that the view shows and that pass the condition, with what the order of best match needs. */
export const shownOf = (view: View): RawBuilder<unknown> => sql`
  -- The best by words are ordered anew, and the others stay after them: those of the best, too, that repeat a text of their source.
  reordered as materialized (
    select matching.*, own.best, repeated from (
      select *, row_number() over (order by ${partOrder(view)}, score desc, id) as place
      from candidates where passes and standing >= ${sql.lit(view.least)}
    ) as matching left join lateral (
      select ${bestMatchScoreIn(matchColumns)} as best,
        case when source_name is not null then (platform, source_name, lower(title), md5(left(description, 500))) end as repeated from requests
      -- \`offset 0\`: else all requests may be read for a hash join.
      where requests.id = matching.id and place <= ${sql.lit(reorderedMatches)} offset 0
    ) as own on true
  ),
  shown as materialized (
    select id, score, has_all, votes, posted_at, standing, case when repeated is null
      or row_number() over (partition by repeated order by ${partOrder(view)}, best desc, id) = 1 then best end as best
    from reordered
  )`

/** Reads the records of a page of hits: those that still exist, that the view shows and that pass the filters. */
export async function readMatches(
  executor: Executor,
  hits: Hits,
  { filters, sortBy, offset, limit, fullText, aside }: PageInput,
  options: MatchOptions,
): Promise<Considered> {
  const view = filterView(filters)
  const least = sql.lit(view.least)
  const { rows } = await sql<MatchRow>`
    -- The filters read nothing of hidden matches.
    with ${candidatesOf(hits, view, options)},
    ${shownOf(view)},
    page as materialized (
      select id, row_number() over (order by ${searchOrder(view, sortBy)}) as rank from shown
      order by rank limit ${limit} offset ${offset}
    )
    -- The ids, which may be thousands, in the first row only.
    select hits, ranked, lower, "inView", passing, final, visible, whole, totals, ${countsOf(aside?.words ?? [])} as counts,
      case when page.rank > ${offset}::int + 1 then null else maybe_ids end as maybe_ids, ${recordColumns({ fullText, view })}
    from (select count(*)::int as hits, max(considered) as ranked, coalesce(max(lower), 0) as lower,
      (select totals from hits limit 1) as totals from hits) as found
    cross join (select count(*) filter (where standing >= ${least})::int as "inView",
        count(*) filter (where standing >= ${least} and passes)::int as passing,
        (${finalCount}) as final,
        coalesce(array_agg(id) filter (where standing < ${least} and passes), '{}') as maybe_ids,
        count(*)::int as visible, count(*) filter (where standing >= ${least} and passes and has_all)::int as whole
      from candidates) as counted
    left join page on true left join requests on requests.id = page.id
    order by page.rank`.execute(executor)
  const {
    hits: found,
    ranked,
    lower,
    inView,
    passing,
    final,
    maybe_ids: maybeIds,
    visible,
    whole,
    totals,
    counts,
  } = rows[0]!
  const results = rows.filter((row) => row.id !== null).map((row) => toRecord(row, { fullText }))
  const more = passing > offset + limit
  const matches = {
    results,
    more,
    whole,
    window: null,
    maybeIds: maybeIds ?? [],
    anyMatch: visible > 0,
    isAll: false,
    aside: aside === undefined ? null : { totals: aside.total && found === 0 ? noTotals : totals, counts },
  }
  return { hits: found, ranked, lower, inView, passing, final, matches }
}
