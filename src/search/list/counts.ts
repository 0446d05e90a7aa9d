import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { all, conditionsOn } from '../../requests/filters/conditions.ts'
import { filterView, type RequestFilters } from '../../requests/filters/filters.ts'
import { isShown } from '../../requests/view.ts'
import type { FacetName, Totals } from '../engine.ts'
import { readCounts, totalOf } from '../totals.ts'

/** The most requests counted: a plain scan of `request_facets`, about 1 µs each. */
const maxCounted = 250_000

const columns = { id: sql.ref('request_facets.request_id'), standing: sql.ref('request_facets.standing') }

/** Counts the requests that pass the filters, and their distribution. @param counted the most to count */
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
