import type { Client } from '@opensearch-project/opensearch'
import { ServiceError } from '../../http/errors.ts'

/** A clause of OpenSearch's query language. */
export type Clause = Record<string, unknown>

export interface SearchBody {
  query: Clause
  size: number
  /** Must end with `id`, from which document ids are read. Without it, matches are only counted. */
  sort?: readonly Clause[]
  /** Counts matches up to this; absent: not at all. */
  counted?: number
  aggs?: Record<string, Clause>
}

export interface SearchOptions {
  /** Whether word weights come from the whole index instead of each shard. Only for ranking. */
  ranks?: boolean
  /** Searches with equal values read the same shard copies: copies may differ in deleted documents. */
  session: string
}

export interface FoundDocuments {
  hits: { id: string; sort: readonly (string | number)[] }[]
  total: { count: number; isExact: boolean }
  aggregations: Record<
    string,
    { buckets: { key: string | number; doc_count: number }[]; doc_count_error_upper_bound?: number }
  >
}

/** A document's new fields; null deletes it. */
export interface Write {
  id: string
  fields: object | null
  /** The highest version wins, in any order of arrival. */
  version: number
}

export interface IndexFacts {
  documents: number
  bytes: number
}

export interface Cluster {
  /** @param index an index or alias @throws ServiceError SEARCH_UNAVAILABLE if the cluster cannot search. */
  search(index: string, body: SearchBody, options: SearchOptions): Promise<FoundDocuments>
  /** Writes documents; a version older than the stored one is ignored. @throws if any was not stored. */
  write(index: string, writes: readonly Write[]): Promise<void>
  create(index: string, body: object): Promise<void>
  remove(index: string): Promise<void>
  /** Atomically points an alias at this index only. @throws IndexMissingError */
  pointAlias(alias: string, index: string): Promise<void>
  refresh(index: string): Promise<void>
  /** Null if the index does not exist. */
  facts(index: string): Promise<IndexFacts | null>
  close(): Promise<void>
}

/** An index that should exist does not: it was deleted, or the cluster is another one. */
export class IndexMissingError extends Error {
  override readonly name = 'IndexMissingError'
}

/** Per attempt, of two. */
const searchTimeoutMs = 4_000
const writeTimeoutMs = 30_000

/** The alias for writes to an index: a write to it cannot create a missing index. */
const writeAlias = (index: string) => `${index}-write`

const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode
const typeOf = (error: unknown): string | undefined =>
  (error as { body?: { error?: { type?: string } } }).body?.error?.type

function unavailable(error: unknown): ServiceError {
  const message =
    statusOf(error) === 404
      ? 'The search index is being built. Everything else works; try again later.'
      : 'The search cluster cannot be reached or cannot search now. Everything else works; try again shortly.'
  const failure = new ServiceError('SEARCH_UNAVAILABLE', message)
  failure.cause = error
  return failure
}

interface BulkItem {
  status: number
  error?: { type: string; reason: string }
}

/** Checks a bulk response. Conflicts (a newer version is stored) and missing documents to delete are fine. */
function requireStored(items: readonly Record<string, BulkItem>[]): void {
  for (const item of items) {
    const { status, error } = Object.values(item)[0]!
    if (error === undefined || status === 409) continue
    if (error.type === 'index_not_found_exception') throw new IndexMissingError(error.reason)
    throw new Error(`the search cluster refused a document: ${error.type}: ${error.reason}`)
  }
}

const linesOf = ({ id, fields, version }: Write): object[] => {
  const meta = { _id: id, version, version_type: 'external_gte' }
  return fields === null ? [{ delete: meta }] : [{ index: meta }, fields]
}

