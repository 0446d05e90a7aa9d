import type { Setup } from '../growth/estimate.ts'

// What bench/setups.ts measures.

/** Calls of some clients. */
export interface Speed {
  p50Ms: number
  p99Ms: number
  perSecond: number
}

/** The mean CPU time of a search, in milliseconds; null for a part that a setup has not. */
export interface Processors {
  service: number
  postgres: number | null
  openSearch: number | null
}

export interface SearchFigures {
  query: string
  one: Speed
  eight: Speed
  processors: Processors
}

/** How the search index of a setup was built of all requests. */
export interface Build {
  seconds: number
  /** Of one copy, on disk. */
  bytes: number
  /** Of what builds it: the thread of a local index, the nodes of OpenSearch, Postgres. */
  cpuSeconds: number
}

/** From the COMMIT of a stored request to the end of the first search that finds it. */
export interface Visibility {
  /** What else was stored meanwhile, in requests a second. */
  otherwiseStored: number
  rounds: number
  p50Ms: number
  maxMs: number
  /** Rounds in which the database answered, since the index of the process was too far behind. */
  byDatabase: number
}

/** The mean nDCG@10 of a judged collection. */
export type Quality = Record<string, number>

export interface SetupResult {
  setup: Setup
  searches: SearchFigures[]
  /** The mean share of the ten best that the embedded service has as well, by query; null without an embedded one in the run. */
  overlap: Record<string, number> | null
  build: Build | null
  visibility: Visibility[]
  quality: Quality
}

/** How the requests came into a database. */
export interface Loaded {
  seconds: number
  /** How many an interrupted run had stored. */
  from: number
}

/** Bytes on disk. */
export interface Sizes {
  /** The embedded database, and the BM25 index in it. */
  embedded: number
  embeddedIndex: number
  /** The Postgres without the indexes of its search engines. */
  postgres: number
  copies: number
}

export interface Results {
  when: string
  cores: number
  model: string
  size: number
  loaded: { embedded: Loaded; postgres: Loaded }
  sizes: Sizes
  setups: SetupResult[]
  /** Why a setup or a measurement is missing. */
  skipped: string[]
}
