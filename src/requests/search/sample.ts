import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { filterView } from '../filters/filters.ts'
import { type Bounds, type CacheBounds, sampleShare } from './bounds.ts'
import type { Part, SearchQuery } from './engine.ts'
import { isChecked, offeredOf, sampledMatchesOf } from './matched-set.ts'

// A 32nd of the requests, chosen by their random ids, has an index of words of its own. What has many matches there has very many in
// all, which is known without reading them.

/** The matches of a query in the sample. */
export interface Sample {
  /** Those with the words, at most so many as are read, whatever the filters say … */
  matching: number
  /** … and those of them that the view shows and that pass the filters. */
  shown: number
  /** Whether all of its matches were read. */
  isWhole: boolean
}

/** Reads the matches of a part of a query in the sample. */
export async function readSample(
  executor: Executor,
  query: SearchQuery,
  part: Part,
  { sampled }: Pick<Bounds, 'sampled'>,
): Promise<Sample> {
  const { least: leastShown } = filterView(query.filters)
  const isWhole = (matching: number) => matching < sampled
  if (!isChecked(query)) {
    const { rows } = await sql<{ found: number }>`
      select count(*)::int as found
      from (${sampledMatchesOf(query, part, { least: leastShown, max: sampled })}) as matches`.execute(executor)
    const { found } = rows[0]!
    return { matching: found, shown: found, isWhole: isWhole(found) }
  }
  const least = sql.lit(leastShown)
  const { rows } = await sql<Omit<Sample, 'isWhole'>>`
    with matches as materialized (${sampledMatchesOf(query, part, { max: sampled })})
    select (select count(*)::int from matches) as matching, (
      select count(*)::int from (${offeredOf(query, sql`select * from matches`)}) as offered where standing >= ${least}
    ) as shown`.execute(executor)
  const sample = rows[0]!
  return { ...sample, isWhole: isWhole(sample.matching) }
}

/** As much of the sample as says whether very many requests match: each further row is on another page of the table, up to 15 µs away. */
export const readFirstOfSample = (
  executor: Executor,
  query: SearchQuery,
  part: Part,
  { sampled, manySampled }: Bounds,
): Promise<Sample> => readSample(executor, query, part, { sampled: isChecked(query) ? sampled : manySampled })

/** About how many matches have the words; infinite where the sample has more than were read. */
export const estimateMatches = ({ matching, isWhole }: Sample): number =>
  isWhole ? matching * sampleShare : Number.POSITIVE_INFINITY

/** Whether a walk of an order in vain is likely: it would have to read more than twice as many rows as it may. */
export const isWalkVain = ({ shown }: Sample, { requests, walked }: CacheBounds, limit: number): boolean =>
  shown * sampleShare * 2 * walked < limit * requests