function createSearch(client: Client): Cluster['search'] {
  return async (index, { query, size, sort, counted, aggs }, { ranks = false, session }) => {
    try {
      const { body } = await client.search(
        {
          index,
          search_type: ranks ? 'dfs_query_then_fetch' : 'query_then_fetch',
          preference: session,
          // Partial matches would be a wrong answer.
          allow_partial_search_results: false,
          filter_path: ['hits.hits.sort', 'hits.total', 'aggregations'],
          body: {
            query,
            size,
            ...(sort ? { sort } : {}),
            ...(aggs ? { aggs } : {}),
            track_total_hits: counted ?? false,
            // Read only the sort values: loading `_id` took half of the CPU of a search with hundreds of hits.
            stored_fields: '_none_',
          } as never,
        },
        // Another node may answer.
        { requestTimeout: searchTimeoutMs, maxRetries: 1 },
      )
      const { hits, aggregations = {} } = body as {
        hits?: { hits?: { sort?: (string | number)[] }[]; total?: { value: number; relation: string } }
        aggregations?: FoundDocuments['aggregations']
      }
      return {
        hits: (hits?.hits ?? []).map(({ sort: values = [] }) => ({ id: String(values.at(-1)), sort: values })),
        total: { count: hits?.total?.value ?? 0, isExact: hits?.total?.relation !== 'gte' },
        aggregations,
      }
    } catch (error) {
      // A query that the cluster rejects is our bug.
      if (statusOf(error) === 400 && typeOf(error) !== 'search_phase_execution_exception') throw error
      throw unavailable(error)
    }
  }
}

async function connect(nodes: readonly string[]): Promise<Client> {
  // Loaded on demand: it takes a second and 40 MB, and few installations have a cluster.
  const { Client } = await import('@opensearch-project/opensearch')
  return new Client({ nodes: [...nodes], maxRetries: Math.max(2, nodes.length), requestTimeout: writeTimeoutMs })
}

const missingIs =
  <T>(value: T) =>
  (error: unknown): T => {
    if (statusOf(error) === 404) return value
    throw error
  }

/** Connects to a cluster without sending anything: it need not run yet. @param nodes their addresses */
export async function createCluster(nodes: readonly string[]): Promise<Cluster> {
  const client = await connect(nodes)
  return {
    search: createSearch(client),
    write: async (index, writes) => {
      if (writes.length === 0) return
      // A versioned delete would create a missing index despite `require_alias`.
      const deletes = writes.some(({ fields }) => fields === null)
      if (deletes && !(await client.indices.existsAlias({ name: writeAlias(index) })).body) {
        throw new IndexMissingError(`the index ${index} does not exist`)
      }
      const body = writes.flatMap(linesOf)
      const response = await client.bulk({ index: writeAlias(index), require_alias: true, body: body as never })
      const { errors, items } = response.body as unknown as { errors: boolean; items: Record<string, BulkItem>[] }
      if (errors) requireStored(items)
    },
    create: async (index, body) => {
      const aliases = { [writeAlias(index)]: {} }
      await client.indices.create({ index, body: { ...body, aliases } as never }).catch((error: unknown) => {
        if (typeOf(error) !== 'resource_already_exists_exception') throw error
      })
    },
    remove: async (index) => {
      await client.indices.delete({ index }).catch(missingIs(undefined))
    },
    pointAlias: async (alias, index) => {
      const { body: present } = await client.indices
        .getAlias({ name: alias })
        .catch(missingIs({ body: {} as Record<string, unknown> }))
      const names = Object.keys(present)
      if (names.length === 1 && names[0] === index) return
      const others = names.filter((name) => name !== index)
      const actions = [...others.map((name) => ({ remove: { index: name, alias } })), { add: { index, alias } }]
      await client.indices.updateAliases({ body: { actions } as never }).catch((error: unknown) => {
        throw statusOf(error) === 404 ? new IndexMissingError(`the index ${index} does not exist`) : error
      })
    },
    refresh: async (index) => {
      await client.indices.refresh({ index })
    },
    facts: async (index) => {
      const stats = await client.indices.stats({ index, metric: ['docs', 'store'] }).catch(missingIs(null))
      if (stats === null) return null
      const { primaries } = (
        stats.body as { _all: { primaries: { docs: { count: number }; store: { size_in_bytes: number } } } }
      )._all
      return { documents: primaries.docs.count, bytes: primaries.store.size_in_bytes }
    },
    close: () => client.close(),
  }
}
