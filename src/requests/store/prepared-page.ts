import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import { searchTextOf } from '../search/text.ts'

/** A page made ready to be stored: each request once, in the order of their keys, with the text that it is found by. */
export interface PreparedPage {
  requests: { request: FoundRequest; text: string }[]
  /** Known requests that did not change but were last refreshed before this are marked as seen; null for none. */
  markSeenBefore: Date | null
}

export interface FoundPage extends PreparedPage {
  platform: PlatformName
  /** Null for a live collection: its requests cannot be listed by job. */
  jobId: string | null
  topic: string
  now: Date
}

/**
 * The part of storing that needs no database, before its transaction begins. A text can take milliseconds to normalise, so the
 * event loop runs between two of them.
 */
export async function preparePage(
  requests: readonly FoundRequest[],
  markSeenBefore: Date | null,
): Promise<PreparedPage> {
  // A later mention on the same page wins: one statement may not touch a row twice.
  const distinct = [...new Map(requests.map((request) => [request.sourceId, request])).values()]
  // In the order of their keys, so that two transactions that meet on the same requests cannot deadlock.
  distinct.sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
  const prepared: PreparedPage = { requests: [], markSeenBefore }
  const pause = createPauses()
  for (const request of distinct) {
    prepared.requests.push({ request, text: searchTextOf(request) })
    await pause()
  }
  return prepared
}
