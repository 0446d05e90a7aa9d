import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { ServiceError } from '../../http/errors.ts'
import { bodyErrors, closed, errorResponses, nullable, oneOf } from '../../http/schemas.ts'
import type { SearchIndex } from '../search-index.ts'
import type { ClusterSearch } from './cluster-search.ts'
import { beginRebuild } from './indexes.ts'
import { readStatus } from './status.ts'

export interface SearchIndexDependencies {
  database: Database
  authentication: Authentication
  searchIndex: SearchIndex
  /** Null if the database searches. */
  searchCluster: ClusterSearch | null
}

const security = [{ adminKey: [] }]
const tags = ['Admin']

const status = closed({
  engine: Type.String({ description: 'What searches: `bm25`, `tsvector` or `opensearch`' }),
  isReachable: Type.Boolean({ description: 'Whether it answers' }),
  alias: nullable(Type.String({ description: 'The name in the cluster that stands for the index that serves' })),
  indexes: Type.Array(
    closed({
      name: Type.String(),
      state: oneOf(['creating', 'building', 'serving', 'retired']),
      shards: Type.Integer(),
      isCopied: Type.Boolean({ description: 'Whether it has a copy of all requests, and follows their changes' }),
      documents: nullable(Type.Integer()),
      bytes: nullable(Type.Integer()),
      unreadChanges: Type.Integer({
        description: 'Changes that it does not have yet; 10,000 stand for that many or more',
      }),
      lagMs: Type.Integer({ description: 'The age of the oldest of them' }),
    }),
  ),
})

/** Registers the operator's routes that show and rebuild the search index. */
export function registerSearchIndexRoutes(app: App, dependencies: SearchIndexDependencies): void {
  const { database, authentication, searchIndex, searchCluster } = dependencies
  const onRequest = authentication.requireAdmin
  const readSearchIndex = async () => {
    if (searchCluster !== null)
      return { engine: searchIndex.kind, ...(await readStatus(database, searchCluster.cluster)) }
    return { engine: searchIndex.kind, isReachable: true, alias: null, indexes: [] }
  }
  app.get('/api/admin/search-index', {
    onRequest,
    schema: {
      operationId: 'readSearchIndex',
      summary: 'The search index, and how far it is behind the database',
      tags,
      security,
      response: { 200: closed({ data: status }), ...errorResponses('UNAUTHORIZED') },
    },
    handler: async () => ({ data: await readSearchIndex() }),
  })
  app.post('/api/admin/search-index/rebuild', {
    onRequest,
    schema: {
      operationId: 'rebuildSearchIndex',
      summary: 'Build the search index in the cluster anew',
      description: 'The present index serves until the new one is complete. Only with `SEARCH_URL`.',
      tags,
      security,
      response: { 200: closed({ data: status }), ...errorResponses(...bodyErrors, 'CONFLICT') },
    },
    handler: async () => {
      if (searchCluster === null) {
        throw new ServiceError(
          'CONFLICT',
          'Searches read the database, whose index is always complete. Set SEARCH_URL to use a cluster.',
        )
      }
      if (!(await beginRebuild(database, searchCluster.shards))) {
        throw new ServiceError(
          'CONFLICT',
          'A search index is being built already. GET /api/admin/search-index says how far it is.',
        )
      }
      return { data: await readSearchIndex() }
    },
  })
}
