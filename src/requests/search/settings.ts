import { type Static, Type } from 'typebox'

/** The environment variables of searches: part of the schema in `config.ts`, which alone reads them. */
export const searchVariables = {
  SEARCH_ENGINE: Type.Union([Type.Literal('auto'), Type.Literal('local')], {
    default: 'auto',
    description:
      '`auto`: the best search that the database has; `local`: this process keeps a search index of its own in `DATA_DIR`, which no other process may use; needs `DATABASE_URL`',
  }),
}

const schema = Type.Object(searchVariables)

export type SearchEnvironment = Static<typeof schema>

/** Which engine searches. */
export type EngineChoice = SearchEnvironment['SEARCH_ENGINE']

export interface SearchConfig {
  searchEngine: EngineChoice
}

/** Says which variable is wrong and what it should be. */
type Complain = (variable: keyof SearchEnvironment, what: string) => never

/** Interprets the variables of searches. @param complain called when they do not fit the database. */
export function readSearchConfig(
  { SEARCH_ENGINE: searchEngine }: SearchEnvironment,
  complain: Complain,
  databaseUrl: string | undefined,
): SearchConfig {
  if (searchEngine === 'local' && databaseUrl === undefined) {
    complain('SEARCH_ENGINE', 'local needs DATABASE_URL; the embedded database has such an index itself.')
  }
  return { searchEngine }
}
