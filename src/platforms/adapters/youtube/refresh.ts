import type { Budget } from '../../budget/budget.ts'
import { asFields } from '../../content/fields.ts'
import { readItems, requiredList } from '../../content/items.ts'
import { type Refresh, type Refreshed, unreadable } from '../../platform.ts'
import { type CallYoutube, ClosedVideoError } from './call.ts'
import { readRefreshHandle, readThread, type Video } from './post.ts'

/** More is an error (sns-sdks/python-youtube#103). */
const maxHandles = 50

export interface YoutubeRefreshOptions {
  call: CallYoutube
  commentBudget: Budget
}

/**
 * 50 comments cost one unit of the daily quota (`GET /commentThreads?id=`). A missing comment may still exist
 * (Benjamin-Loison/YouTube-operational-API#286), so it is `unreadable`: only the retention deletes it.
 */
export function createYoutubeRefresh({ call, commentBudget }: YoutubeRefreshOptions): Refresh {
  return {
    maxHandles,
    groupOf: () => 'comments',
    async read(handles, signal) {
      const known = handles.map((handle) => ({ handle, ...readRefreshHandle(handle) }))
      // `maxResults`, `order` and `searchTerms` are refused with `id`.
      const parameters = { id: known.map(({ commentId }) => commentId).join(','), textFormat: 'plainText' }
      try {
        const { body } = await call({
          path: '/commentThreads',
          parameters,
          budget: commentBudget,
          signal,
          isAboutVideo: true,
        })
        return await readRefreshed(known, body)
      } catch (error) {
        if (!(error instanceof ClosedVideoError)) throw error
        return unreadable(handles)
      }
    },
  }
}

async function readRefreshed(
  known: { handle: string; commentId: string; video: Video }[],
  body: unknown,
): Promise<Refreshed[]> {
  const items = requiredList(asFields(body)?.items, {
    label: 'youtube',
    items: 'comments',
    variable: 'YOUTUBE_API_URL',
  })
  const videos = new Map<unknown, Video>(known.map(({ commentId, video }) => [commentId, video]))
  const { requests } = await readItems(items, (thread) => {
    const video = videos.get(thread.id)
    return video ? readThread(thread, video) : null
  })
  const byId = new Map(requests.map((request) => [request.sourceId, request]))
  return known.map(({ handle, commentId }) => {
    const request = byId.get(commentId)
    return request ? { handle, state: 'found', request } : { handle, state: 'unreadable' }
  })
}
