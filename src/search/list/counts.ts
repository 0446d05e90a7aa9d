import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { all, conditionsOn } from '../../requests/filters/conditions.ts'
import { filterView, type RequestFilters } from '../../requests/filters/filters.ts'
import { isShown } from '../../requests/view.ts'
import type { FacetName, Totals } from '../engine.ts'
import { readCounts, totalOf } from '../totals.ts'

/** So many requests are counted at most: a plain scan of `request_facets`, about a microsecond each. */
const maxCounted = 250_000

const columns = { id: sql.ref('request_facets.request_id'), standing: sql.ref('request_facets.standing') }

/**
 * How many requests pass some filters, and how they are distributed.
 * @param counted of more requests only so many are counted.
 */
export async function countRequests(
  executor: Executor,
  filters: RequestFilters,
  { facets, counted = maxCounted }: { facets: readonly FacetName[]; counted?: number },
): Promise<Totals> {
  const conditions = [isShown(filterView(filters), columns), ...conditionsOn('request_facets', filters)]
  const shown = sql`select request_id as id, platform, product, status, tags, votes, posted_at from request_facets
    where ${all(conditions)} limit ${sql.lit(counted + 1)}`
  const found = await readCounts(executor, shown, facets)
  const totals = totalOf(found.total, counted)
  return facets.length === 0 ? totals : { ...totals, facets: found.facets, facetsAreExact: totals.totalIsExact }
}
