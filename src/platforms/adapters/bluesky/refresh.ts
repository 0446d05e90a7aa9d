import { asFields } from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import type { Refresh, Refreshed } from '../../platform.ts'
import { requiredList } from '../required-list.ts'
import type { Bluesky } from './call.ts'
import { readBlueskyPost } from './post.ts'

/** The lexicon of `app.bsky.feed.getPosts` allows so many. */
const maxHandles = 25

/**
 * Reads known posts again by their addresses (`app.bsky.feed.getPosts`). A post that was deleted is not in the answer, nor is one of
 * an account that is closed for a while: it is `missing`. A post that moderators have hidden since is `gone`.
 */
export function createBlueskyRefresh({ clock, call }: Bluesky): Refresh {
  return {
    maxHandles,
    groupOf: () => 'posts',
    async read(handles, signal) {
      const uris = handles.map((handle): [string, string] => ['uris', handle])
      const { body } = await call('app.bsky.feed.getPosts', uris, signal)
      const posts = requiredList(asFields(body)?.posts, {
        label: 'bluesky',
        items: 'posts',
        variable: 'BLUESKY_API_URL',
      })
      const hidden = new Set<unknown>()
      const { requests } = await readItems(posts, (post) => {
        const read = readBlueskyPost(post, clock.now())
        if (read === 'removed') hidden.add(post.uri)
        return read
      })
      const byUri = new Map(requests.map((request) => [request.sourceId, request]))
      return handles.map((handle): Refreshed => {
        const request = byUri.get(handle)
        if (request) return { handle, state: 'found', request }
        return { handle, state: hidden.has(handle) ? 'gone' : 'missing' }
      })
    },
  }
}
