import { asFields, type Fields } from '../../content/fields.ts'
import { requiredList } from '../../content/items.ts'
import type { Refresh, Refreshed } from '../../platform.ts'
import type { RedditApi } from './api.ts'
import { isEscapedListing, readRedditPost, redditNameOf } from './post.ts'

/**
 * Reads known posts (`GET /api/info`, 100 per request). Posts marked as removed are `gone`. Reddit omits unknown and
 * private posts alike, so those are `unreadable`, and only the retention deletes them.
 */
export function createRedditRefresh(api: RedditApi): Refresh {
  return {
    maxHandles: 100,
    groupOf: () => 'reddit',
    async read(handles, signal) {
      const body = await api({ path: '/api/info', parameters: { id: handles.join(',') }, community: null, signal })
      const listing = asFields(asFields(body)?.data)
      const list = { label: 'reddit', items: 'posts', variable: 'REDDIT_API_URL' }
      const children = requiredList(listing?.children, list)
      const isEscaped = isEscapedListing(children)
      const posts = new Map(children.map(asFields).map((child) => [child && redditNameOf(child), child]))
      return handles.map((handle) => refreshedOf(handle, posts.get(handle) ?? null, isEscaped))
    },
  }
}

function refreshedOf(handle: string, child: Fields | null, isEscaped: boolean): Refreshed {
  const result = child && readRedditPost(child, isEscaped)
  if (result === null) return { handle, state: 'unreadable' }
  if (typeof result !== 'string') return { handle, state: 'found', request: result }
  return { handle, state: result === 'removed' ? 'gone' : 'unreadable' }
}
