import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { type Standing, standings } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { all, requestConditions } from '../../requests/filters/conditions.ts'
import { filterView } from '../../requests/filters/filters.ts'
import { requestColumns, standingIn } from '../../requests/view.ts'
import {
  type ExactOrder,
  type FacetName,
  type Facets,
  type Hits,
  hitsFrom,
  type OrderedIds,
  type OrderedInput,
  type RankedQuery,
  type SearchEngine,
  type SearchQuery,
  type Totals,
  type TotalsInput,
  voteSteps,
} from '../engine.ts'
import { phrasesHold } from '../matched-set.ts'
import { isOneWord } from '../terms.ts'
import { defaultBounds, maxValues, readTotalsAmong } from '../totals.ts'
import type { Clause, Cluster, FoundDocuments, SearchBody, SearchOptions } from './cluster.ts'
import { allWordsScore, hasTexts, matching, rankedBy } from './conditions.ts'

// Hits of an external index are checked in the database, which alone decides what exists and is shown.

/** Hits that a page may lose to the check, since the index lags slightly. */
const spareHits = 20

/** Hits of the index, which lags slightly, that still match, in their current order and with their current class. */
async function verify(
  executor: Executor,
  query: SearchQuery,
  order: ExactOrder,
  ids: readonly string[],
): Promise<{ id: string; standing: Standing }[]> {
  if (ids.length === 0) return []
  const column = sql.ref(order === 'votes' ? 'votes' : 'posted_at')
  const { rows } = await sql<{ id: string; standing: Standing }>`
    select id, standing from (
      select requests.id, votes, posted_at, ${standingIn(filterView(query.filters), requestColumns)} as standing
      from unnest(${[...ids]}::uuid[]) as hit (request_id) join requests on requests.id = hit.request_id
      where ${all(requestConditions(query.filters))} and ${phrasesHold(query, sql.ref('requests.id'))} offset 0
    ) as present order by standing desc, ${column} desc, id desc`.execute(executor)
  return rows
}

/** Reads the first ids of an index in an order, and whether there are more; null if too many match. */
type ReadFirst = (size: number) => Promise<{ ids: readonly string[]; isAll: boolean } | null>

/** The first `limit` hits that the database shows, with spares for deleted ones. @param max the index's limit */
async function readVerified(
  executor: Executor,
  query: SearchQuery,
  { order, limit }: OrderedInput,
  { readFirst, max }: { readFirst: ReadFirst; max: number },
): Promise<string[] | null> {
  const { least } = filterView(query.filters)
  for (let size = limit + spareHits; ; size = Math.min(4 * size, max)) {
    const first = await readFirst(size)
    if (first === null) return null
    const present = await verify(executor, query, order, first.ids)
    const shown = present.filter(({ standing }) => standing >= least).map(({ id }) => id)
    if (shown.length >= limit || first.isAll || size === max) return shown.slice(0, limit)
  }
}

export interface ClusterEngineOptions {
  cluster: Cluster
  /** The alias of the serving index; tests wait here until the index has all changes. */
  alias: () => Promise<string>
  /** Up to this many matches are counted in the database, whose state is current. */
  verified?: number
}

const maxHits = 10_000
/** If very many match, requests of the class maybe are counted among only this many. */
const maxMaybe = 1_000
const maxVerified = 1_000

const classes = [2, 1, 0] as const
const byScore = [{ _score: 'desc' }, { id: 'asc' }]

/** Makes all pages of a search read the same shard copies. */
const sessionOf = (...parts: readonly unknown[]): SearchOptions => ({
  session: hash('sha256', JSON.stringify(parts)).slice(0, 16),
})

function toHits({ terms }: RankedQuery, { hits }: FoundDocuments): Hits {
  const isWhole = isOneWord(terms)
  const found = hits.map(({ id, sort }) => {
    const score = Number(sort[0])
    const hasAll = isWhole || score >= allWordsScore
    return { id, score: hasAll && !isWhole ? Math.max(score - allWordsScore, Number.MIN_VALUE) : score, hasAll }
  })
  return hitsFrom(found)
}

const fields: Record<Exclude<FacetName, 'votes'>, string> = {
  platform: 'platform',
  product: 'product',
  status: 'status',
  tag: 'tags',
  year: 'year',
}

/** Ask each shard for more values than shown, or the sums would miss rarer ones. */
const termsOf = (field: string): Clause => ({
  terms: { field, size: maxValues, shard_size: 10 * maxValues, order: [{ _count: 'desc' }, { _key: 'asc' }] },
})

const stepsOfVotes: Clause = {
  range: { field: 'votes', ranges: voteSteps.map((from) => ({ key: String(from), from })) },
}

