import { type RawBuilder, sql } from 'kysely'
import { type RequestStatus, standings } from '../database/column-types.ts'
import type { View } from '../requests/view.ts'
import { askingStems } from '../runtime/text/asking.ts'
import { stemOf } from '../runtime/text/words.ts'
import { allWords } from './matched-set.ts'
import type { SearchOrder } from './orders.ts'
import { quotedWords, someOf, type Term } from './terms.ts'

// Order by best match (decision 044): exact titles, then tiers of scores; within each, by votes.

/**
 * A tier spans scores down to this share below its best match. It starts at the best match left, so tiers never chain,
 * and a deeper ranking (which adds worse matches) changes only the last tier.
 */
export const tierDepth = 0.1

/**
 * How many of the best matches are reordered, the same for every page so that pages fit together. An exact title among
 * them is in the first tier: its score says little if its text is long or never repeats a word.
 */
export const reorderedMatches = 100

const settledStatuses: readonly RequestStatus[] = ['completed', 'declined', 'duplicate', 'closed']
const settledList = sql.join(settledStatuses.map((status) => sql.lit(status)))

/** Votes for ordering a tier. Settled requests count half, because nobody waits for them anymore. */
export const wantedOf = (votes: RawBuilder<unknown>, status: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${votes} * case when ${status} in (${settledList}) then 0.5::float8 else 1 end`

export interface AskedWords {
  terms: readonly Term[]
  /** Whether abbreviations or synonyms are searched: a match with only those is judged by its title. */
  hasMeanings: boolean
}

/** How much longer than the query a title can be and still be exact, because of words that say nothing. */
const maxLonger = 40

/** Whether the indexed title has all words, nothing else that carries meaning, and the words as typed. */
function titleOf({ terms, hasMeanings }: AskedWords): RawBuilder<unknown> {
  const words = someOf(terms).flatMap((one) => quotedWords(one) ?? [one])
  const saysNothingElse = sql`tsvector_to_array(said) <@ ${[...new Set([...words.map(stemOf), ...askingStems])]}::text[]`
  // A parameter: with a literal, each length would be planned separately.
  const typed = terms
    .map((term) => term.filter((one) => quotedWords(one) === null))
    .map((own, at) => (own.length > 0 ? own : terms[at]!))
  const maxLength = sql`${words.join(' ').length + maxLonger}::int`
  // A subquery, so that the query is built once and not per title. A title ends with its line.
  return sql`
    select matches and ${sql.lit(hasMeanings)} as titled, matches and ${saysNothingElse} as exact,
      matches and said @@ (select ${allWords(typed)}) as typed from (
      select said, said @@ (select ${allWords(terms)}) as matches from (
        select to_tsvector('wishwell', substring(text from '^[^\\n]*')) as said from request_texts
        where request_id = matching.id and has_all and (${sql.lit(hasMeanings)} or length(title) <= ${maxLength}) offset 0
      ) as title offset 0
    ) as title`
}

/** Sorts requests with all words first and, in a view of several classes, likely requests first. */
const partOrder = ({ least }: View) =>
  least === standings.likely ? sql`has_all desc` : sql`has_all desc, standing desc`

const orders: Record<SearchOrder, RawBuilder<unknown>> = {
  relevance: sql`lead is null, titled desc, lead desc, exact desc, wanted desc, score desc, posted_at desc, id`,
  votes: sql`votes desc, id desc`,
  new: sql`posted_at desc, id desc`,
}

/** The order of a search among its best matches, by columns of `shownOf`. */
export const searchOrder = (view: View, sortBy: SearchOrder): RawBuilder<unknown> =>
  sql`${partOrder(view)}, ${orders[sortBy]}`

/** The candidates that the view shows and that pass the condition, with the columns of the order by best match. */
export const shownOf = (view: View, asked: AskedWords): RawBuilder<unknown> => sql`
  -- The best by words are ordered anew, and the others stay after them: those of the best, too, that repeat a text of their source.
  reordered as materialized (
    select matching.*, own.*, coalesce(own.repeated is null
      or row_number() over (partition by own.repeated order by ${partOrder(view)}, score desc, wanted desc, id) = 1, true) and place <= ${sql.lit(reorderedMatches)} as is_first
    from (
      select *, row_number() over (order by ${partOrder(view)}, score desc, id) as place
      from candidates where passes and standing >= ${sql.lit(view.least)}
    ) as matching left join lateral (
      select ${wantedOf(sql`matching.votes`, sql`status`)} as wanted, coalesce(titled, false) as titled, coalesce(exact, false) as exact, coalesce(typed, false) as typed,
        case when source_name is not null then (platform, source_name, lower(title), md5(left(description, 500))) end as repeated
      from requests left join lateral (${titleOf(asked)}) as title on true
      -- \`offset 0\`: else all requests may be read for a hash join.
      where requests.id = matching.id and place <= ${sql.lit(reorderedMatches)} offset 0
    ) as own on true
  ),
  raised as materialized (
    select *, case when exact and typed and rank <= ${sql.lit(reorderedMatches)}
      then max(score) filter (where is_first) over (partition by has_all, standing, titled) else score end as height from reordered
  ),
  shown as materialized (
    with recursive tiers as (
      select has_all, standing, titled, max(height) as lead from raised where is_first group by has_all, standing, titled
      union all
      select has_all, standing, titled, next.lead from tiers cross join lateral (
        select max(height) as lead from raised as worse
        where is_first and (worse.has_all, worse.standing, worse.titled) = (tiers.has_all, tiers.standing, tiers.titled)
          and height < tiers.lead * ${sql.lit(1 - tierDepth)}
      ) as next where next.lead is not null
    )
    select id, score, raised.has_all, votes, posted_at, raised.standing, raised.titled, exact, wanted, lead
    from raised left join tiers on is_first and height between lead * ${sql.lit(1 - tierDepth)} and lead
      and (raised.has_all, raised.standing, raised.titled) = (tiers.has_all, tiers.standing, tiers.titled)
  )`

/**
 * How many of the shown matches keep their order in any deeper ranking. Deeper matches score at most as high as the
 * worst one, so they cannot change tiers that end above it, nor anything once enough are reordered.
 */
export const finalCount = ({ hasMeanings }: AskedWords): RawBuilder<unknown> => sql`
  select case when better >= ${sql.lit(reorderedMatches)} then better else unpassed end from (
    -- Once a match with some of the words is the worst, those with all words are all here.
    select count(*) filter (where shown.has_all > worst.has_all or shown.score > worst.score)::int as better,
      count(*) filter (where shown.has_all > worst.has_all or lead * ${sql.lit(1 - tierDepth)} > worst.score
        and (titled or not ${sql.lit(hasMeanings)}))::int as unpassed
    from shown join (select score, has_all from hits where has_all or lower = 0 order by rank desc limit 1) as worst
      on shown.has_all >= worst.has_all
  ) as counted`
