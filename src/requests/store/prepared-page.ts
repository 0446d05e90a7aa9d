import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest, Page } from '../../platforms/platform.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import { detect } from '../detection/detect.ts'
import { voiceOf } from '../voices/voices.ts'
import { searchTextOf } from '../words/text.ts'

/**
 * What becomes of a request of a page: on topic it joins the topic and the job, incomplete it joins the job, off topic it is only
 * refreshed, when it is stored already.
 */
export type Relevance = 'onTopic' | 'incomplete' | 'offTopic'

export interface PreparedRequest {
  request: FoundRequest
  relevance: Relevance
  /** What it is found by; null where that is written in the background, after a large import. */
  text: string | null
  /** What it is told from other voices by (`voiceOf`). */
  voice: Buffer
  /** By its platform, else by detection; 0 to 1. */
  confidence: number
}

/** A page made ready to be stored: each request once, in the order of their keys. */
export interface PreparedPage {
  requests: PreparedRequest[]
  /** Known requests that did not change but were last refreshed before this are marked as seen; null for none. */
  markSeenBefore: Date | null
}

export interface FoundPage extends PreparedPage {
  platform: PlatformName
  /** Null for a live collection: its requests cannot be listed by job. */
  jobId: string | null
  /** The job of a live collection, which says whether an expansion thought of the topic. */
  unownedJobId?: string
  topic: string
  now: Date
}

/** Each request once, and in the order of their keys, so that two transactions that meet on the same requests cannot deadlock. */
function distinctRequests({ requests, incomplete = [], offTopic = [] }: FetchedRequests) {
  const withKeys = (found: readonly FoundRequest[], relevance: Relevance) =>
    found.map((request) => [request.sourceId, { request, relevance }] as const)
  // A later mention on the same page wins, on topic over the others: one statement may not touch a row twice.
  const all = [
    ...withKeys(offTopic, 'offTopic'),
    ...withKeys(incomplete, 'incomplete'),
    ...withKeys(requests, 'onTopic'),
  ]
  return [...new Map(all).values()]
}

/** Normalises and judges the text of a request. @param isFoundLater whether its searched text is written in the background */
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

/**
 * The part of storing that needs no database, before its transaction begins. A text can take milliseconds to normalise, so the
 * event loop runs between two of them.
 */
export async function preparePage(
  platform: PlatformName,
  fetched: FetchedRequests,
  markSeenBefore: Date | null,
  isFoundLater = false,
): Promise<PreparedPage> {
  const prepared: PreparedPage = { requests: [], markSeenBefore }
  // The page before it may be being stored: each answer of the database waits until the event loop is free.
  const pause = createPauses(1)
  for (const { request, relevance } of distinctRequests(fetched)) {
    prepared.requests.push(prepareRequest(platform, request, relevance, isFoundLater))
    await pause()
  }
  return prepared
}
