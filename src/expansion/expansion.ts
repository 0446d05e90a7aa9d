import type { Clock } from '../clock.ts'
import type { Database } from '../database/open.ts'
import type { SearchIndex } from '../requests/search/search-index.ts'

/** The part of a pino logger that is needed here. It never gets a key, a header, a body or a text of the cache. */
export interface ExpansionLog {
  warn(fields: object, message: string): void
  debug(fields: object, message: string): void
}

/** The part of the global `fetch` that is needed here. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ExpansionConfig {
  /** Of an OpenAI-compatible API, `https://…/v1`; without it, topics come from the cache alone. */
  baseUrl: string | undefined
  apiKey: string | undefined
  model: string | undefined
  timeoutMs: number
}

export interface ExpansionDependencies {
  database: Database
  searchIndex: SearchIndex
  clock: Clock
  log: ExpansionLog
  config: ExpansionConfig
  fetch?: Fetch
}

export interface Expansion {
  /**
   * The topics that a query stands for: the query itself first, at most five, each fit to be scraped (2 to 100 characters, one
   * line) and different by `topicKey`. The query is trimmed, its white space is collapsed, and a longer one is cut at a word.
   * Empty only when the query has fewer than 2 characters.
   * @throws only when `signal` is aborted, with its reason, or when the database cannot be asked.
   */
  topicsFor(query: string, signal: AbortSignal): Promise<string[]>
}

/** Thinks of the topics to collect for a query; the README of this module states its law. */
export function createExpansion(_dependencies: ExpansionDependencies): Expansion {
  return {
    topicsFor: async (query, signal) => {
      signal.throwIfAborted()
      const topic = [...query.replace(/[\p{Cc}\s]+/gu, ' ').trim()].slice(0, 100).join('').trim()
      return topic.length < 2 ? [] : [topic]
    },
  }
}
