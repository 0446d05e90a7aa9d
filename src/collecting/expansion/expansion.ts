import type { Database } from '../../database/open.ts'
import type { ModelLog } from '../../model/endpoint.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { createCachePhrases } from './cache-phrases.ts'
import { createModel } from './model-answer.ts'
import type { ExpansionConfig } from './settings.ts'
import { distinctTopics, queryTopic, topicLimit } from './topics.ts'

interface SharedCall<T> {
  answer: Promise<T>
  waiting: number
  abort: AbortController
}

/** Shares the work of equal concurrent calls; aborted once no caller waits for it. Caches nothing. */
export function createCoalescedCalls<T>() {
  const underWay = new Map<string, SharedCall<T>>()

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): SharedCall<T> => {
    const abort = new AbortController()
    const call: SharedCall<T> = { abort, waiting: 0, answer: work(abort.signal) }
    underWay.set(key, call)
    const forget = () => {
      if (underWay.get(key) === call) underWay.delete(key)
    }
    call.answer.then(forget, forget)
    return call
  }

  /** @throws the work's error, or at once the reason of `signal` */
  return async (key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    signal.throwIfAborted()
    const call = underWay.get(key) ?? start(key, work)
    call.waiting += 1
    let leave = () => {}
    const aborted = new Promise<never>((_resolve, reject) => {
      leave = () => reject(signal.reason)
      signal.addEventListener('abort', leave, { once: true })
    })
    try {
      return await Promise.race([call.answer, aborted])
    } finally {
      signal.removeEventListener('abort', leave)
      call.waiting -= 1
      if (call.waiting === 0 && underWay.get(key) === call) {
        underWay.delete(key)
        call.abort.abort(signal.reason)
      }
    }
  }
}

export interface ExpansionDependencies {
  database: Database
  searchIndex: SearchIndex
  clock: Clock
  log: ModelLog
  config: ExpansionConfig
}

export interface Expansion {
  /**
   * Up to five topics, the query itself first (white space collapsed, cut if long): valid for a scrape and distinct by
   * `topicKey`.
   * @returns an empty list if the query has fewer than 2 characters, or no letter, digit or emoji
   * @throws the reason of `signal` on abort; database errors
   */
  topicsFor(query: string, signal: AbortSignal): Promise<string[]>
}

/** Cached phrases sent to a model to choose from. */
const phrasesForModel = 20

/** Expands queries to topics; this module's README states its rules. */
export function createExpansion(dependencies: ExpansionDependencies): Expansion {
  const { clock, log, config } = dependencies
  const cache = createCachePhrases(dependencies)
  const model = config.model ? createModel({ config: config.model, clock, log }) : null
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
