import { createAccessTokens } from '../../client/access-token.ts'
import { asDate, asFields, asString, type Fields } from '../../content/fields.ts'
import { readItems, requiredList } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { Page, PageRequest, Platform, Refresh, Refreshed } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { wishPhrases } from '../wish-phrases.ts'
import { type Bluesky, createBlueskyCall, withoutCredentials } from './call.ts'
import { readBlueskyPost } from './post.ts'
import { createBlueskySessions } from './session.ts'

/** The maximum in the lexicon of `app.bsky.feed.getPosts`. */
const maxHandles = 25

/** `app.bsky.feed.getPosts` omits deleted posts and suspended accounts: `missing`. Hidden by moderators: `gone`. */
function createBlueskyRefresh({ clock, call }: Bluesky): Refresh {
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

export interface BlueskyOptions extends AdapterDependencies {
  baseUrl: string
  handle?: string | undefined
  appPassword?: string | undefined
}

const pageSize = 100
/** A search ends after 10,000 posts (medialab/minet#1018). */
const depthLimit = 10_000

/**
 * Searches posts and replies for every word of the topic and a wish phrase (`app.bsky.feed.searchPosts`, 100 a page).
 * Newest first, the only order known to page to the end: `top` changes with every like.
 */
export function createBluesky({ client, clock, openBudget, baseUrl, handle, appPassword }: BlueskyOptions): Platform {
  const serverUrl = baseUrl.replace(/\/+$/, '').replace(/\/xrpc$/, '')
  const dependencies = { client, clock, openBudget, serverUrl }
  const name = new URL(serverUrl).host
  // docs.bsky.app/docs/advanced-guides/rate-limits. One at a time: the search is not for bulk use (atproto#3583).
  const budget = openBudget({ name, windows: [{ limit: 3_000, windowMs: 300_000 }], concurrency: 1 })
  const credentials = handle === undefined || appPassword === undefined ? null : { handle, appPassword }
  const tokens = credentials && createAccessTokens(clock, createBlueskySessions({ ...dependencies, ...credentials }))
  const call = createBlueskyCall({ client, clock, serverUrl, budget, tokens })
  const bluesky: Bluesky = { clock, call }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    if (!tokens) throw withoutCredentials()
    const words = blueskyWords(request.topic)
    if (words === '') return null
    return fetchRoundRobin({
      sources: wishPhrases,
      request,
      // The first phrase finds the most wishes. Newest first, phrases rotate, because a watch may fetch only one page.
      ...(request.newestSince ? {} : { firstSource: 0 }),
      fetchFrom: (phrase, cursor) => fetchPhrase(bluesky, `${words} "${phrase}"`, asString(cursor), request),
    })
  }

  return { name: 'bluesky', fetchPage, refresh: createBlueskyRefresh(bluesky) }
}

async function fetchPhrase(
  bluesky: Bluesky,
  query: string,
  cursor: string | null,
  { signal, newestSince }: PageRequest,
): Promise<SourcePage> {
  const since = newestSince ? { since: newestSince.toISOString() } : {}
  const parameters = { q: query, sort: 'latest', limit: pageSize, ...since, ...(cursor === null ? {} : { cursor }) }
  const { body } = await bluesky.call('app.bsky.feed.searchPosts', parameters, signal)
  const answer = asFields(body)
  const posts = requiredList(answer?.posts, { label: 'bluesky', items: 'posts', variable: 'BLUESKY_API_URL' })
  const now = bluesky.clock.now()
  const { requests, discarded } = await readItems(posts, (post) => readBlueskyPost(post, now))
  const isOver = posts.length === 0 || reachesOlder(posts, sortedAt, newestSince)
  return { requests, discarded, nextCursor: isOver ? null : readCursor(answer?.cursor, cursor) }
}

/** The date Bluesky sorts and filters `since` by: the earlier of the author's and the server's (`sortAt`). */
function sortedAt(post: Fields): Date | null {
  const dates = [asDate(asFields(post.record)?.createdAt), asDate(post.indexedAt)].filter((date) => date !== null)
  return dates.reduce<Date | null>((first, date) => (first === null || date < first ? date : first), null)
}

/**
 * Makes search words of a topic: strips the signs of `#tag`, `@handle` and wildcards, quotes whatever is not plainly a
 * word (docs.bsky.app/docs/tutorials, "Search").
 */
export function blueskyWords(topic: string): string {
  return searchWords(topic)
    .map((word) => word.replace(/^[#@$+!~^*?&|/\\-]+|[~^*?&|/\\]+$/g, ''))
    .filter((word) => word !== '')
    .map((word) => (/^[\p{L}\p{M}\p{N}]+$/u.test(word) && !/^(AND|OR|NOT)$/.test(word) ? word : `"${word}"`))
    .join(' ')
}

/** The cursor is the offset of the next page. One that does not grow, or exceeds the depth, ends the search. */
function readCursor(value: unknown, sent: string | null): string | null {
  const cursor = asString(value)
  // Stored with the task: the database takes neither NUL nor lone surrogates.
  if (cursor === null || !/^[^\p{Cc}\p{Surrogate}]{1,2000}$/u.test(cursor)) return null
  if (!/^\d+$/.test(cursor)) return cursor
  const isFurther = sent === null || !/^\d+$/.test(sent) || Number(cursor) > Number(sent)
  return isFurther && Number(cursor) < depthLimit ? cursor : null
}
