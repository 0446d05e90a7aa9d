import { type Static, Type } from 'typebox'
import type { Complain } from '../runtime/config-error.ts'

/** The environment variables of a search cluster, a part of those of search. */
const clusterVariables = {
  SEARCH_URL: Type.Optional(
    Type.String({
      'x-kind': 'secret',
      description:
        'an OpenSearch cluster that searches instead of the database, such as `https://name:password@host:9200`; several nodes as a comma list; needs `DATABASE_URL`',
    }),
  ),
  SEARCH_SHARDS: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 1,
    description: 'into how many shards a new search index is divided; one for every 10 million requests is enough',
  }),
}

const clusterSchema = Type.Object(clusterVariables)

type ClusterEnvironment = Static<typeof clusterSchema>

interface ClusterConfig {
  /** Node addresses, which may include name and password; null if the database searches. */
  searchNodes: readonly string[] | null
  searchShards: number
}

interface WithDatabase {
  DATABASE_URL?: string | undefined
}

function isAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.hash === ''
}

/** Validates the variables of a search cluster. @param complain called with the first error */
function readClusterConfig(
  { SEARCH_URL: nodes, SEARCH_SHARDS: searchShards, DATABASE_URL: databaseUrl }: ClusterEnvironment & WithDatabase,
  complain: Complain<ClusterEnvironment>,
): ClusterConfig {
  if (nodes === undefined) return { searchNodes: null, searchShards }
  const searchNodes = nodes.split(',').map((node) => node.trim())
  if (!searchNodes.every(isAddress)) complain('SEARCH_URL', 'must be http or https addresses without a path.')
  if (databaseUrl === undefined) complain('SEARCH_URL', 'needs DATABASE_URL; the embedded database has its own search.')
  return { searchNodes, searchShards }
}

/** The environment variables of search, part of the schema in `config.ts`, which alone reads them. */
export const searchVariables = {
  SEARCH_ENGINE: Type.Union([Type.Literal('auto'), Type.Literal('bm25'), Type.Literal('tsvector')], {
    default: 'auto',
    description:
      '`bm25` (the extension pg_textsearch), `tsvector` (text search of every Postgres) or `auto`: BM25 where the database can have it. A database that has BM25 never loses it by itself: the start is refused instead',
  }),
  ...clusterVariables,
}

const searchSchema = Type.Object(searchVariables)

export type SearchEnvironment = Static<typeof searchSchema>

/** The engine to use; `auto` for the best that the database supports. */
export type EngineChoice = SearchEnvironment['SEARCH_ENGINE']

export interface SearchConfig extends ClusterConfig {
  searchEngine: EngineChoice
}

/** Validates the variables of search. @param complain called with the first error */
export function readSearchConfig(environment: SearchEnvironment, complain: Complain<SearchEnvironment>): SearchConfig {
  return { searchEngine: environment.SEARCH_ENGINE, ...readClusterConfig(environment, complain) }
}
