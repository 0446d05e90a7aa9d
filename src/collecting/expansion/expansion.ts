import type { Database } from '../../database/open.ts'
import type { ModelLog } from '../../model/endpoint.ts'
import { userAgentFor } from '../../platforms/client/client.ts'
import { topicKey } from '../../platforms/topic-key.ts'
import type { Clock } from '../../runtime/clock.ts'
import { version } from '../../runtime/version.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { createCachePhrases } from './cache-phrases.ts'
import { createCoalescedCalls } from './coalesced-calls.ts'
import { createModel } from './model.ts'
import type { ExpansionConfig } from './settings.ts'
import { distinctTopics, queryTopic, topicLimit } from './topics.ts'

export interface ExpansionDependencies {
  database: Database
  searchIndex: SearchIndex
  clock: Clock
  log: ModelLog
  config: ExpansionConfig
}

export interface Expansion {
  /**
   * The topics of a query: the query itself first, at most five, each valid for a scrape (2 to 100 characters, one line, at least
   * one word) and different by `topicKey`. White space of the query is collapsed, and a longer query is cut.
   * @returns an empty list when the query itself is no topic: fewer than 2 characters, or no letter, digit or emoji.
   * @throws the reason of `signal` as soon as it is aborted; what the database throws.
   */
  topicsFor(query: string, signal: AbortSignal): Promise<string[]>
}

/** How many phrases of the cache are sent to a model, which chooses among them. */
const phrasesForModel = 20

/** Expands queries to topics; the README of this module states its law. */
export function createExpansion(dependencies: ExpansionDependencies): Expansion {
  const { clock, log, config } = dependencies
  const cache = createCachePhrases(dependencies)
  const model = config.model
    ? createModel({ config: config.model, clock, log, userAgent: userAgentFor(version) })
    : null
  const share = createCoalescedCalls<string[]>()

  const related = async (query: string, signal: AbortSignal): Promise<string[]> => {
    const phrases = await cache.phrasesFor(query, phrasesForModel, signal)
    return (await model?.suggest({ query, phrases }, signal)) ?? phrases
  }

  return {
    topicsFor: async (query, signal) => {
      signal.throwIfAborted()
      const topic = queryTopic(query)
      if (topic === null) return []
      const others = await share(topicKey(topic), signal, (shared) => related(topic, shared))
      return distinctTopics([topic, ...others]).slice(0, topicLimit)
    },
  }
}
