import { type RawBuilder, sql } from 'kysely'
import { type RequestStatus, standings } from '../database/column-types.ts'
import type { View } from '../requests/view.ts'
import { askingStems } from '../runtime/text/asking.ts'
import { stemOf } from '../runtime/text/words.ts'
import { allWords } from './matched-set.ts'
import type { SearchOrder } from './orders.ts'
import { quotedWords, someOf, type Term } from './terms.ts'

// The order by best match (decision 044): exact titles first, then tiers of scores; among exact titles and in a tier by votes.

/**
 * A tier begins with the best match that is left, and has all whose scores are at most this much worse, as a share of that one's. So a match is
 * in one tier, none is chained to a better one by those between them, and a deeper ranking, which adds worse ones, changes the last tier only.
 */
export const tierDepth = 0.1

/**
 * Only so many of the best matches by words are ordered anew, whatever page of them is read, so pages fit together. An exact title among them that
 * has what was typed is in the first tier: its text may repeat no word, and be long, so that its score is anything.
 */
export const reorderedMatches = 100

const settledStatuses: readonly RequestStatus[] = ['completed', 'declined', 'duplicate', 'closed']
const settledList = sql.join(settledStatuses.map((status) => sql.lit(status)))

/** Votes as they order a tier: half of them where a request is settled, because nobody waits for it any more. */
export const wantedOf = (votes: RawBuilder<unknown>, status: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${votes} * case when ${status} in (${settledList}) then 0.5::float8 else 1 end`

/** What a title is compared with. */
export interface AskedWords {
  terms: readonly Term[]
  /** Abbreviations or synonyms are searched, too: nothing says how well a text matches that has only those, so its title decides. */
  hasMeanings: boolean
}

/** An exact title is longer than the query by a few words that say nothing; the words of a longer one are not read. */
const maxLonger = 40

/** Whether the title, as it is indexed, has all words, whether it says nothing else but that something is asked for, and whether it has them as typed. */
function titleOf({ terms, hasMeanings }: AskedWords): RawBuilder<unknown> {
  const words = someOf(terms).flatMap((one) => quotedWords(one) ?? [one])
  const saysNothingElse = sql`tsvector_to_array(said) <@ ${[...new Set([...words.map(stemOf), ...askingStems])]}::text[]`
  // A parameter: as a literal each length would be another statement to be planned.
  const typed = terms
    .map((term) => term.filter((one) => quotedWords(one) === null))
    .map((own, at) => (own.length > 0 ? own : terms[at]!))
  const maxLength = sql`${words.join(' ').length + maxLonger}::int`
  // The query by itself, so that it is made once, and not for each title, which ends with its line.
  return sql`
    select matches and ${sql.lit(hasMeanings)} as titled, matches and ${saysNothingElse} as exact,
      matches and said @@ (select ${allWords(typed)}) as typed from (
      select said, said @@ (select ${allWords(terms)}) as matches from (
        select to_tsvector('wishwell', substring(text from '^[^\\n]*')) as said from request_texts
        where request_id = matching.id and has_all and (${sql.lit(hasMeanings)} or length(title) <= ${maxLength}) offset 0
      ) as title offset 0
    ) as title`
}

/**
 * What comes before any order: requests with all words of the query before those with some, and in a view of several classes likely requests
 * before those that may be one.
 */
const partOrder = ({ least }: View) =>
  least === standings.likely ? sql`has_all desc` : sql`has_all desc, standing desc`

const orders: Record<SearchOrder, RawBuilder<unknown>> = {
  relevance: sql`lead is null, titled desc, lead desc, exact desc, wanted desc, score desc, posted_at desc, id`,
  votes: sql`votes desc, id desc`,
  new: sql`posted_at desc, id desc`,
}

/** The order of a search among its best matches, as columns of `shownOf`. */
export const searchOrder = (view: View, sortBy: SearchOrder): RawBuilder<unknown> =>
  sql`${partOrder(view)}, ${orders[sortBy]}`

/** Of the candidates those that the view shows and that pass the condition, with what the order by best match needs. */
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
 * How many of the shown matches keep their order whatever a deeper ranking adds. It adds matches after the worst one or equal to it: those
 * are in none of the tiers that end before it, and change nothing at all once enough are ordered anew.
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
