import type { CollectionProgress, CollectionState } from '../collecting/live/gathering.ts'
import { ApiError } from './answers.ts'
import type { Api } from './api.ts'
import type { Answer, Body, Schemas } from './api-types.ts'
import { exitCodes } from './exit-codes.ts'
import { createProgress, type Progress } from './progress.ts'
import { count, formatDuration, printable } from './text.ts'

type ExpandedAnswer = Answer<'searchRequests'> & { meta: Required<Pick<Answer<'searchRequests'>['meta'], Collected>> }
type Collected = 'topicsScraped' | 'topicsSkipped' | 'newResultsFound' | 'scrapingTimeMs' | 'errors'

type Stream = NodeJS.WritableStream & { isTTY?: boolean }

/** A topic's state: running until its last collection ended. */
function stateOf(states: readonly CollectionState[]) {
  if (states.includes('waiting')) return 'running'
  if (states.includes('done')) return 'done'
  return states.includes('error') ? 'error' : 'skipped'
}

function detailOf(collections: readonly CollectionProgress[]): string {
  if (collections.every(({ state }) => state === 'fresh')) return 'fresh'
  const ended = collections.filter(({ state }) => state !== 'waiting').length
  const found = collections.reduce((sum, { newRequests }) => sum + newRequests, 0)
  return `${ended} of ${count(collections.length, 'platform')}, ${found} new`
}

/** Shows the progress per topic of an expanded search: bars on a terminal, else a line per change. */
class TopicProgress {
  readonly #stream: Stream
  readonly #movesCursor: boolean
  readonly #collections = new Map<string, Map<string, CollectionProgress>>()
  #progress: Progress | null = null

  constructor(stream: Stream, movesCursor: boolean) {
    this.#stream = stream
    this.#movesCursor = movesCursor
  }

  begin(topics: readonly string[]): void {
    this.#stream.write(`Topics: ${topics.map(printable).join(', ') || 'none'}\n`)
    this.#progress ??= createProgress(this.#stream, topics, this.#movesCursor)
  }

  update(collection: CollectionProgress): void {
    const { topic, platform } = collection
    const ofTopic = this.#collections.get(topic) ?? new Map<string, CollectionProgress>()
    this.#collections.set(topic, ofTopic.set(platform, collection))
    const collections = [...ofTopic.values()]
    const state = stateOf(collections.map((one) => one.state))
    this.#progress?.update({ [topic]: state }, { [topic]: { text: detailOf(collections) } })
  }

  stop(): void {
    this.#progress?.stop()
  }
}

interface ErrorEvent {
  status: number
  error: Schemas['Error']['error']
}

function failureOf({ status, error }: ErrorEvent): ApiError {
  const exitCode = status === 429 ? exitCodes.limited : exitCodes.failed
  return new ApiError(printable(String(error?.message)), exitCode, { temporary: status >= 500, answerLost: false })
}

/** Runs an expanded search, with progress on `stream`. @throws ApiError, also if the stream ends without an answer. */
export async function searchExpanded(
  api: Api,
  body: Body<'searchRequests'>,
  { stream, movesCursor, signal }: { stream: Stream; movesCursor: boolean; signal: AbortSignal },
): Promise<ExpandedAnswer> {
  const progress = new TopicProgress(stream, movesCursor)
  try {
    for await (const { event, data } of api.expandSearch(body, signal)) {
      const value: unknown = JSON.parse(data)
      if (event === 'topics') progress.begin((value as { topics: string[] }).topics)
      else if (event === 'collection') progress.update(value as CollectionProgress)
      else if (event === 'error') throw failureOf(value as ErrorEvent)
      else if (event === 'result') return value as ExpandedAnswer
    }
  } finally {
    progress.stop()
  }
  throw new ApiError('The service ended the search without an answer. Try again.', exitCodes.unreachable, {
    temporary: true,
    answerLost: true,
  })
}

/** Formats an expanded search's collections. */
export function formatExpansion({ meta, usage }: ExpandedAnswer): string[] {
  const { topicsScraped, topicsSkipped, newResultsFound, scrapingTimeMs, errors } = meta
  const fresh = topicsSkipped === 0 ? '' : ` (${topicsSkipped} fresh already)`
  return [
    ...errors.map(
      ({ platform, topic, code, message }) =>
        `${printable(platform)} (${printable(topic)}): ${code}: ${printable(message)}`,
    ),
    `Collected ${count(topicsScraped, 'topic')}${fresh}: ${newResultsFound} new requests in ${formatDuration(scrapingTimeMs)}. ` +
      `Credits: ${usage.credits.remaining} of ${usage.credits.limit} left.`,
  ]
}