const aggregationsOf = (names: readonly FacetName[]): Record<string, Clause> =>
  Object.fromEntries(names.map((name) => [name, name === 'votes' ? stepsOfVotes : termsOf(fields[name])]))

function facetsOf(names: readonly FacetName[], { aggregations }: FoundDocuments) {
  const facets: Facets = {}
  let areExact = true
  for (const name of names) {
    const { buckets = [], doc_count_error_upper_bound: error = 0 } = aggregations[name] ?? {}
    facets[name] = buckets
      .map(({ key, doc_count: count }) => ({ value: String(key), count }))
      .filter(({ count }) => count > 0)
      // Terms are already in this order.
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    areExact &&= error === 0
  }
  return { facets, areExact }
}

/** Totals and facets: by the index, or by the database if few enough match to check each. */
const createTotals =
  (search: (body: SearchBody, options: SearchOptions) => Promise<FoundDocuments>, verified: number) =>
  async (executor: Executor, query: SearchQuery, input: TotalsInput): Promise<Totals> => {
    const names = [...new Set(input.facets)]
    const view = filterView(query.filters)
    const clause = matching(
      query,
      input.part ?? 'all',
      view,
      classes.filter((standing) => standing >= view.least),
    )
    const { counted } = defaultBounds
    const aggs = aggregationsOf(names)
    const found = await search({ query: clause, size: 0, counted: counted + 1, aggs }, sessionOf(clause))
    const { count } = found.total
    if (count <= verified) {
      // One more than there were: some may have come in between.
      const { hits } = await search({ query: clause, size: 2 * verified, sort: [{ id: 'asc' }] }, sessionOf(clause))
      return readTotalsAmong(
        executor,
        query,
        input,
        hits.map(({ id }) => id),
      )
    }
    const totals = { total: Math.min(count, counted), totalIsExact: count <= counted }
    if (names.length === 0) return totals
    const { facets, areExact } = facetsOf(names, found)
    return { ...totals, facets, facetsAreExact: areExact }
  }

/** Creates an engine that searches a cluster and checks its hits in the database. */
export function createClusterEngine({ cluster, alias, verified = maxVerified }: ClusterEngineOptions): SearchEngine {
  const search = async (body: SearchBody, options: SearchOptions) => cluster.search(await alias(), body, options)

  const rank = async (ranked: RankedQuery, query: Clause, size: number): Promise<Hits> =>
    toHits(ranked, await search({ query, size, sort: byScore }, { ...sessionOf(ranked.words), ranks: true }))

  /** Collects the first hits of one class, or of all shown classes in turn. */
  const collect = async (query: SearchQuery, { part, order }: OrderedInput, size: number) => {
    const view = filterView(query.filters)
    const sort = [{ [order === 'votes' ? 'votes' : 'posted_at']: 'desc' }, { id: 'desc' }]
    const ids: string[] = []
    for (const standing of classes.filter((standing) => standing >= view.least)) {
      if (ids.length >= size) break
      const clause = matching(query, part, view, [standing])
      const found = await search({ query: clause, size: size - ids.length, sort }, sessionOf(clause))
      ids.push(...found.hits.map(({ id }) => id))
    }
    return { ids: [...new Set(ids)], isAll: ids.length < size }
  }

  const readMaybe = async (
    executor: Executor,
    query: SearchQuery,
    { part, order }: OrderedInput,
  ): Promise<string[]> => {
    const view = filterView(query.filters)
    if (view.least < 2) return []
    const clause = matching(query, part, view, [1])
    const { hits } = await search({ query: clause, size: maxMaybe, sort: [{ id: 'asc' }] }, sessionOf(clause))
    const present = await verify(
      executor,
      query,
      order,
      hits.map(({ id }) => id),
    )
    return present.filter(({ standing }) => standing === standings.maybe).map(({ id }) => id)
  }

  const ordered = async (executor: Executor, query: SearchQuery, input: OrderedInput): Promise<OrderedIds | null> => {
    const readFirst = (size: number) => collect(query, input, size)
    const ids = await readVerified(executor, query, input, { readFirst, max: maxHits })
    return ids && { ids, maybeIds: await readMaybe(executor, query, input) }
  }

  return {
    kind: 'opensearch',
    best: (_executor, query, max) => rank(query, rankedBy(query), max),
    among: (_executor, query, ids) =>
      rank(query, { bool: { must: [rankedBy(query)], filter: [{ terms: { id: ids } }] } }, Math.max(1, ids.length)),
    withPhrases: async (_executor, query, max) => {
      if (query.phrases.length === 0) return null
      const clause = { bool: { filter: hasTexts(query) } }
      const { hits } = await search({ query: clause, size: max + 1, sort: [{ id: 'asc' }] }, sessionOf(clause))
      return hits.length > max ? null : hits.map(({ id }) => id)
    },
    ordered,
    totals: createTotals(search, verified),
  }
}
