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
}

/** Reads the matches of a part of a query in the sample: where every match is a result, no more of them than `manySampled`. */
export async function readSample(
  executor: Executor,
  query: SearchQuery,
  part: Part,
  { sampled, manySampled }: Pick<Bounds, 'sampled' | 'manySampled'>,
): Promise<Sample> {
  const { least: leastShown } = filterView(query.filters)
  if (!isChecked(query)) {
    const { rows } = await sql<{ found: number }>`
      select count(*)::int as found
      from (${sampledMatchesOf(query, part, { least: leastShown, max: manySampled })}) as matches`.execute(executor)
    const { found } = rows[0]!
    return { matching: found, shown: found }
  }
  const least = sql.lit(leastShown)
  const { rows } = await sql<Sample>`
    with matches as materialized (${sampledMatchesOf(query, part, { max: sampled })})
    select (select count(*)::int from matches) as matching, (
      select count(*)::int from (${offeredOf(query, sql`select * from matches`)}) as offered where standing >= ${least}
    ) as shown`.execute(executor)
  return rows[0]!
}

/** About how many matches have the words, by those in the sample. */
export const estimateMatches = ({ matching }: Sample): number => matching * sampleShare

/** Whether a walk of an order in vain is likely: it would have to read more than twice as many rows as it may. */
export const isWalkVain = ({ shown }: Sample, { requests, walked }: CacheBounds, limit: number): boolean =>
  shown * sampleShare * 2 * walked < limit * requests
