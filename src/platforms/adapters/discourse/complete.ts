import { asFields, type Fields } from '../../content/fields.ts'
import { type FoundRequest, PlatformError } from '../../platform.ts'
import type { Forum } from './forum.ts'
import { readTopicPage, topicIdOf } from './post.ts'

export interface Completion {
  forum: Forum
  /** The words of the topic: the excerpts that lack one of them come first. */
  words: readonly string[]
  signal: AbortSignal
  /** Sends `GET /t/<id>.json`; it fails instead of waiting when the limits of the forum allow no request now. */
  getTopic(id: string, signal: AbortSignal): Promise<unknown>
}

/** The maximum number of further requests for one page of a search. */
const completedAPage = 5
/** As many as a forum is sent at the same time, so that none of them finds the queue full. */
export const parallelReads = 2
/** How long a page waits for them, in milliseconds. */
const patienceMs = 2_000

/**
 * Completes excerpts by the pages of their topics. A text that cannot be completed now stays an excerpt: the page never fails
 * because of it.
 */
export async function completeExcerpts(
  requests: readonly FoundRequest[],
  { forum, words, signal, getTopic }: Completion,
): Promise<FoundRequest[]> {
  const excerpts = requests.filter(({ excerpt }) => excerpt)
  const isSure = ({ title, description }: FoundRequest) => hasAll(`${title} ${description}`, words)
  const chosen = [...excerpts.filter((one) => !isSure(one)), ...excerpts.filter(isSure)].slice(0, completedAPage)
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const completed = new Map<FoundRequest, FoundRequest>()
  const next = chosen.values()
  const completeNext = async () => {
    for (const request of next) {
      const topic = readTopicPage(await orNull(getTopic(topicIdOf(request, forum), patience)), forum)
      if (isFound(topic) && topic.sourceId === request.sourceId && topic.description !== '') {
        // A search gives the category's name and the votes of newer plugins; only the text comes from the topic.
        completed.set(request, { ...request, description: topic.description, excerpt: false })
      }
    }
  }
  await Promise.all(Array.from({ length: parallelReads }, completeNext))
  return requests.map((request) => completed.get(request) ?? request)
}

const isFound = (result: ReturnType<typeof readTopicPage>): result is FoundRequest =>
  result !== null && typeof result !== 'string'

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word.toLowerCase()))
}

async function orNull(answer: Promise<unknown>): Promise<Fields | null> {
  try {
    return asFields(await answer)
  } catch (error) {
    if (error instanceof PlatformError) return null
    throw error
  }
}
