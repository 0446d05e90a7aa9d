import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest, Page } from '../../platforms/platform.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import { detect } from '../detection/detect.ts'
import { voiceOf } from '../voices/voices.ts'
import { searchTextOf } from '../words/text.ts'

/** On topic: joins topic and job. Incomplete: joins the job. Off topic: only refreshed, if already stored. */
export type Relevance = 'onTopic' | 'incomplete' | 'offTopic'

export interface PreparedRequest {
  request: FoundRequest
  relevance: Relevance
  /** The searched text; null if it is written in the background, after a large import. */
  text: string | null
  /** Tells voices apart (`voiceOf`). */
  voice: Buffer
  /** By the platform, else by detection; 0 to 1. */
  confidence: number
}

/** A page ready to store: distinct requests, ordered by key. */
export interface PreparedPage {
  requests: PreparedRequest[]
  /** Unchanged requests last refreshed before this are marked as seen; null for none. */
  markSeenBefore: Date | null
}

export interface FoundPage extends PreparedPage {
  platform: PlatformName
  /** Null for a live collection, whose requests cannot be listed by job. */
  jobId: string | null
  /** The job of a live collection, which tells whether an expansion suggested the topic. */
  unownedJobId?: string
  topic: string
  now: Date
}

/** Deduplicates and sorts requests by key, so that concurrent transactions on the same requests cannot deadlock. */
function distinctRequests({ requests, incomplete = [], offTopic = [] }: FetchedRequests) {
  const withKeys = (found: readonly FoundRequest[], relevance: Relevance) =>
    found.map((request) => [request.sourceId, { request, relevance }] as const)
  // The last mention wins, and on topic beats the others: one statement may not touch a row twice.
  const all = [
    ...withKeys(offTopic, 'offTopic'),
    ...withKeys(incomplete, 'incomplete'),
    ...withKeys(requests, 'onTopic'),
  ]
  return [...new Map(all).values()]
}

/** Normalizes and judges a request's text. @param isFoundLater whether its search text is written later */
export function prepareRequest(
  platform: PlatformName,
  request: FoundRequest,
  relevance: Relevance,
  isFoundLater = false,
): PreparedRequest {
  const confidence = request.confidence ?? detect({ ...request, platform }).confidence
  const text = isFoundLater ? null : searchTextOf(request)
  return { request, relevance, text, voice: voiceOf(platform, request), confidence }
}

type FetchedRequests = Pick<Page, 'requests' | 'incomplete' | 'offTopic'>

/** Prepares a page before its transaction. Yields between texts: normalizing one can take milliseconds. */
export async function preparePage(
  platform: PlatformName,
  fetched: FetchedRequests,
  markSeenBefore: Date | null,
  isFoundLater = false,
): Promise<PreparedPage> {
  const prepared: PreparedPage = { requests: [], markSeenBefore }
  // The previous page may be mid-storage, and each database answer waits for a free event loop.
  const pause = createPauses(1)
  for (const { request, relevance } of distinctRequests(fetched)) {
    prepared.requests.push(prepareRequest(platform, request, relevance, isFoundLater))
    await pause()
  }
  return prepared
}
