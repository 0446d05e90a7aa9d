import { type RawBuilder, sql } from 'kysely'
import { standings } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { filterView } from '../requests/filters/filters.ts'
import { type RequestRecord, type RequestRow, recordColumns, type TextChoice, toRecord } from '../requests/record.ts'
import { standingIn, type View } from '../requests/view.ts'
import { type CountedWords, countsOf } from '../requests/words/vocabulary.ts'
import { type AskedWords, finalCount, searchOrder, shownOf } from './best-match.ts'
import { bestFirst, type Hits, type SearchQuery, type Totals } from './engine.ts'
import { searchableColumns } from './matched-set.ts'
import type { SearchOrder } from './orders.ts'

// Reads the records of matches, in one statement with their ranking.

export interface PageInput extends SearchQuery, TextChoice, AskedWords {
  words: readonly string[]
  /** Includes words that a long query drops; behind a selective filter all words are matched. */
  allWords: readonly string[]
  sortBy: SearchOrder
  offset: number
  /** `offset` + `limit` is at most 100. */
  limit: number
  /** Read in the page's first statement. */
  aside?: { words: readonly string[]; total: boolean } | undefined
}

/** What a search asks besides its page. */
export interface Aside {
  /** Null if counting needs its own statement. */
  totals: Totals | null
  /** Of the words to check; null if not read. */
  counts: CountedWords | null
}

const noTotals: Totals = { total: 0, totalIsExact: true }

export interface SearchMatches {
  results: RequestRecord[]
  more: boolean
  /** How many matches, from the first, have all words of the query, of those considered. */
  whole: number
  /** How many of the best matches were considered, if there may be more; else null. */
  window: number | null
  /** Considered matches of the class maybe that pass the filters but are not shown in this view. */
  maybeIds: string[]
  /** Whether anything that the view shows or may offer has one of the words, ignoring filters. */
  anyMatch: boolean
  /** Whether all requests with any of the words were considered. */
  isAll: boolean
  aside: Aside | null
}

interface MatchOptions {
  condition: RawBuilder<boolean> | null
  max: number
}

export interface Considered {
  hits: number
  /** How many matches were ranked, if not all; else null. */
  ranked: number | null
  /** How many hits are included only for having all words; at most `maxLower`. */
  lower: number
  /** How many of the considered hits the view shows. */
  inView: number
  /** How many shown hits pass the filters. */
  passing: number
  /** How many passing hits, from the first, no deeper ranking changes. */
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

/** The CTEs `hits`, ranked, and `candidates`: the hits that the view shows or may offer, with their condition. */
export function candidatesOf(hits: Hits, view: View, { condition, max }: MatchOptions): RawBuilder<unknown> {
  // Counted but not shown: what `include=maybe` would add.
  const leastVisible = sql.lit(Math.min(view.least, standings.maybe))
  // `offset 0`: a standing from a subquery is computed once per hit.
  const own = sql`cross join lateral (select ${standingIn(view, searchableColumns)} as standing offset 0) as considered`
  const [standing, joined] =
    view.account === null ? ['searchable_requests.standing', sql``] : ['considered.standing', own]
  return sql`hits as materialized (
      select *, row_number() over (order by ${bestFirst}) as rank from (${hits}) as hits
    ),
    candidates as materialized (
      select hits.id, rank, score, has_all, votes, posted_at, ${sql.ref(standing)}, ${condition ?? sql`true`} as passes
      from hits join searchable_requests on searchable_requests.request_id = hits.id ${joined}
      where rank <= ${sql.lit(max)} and ${sql.ref(standing)} >= ${leastVisible}
    )`
}

/** Reads the records of a page of hits that still exist, are shown in the view and pass the filters. */
export async function readMatches(
  executor: Executor,
  hits: Hits,
  input: PageInput,
  options: MatchOptions,
): Promise<Considered> {
  const { filters, sortBy, offset, limit, fullText, aside } = input
  const view = filterView(filters)
  const least = sql.lit(view.least)
  const { rows } = await sql<MatchRow>`
    -- The filters read nothing of hidden matches.
    with ${candidatesOf(hits, view, options)},
    ${shownOf(view, input)},
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
        (${finalCount(input)}) as final,
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
