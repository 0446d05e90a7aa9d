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

/** The lexicon of `app.bsky.feed.getPosts` allows so many. */
const maxHandles = 25

/**
 * Reads known posts again by their addresses (`app.bsky.feed.getPosts`). A post that was deleted is not in the answer, nor is one of
 * an account that is closed for a while: it is `missing`. A post that moderators have hidden since is `gone`.
 */
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
  /** `https://bsky.social`. */
  baseUrl: string
  handle?: string | undefined
  appPassword?: string | undefined
}

const pageSize = 100
/** A search ends after 10,000 posts (medialab/minet#1018). */
const depthLimit = 10_000

/**
 * Posts and replies with every word of the topic and one of the wish phrases (`wish-phrases.ts`) (`app.bsky.feed.searchPosts`,
 * 100 a page). Replies count: people often write a wish as a reply. The answers of a search never hold reposts.
 *
 * Newest first: only that order is known to page to the end, `top` changes with every like.
 */
export function createBluesky({ client, clock, openBudget, baseUrl, handle, appPassword }: BlueskyOptions): Platform {
  const serverUrl = baseUrl.replace(/\/+$/, '').replace(/\/xrpc$/, '')
  const dependencies = { client, clock, openBudget, serverUrl }
  const name = new URL(serverUrl).host
  // docs.bsky.app/docs/advanced-guides/rate-limits. One at a time: the search is there for people, not for bulk (atproto#3583).
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
      // The first phrase first, because it finds the most wishes. Newest first the phrases take turns: a run of a watch may have one page only.
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

/** The date by which Bluesky orders and `since` compares: the author's, or the server's where that is earlier (`sortAt`). */
function sortedAt(post: Fields): Date | null {
  const dates = [asDate(asFields(post.record)?.createdAt), asDate(post.indexedAt)].filter((date) => date !== null)
  return dates.reduce<Date | null>((first, date) => (first === null || date < first ? date : first), null)
}

/**
 * The words of a topic for the search box of Bluesky: `#tag`, `@handle` and the wildcards of its query syntax lose their sign,
 * and what is not plainly a word is quoted (docs.bsky.app/docs/tutorials, "Search": `from:`, `-word`, `#tag`, "phrase").
 */
export function blueskyWords(topic: string): string {
  return searchWords(topic)
    .map((word) => word.replace(/^[#@$+!~^*?&|/\\-]+|[~^*?&|/\\]+$/g, ''))
    .filter((word) => word !== '')
    .map((word) => (/^[\p{L}\p{M}\p{N}]+$/u.test(word) && !/^(AND|OR|NOT)$/.test(word) ? word : `"${word}"`))
    .join(' ')
}

/** A cursor is now the offset of the next page; one that does not increase, or exceeds the depth, means the end. */
function readCursor(value: unknown, sent: string | null): string | null {
  const cursor = asString(value)
  // It is stored with its task, and the database stores neither NUL nor a lone surrogate.
  if (cursor === null || !/^[^\p{Cc}\p{Surrogate}]{1,2000}$/u.test(cursor)) return null
  if (!/^\d+$/.test(cursor)) return cursor
  const isFurther = sent === null || !/^\d+$/.test(sent) || Number(cursor) > Number(sent)
  return isFurther && Number(cursor) < depthLimit ? cursor : null
}
