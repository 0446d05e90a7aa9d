import { type Static, Type } from 'typebox'
import type { Complain } from '../runtime/config-error.ts'
import { type ClusterConfig, clusterVariables, readClusterConfig } from './opensearch/settings.ts'

/** The environment variables of searches: part of the schema in `config.ts`, which alone reads them. */
export const searchVariables = {
  SEARCH_ENGINE: Type.Union([Type.Literal('auto'), Type.Literal('bm25'), Type.Literal('tsvector')], {
    default: 'auto',
    description:
      '`bm25` (the extension pg_textsearch), `tsvector` (text search of every Postgres) or `auto`: BM25 where the database can have it. A database that has BM25 never loses it by itself: the start is refused instead',
  }),
  ...clusterVariables,
}

const schema = Type.Object(searchVariables)

export type SearchEnvironment = Static<typeof schema>

/** Which engine searches, or `auto` for the best that the database can have. */
export type EngineChoice = SearchEnvironment['SEARCH_ENGINE']

export interface SearchConfig extends ClusterConfig {
  searchEngine: EngineChoice
}

/** Interprets the variables of searches. @param complain called with the first that is wrong. */
export function readSearchConfig(environment: SearchEnvironment, complain: Complain<SearchEnvironment>): SearchConfig {
  return { searchEngine: environment.SEARCH_ENGINE, ...readClusterConfig(environment, complain) }
}
