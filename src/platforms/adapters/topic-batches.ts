import type { Discarded, PlatformName } from '../../database/column-types.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createTopicTest } from '../about-topic.ts'
import { isTimeout, noAnswerInTime } from '../client/faults.ts'
import { type FoundRequest, type Page, PlatformError } from '../platform.ts'
import { searchWords } from '../topic-words.ts'

interface Waiting {
  topic: string
  signal: AbortSignal
  resolve(page: Page | null): void
  reject(error: unknown): void
}

export interface FoundTogether {
  found: FoundRequest[]
  /** Items the answer left out, counted for the first topic only, so each counts once. */
  discarded?: Discarded
  /** The page was full: topics without a match may still have some. */
  isFull: boolean
}

export interface BatchSearch {
  platform: PlatformName
  clock: Clock
  /** How many of the first topics fit into one query; at least 1. */
  countFitting(topics: readonly string[]): number
  fetchOne(topic: string, signal: AbortSignal): Promise<Page | null>
  /** @returns null if the platform refuses a combined query */
  fetchTogether(topics: readonly string[], signal: AbortSignal): Promise<FoundTogether | null>
}

/** How long topics are searched separately after a refusal. */
const refusedMs = 3600_000

/** @returns null if the topic has no first page */
export type FetchFirstPage = (topic: string, signal: AbortSignal) => Promise<Page | null>

/** Batches first pages: topics that arrive during a request share the next one, a lone topic is searched at once. */
export function createTopicBatches(search: BatchSearch): FetchFirstPage {
  const { platform, clock, countFitting, fetchOne, fetchTogether } = search
  let waiting: Waiting[] = []
  let isRunning = false
  let refusedUntil = new Date(0)

  const searchOne = ({ topic, signal, resolve, reject }: Waiting) => fetchOne(topic, signal).then(resolve, reject)

  async function searchTogether(batch: readonly Waiting[]): Promise<void> {
    const topics = batch.map(({ topic }) => topic)
    try {
      const answer = await fetchTogether(topics, whenAll(batch.map(({ signal }) => signal)))
      if (answer === null) {
        refusedUntil = new Date(clock.now().getTime() + refusedMs)
        waiting.unshift(...batch)
        return
      }
      const pages = shareOut(topics, answer.found)
      if (answer.discarded) pages[0]!.discarded = answer.discarded
      const tests = topics.map((topic) => createTopicTest(topic))
      const isCrowdedOut = (index: number) => answer.isFull && !pages[index]!.requests.some(tests[index]!)
      for (const [index, { resolve }] of batch.entries()) if (!isCrowdedOut(index)) resolve(pages[index]!)
      // Other topics' matches filled the page.
      for (const [index, one] of batch.entries()) if (isCrowdedOut(index)) await searchOne(one)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  async function runBatches(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      for (const { signal, reject } of waiting) if (signal.aborted) reject(abortError(platform, signal))
      waiting = waiting.filter(({ signal }) => !signal.aborted)
      const limit = clock.now() < refusedUntil ? 1 : countFitting(waiting.map(({ topic }) => topic))
      const batch = waiting.splice(0, Math.max(1, limit))
      if (batch.length > 1) await searchTogether(batch)
      else if (batch[0]) await searchOne(batch[0])
    }
    isRunning = false
  }
  return (topic, signal) =>
    new Promise((resolve, reject) => {
      waiting.push({ topic, signal, resolve, reject })
      if (!isRunning) void runBatches()
    })
}

/** The client's error for callers that abort. */
function abortError(platform: PlatformName, signal: AbortSignal): PlatformError {
  if (isTimeout(signal.reason)) return noAnswerInTime(platform)
  return new PlatformError('cancelled', `The request to ${platform} was cancelled.`)
}

/** Aborted only when all signals are: one caller may still wait. */
function whenAll(signals: readonly AbortSignal[]): AbortSignal {
  const abort = new AbortController()
  const check = () => {
    if (signals.every(({ aborted }) => aborted)) abort.abort(signals[0]?.reason)
  }
  for (const signal of signals) signal.addEventListener('abort', check, { once: true, signal: abort.signal })
  check()
  return abort.signal
}

/**
 * The platform also matches comments: a request about no topic goes to those sharing most words, where it is not
 * stored, only refreshed if already stored.
 */
export function shareOut(topics: readonly string[], found: readonly FoundRequest[]): Page[] {
  const words = topics.map((topic) => searchWords(topic).map((word) => word.toLowerCase()))
  // A shared page says nothing about a topic's own pages, so each topic continues with its own first page.
  const pages: Page[] = topics.map(() => ({ requests: [], nextCursor: { page: 1 } }))
  const tests = topics.map((topic) => createTopicTest(topic))
  for (const request of found) {
    const isAbout = tests.map((test) => test(request))
    for (const [index, is] of isAbout.entries()) if (is) pages[index]?.requests.push(request)
    if (isAbout.includes(true)) continue
    const text = `${request.title}\n${request.description}`.toLowerCase()
    const shares = words.map((own) => own.filter((word) => text.includes(word)).length / Math.max(1, own.length))
    const largest = Math.max(...shares)
    if (largest === 0) continue
    for (const [index, share] of shares.entries()) if (share === largest) pages[index]?.requests.push(request)
  }
  return pages
}
