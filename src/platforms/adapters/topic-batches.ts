import type { PlatformName } from '../../database/column-types.ts'
import type { Clock } from '../../runtime/clock.ts'
import { isTimeout, noAnswerInTime } from '../client/faults.ts'
import { type FoundRequest, type Page, PlatformError } from '../platform.ts'
import { searchWords } from '../topic-words.ts'

/** A first page that somebody waits for. */
interface Waiting {
  topic: string
  signal: AbortSignal
  resolve(page: Page | null): void
  reject(error: unknown): void
}

export interface FoundTogether {
  found: FoundRequest[]
  /** There may be more than was given: a topic without a match in it may still have some. */
  isFull: boolean
}

export interface BatchSearch {
  platform: PlatformName
  clock: Clock
  /** How many of the topics, from the first on, one request can hold; 1 when they cannot be asked for together. */
  countFitting(topics: readonly string[]): number
  fetchOne(topic: string, signal: AbortSignal): Promise<Page | null>
  /** @returns null when the platform does not take such a question. */
  fetchTogether(topics: readonly string[], signal: AbortSignal): Promise<FoundTogether | null>
}

/** How long topics are asked for one by one after a question for several was refused. */
const refusedMs = 3600_000

/**
 * First pages of several topics from a host that is asked for one thing at a time: what is wanted while a request is under way is
 * asked for together in the next one. Whoever comes alone gets a page of his own at once.
 */
export type FetchFirstPage = (topic: string, signal: AbortSignal) => Promise<Page | null>

export function createTopicBatches(search: BatchSearch): FetchFirstPage {
  const { platform, clock, countFitting, fetchOne, fetchTogether } = search
  let waiting: Waiting[] = []
  let isAsking = false
  let refusedUntil = new Date(0)

  const askOne = ({ topic, signal, resolve, reject }: Waiting) => fetchOne(topic, signal).then(resolve, reject)

  async function askTogether(batch: readonly Waiting[]): Promise<void> {
    const topics = batch.map(({ topic }) => topic)
    try {
      const answer = await fetchTogether(topics, whenAll(batch.map(({ signal }) => signal)))
      if (answer === null) {
        refusedUntil = new Date(clock.now().getTime() + refusedMs)
        waiting.unshift(...batch)
        return
      }
      const pages = shareOut(topics, answer.found)
      const isCrowdedOut = (index: number) => answer.isFull && pages[index]?.requests.length === 0
      for (const [index, { resolve }] of batch.entries()) if (!isCrowdedOut(index)) resolve(pages[index]!)
      // The others' matches took all the room.
      for (const [index, one] of batch.entries()) if (isCrowdedOut(index)) await askOne(one)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      for (const { signal, reject } of waiting) if (signal.aborted) reject(givenUp(platform, signal))
      waiting = waiting.filter(({ signal }) => !signal.aborted)
      const most = clock.now() < refusedUntil ? 1 : countFitting(waiting.map(({ topic }) => topic))
      const batch = waiting.splice(0, Math.max(1, most))
      if (batch.length > 1) await askTogether(batch)
      else if (batch[0]) await askOne(batch[0])
    }
    isAsking = false
  }
  return (topic, signal) =>
    new Promise((resolve, reject) => {
      waiting.push({ topic, signal, resolve, reject })
      if (!isAsking) void askAll()
    })
}

/** As the client puts it for who gives up while he is asked for. */
function givenUp(platform: PlatformName, signal: AbortSignal): PlatformError {
  if (isTimeout(signal.reason)) return noAnswerInTime(platform)
  return new PlatformError('cancelled', `The request to ${platform} was cancelled.`)
}

/** Aborted when all of the signals are: as long as one waits, the answer is wanted. */
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
 * Gives each topic the requests that have all of its words in title or text. The platform also looks where we cannot (comments) and
 * knows other forms of words: what has not all words of any topic goes to those of which it has the greatest share.
 */
export function shareOut(topics: readonly string[], found: readonly FoundRequest[]): Page[] {
  const words = topics.map((topic) => searchWords(topic).map((word) => word.toLowerCase()))
  // A later page is not the second one of the topic: who wants more begins with the first.
  const pages: Page[] = topics.map(() => ({ requests: [], nextCursor: { page: 1 } }))
  for (const request of found) {
    const text = `${request.title}\n${request.description}`.toLowerCase()
    const shares = words.map((own) => own.filter((word) => text.includes(word)).length / Math.max(1, own.length))
    const greatest = Math.max(...shares)
    if (greatest === 0) continue
    for (const [index, share] of shares.entries()) if (share === greatest) pages[index]?.requests.push(request)
  }
  return pages
}
