import { type Static, Type } from 'typebox'

/** The environment variables of searches: part of the schema in `config.ts`, which alone reads them. */
export const searchVariables = {
  SEARCH_ENGINE: Type.Union([Type.Literal('auto'), Type.Literal('bm25'), Type.Literal('tsvector')], {
    default: 'auto',
    description:
      '`bm25` (the extension pg_textsearch), `tsvector` (text search of every Postgres) or `auto`: BM25 where the database can have it. A database that has BM25 never loses it by itself: the start is refused instead',
  }),
}

const schema = Type.Object(searchVariables)

export type SearchEnvironment = Static<typeof schema>

/** Which engine searches, or `auto` for the best that the database can have. */
export type EngineChoice = SearchEnvironment['SEARCH_ENGINE']

export interface SearchConfig {
  searchEngine: EngineChoice
}

/** Interprets the variables of searches. */
export const readSearchConfig = (environment: SearchEnvironment): SearchConfig => ({
  searchEngine: environment.SEARCH_ENGINE,
})
