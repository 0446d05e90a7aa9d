import type { Clock } from '../../../runtime/clock.ts'
import type { OpenBudget } from '../../budget/budget.ts'
import { type AccessTokens, createAccessTokens, withToken } from '../../client/access-token.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asList, asString, readItems } from '../../content/fields.ts'
import { type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { wishPhrases } from '../wish-phrases.ts'
import { blueskyError, correctBlueskyBudget } from './errors.ts'
import { readBlueskyPost } from './post.ts'
import { createBlueskySessions } from './session.ts'

export interface BlueskyOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** `https://bsky.social`. */
  baseUrl: string
  handle?: string | undefined
  appPassword?: string | undefined
}

type SearchParameters = Record<string, string | number>

const pageSize = 100
/** A search ends after 10,000 posts (medialab/minet#1018). */
const depthLimit = 10_000

/**
 * Posts and replies with every word of the topic and one of the phrases of wishing (wishing.ts) (`app.bsky.feed.searchPosts`, 100 a page).
 * Replies count: most wishes are told to somebody. Reposts are never in the answers of a search.
 *
 * Newest first: only that order is known to page to the end, `top` changes with every like.
 */
export function createBluesky({ client, clock, openBudget, baseUrl, handle, appPassword }: BlueskyOptions): Platform {
  const serverUrl = baseUrl.replace(/\/+$/, '').replace(/\/xrpc$/, '')
  const name = new URL(serverUrl).host
  // docs.bsky.app/docs/advanced-guides/rate-limits. One at a time: the search is there for people, not for bulk (atproto#3583).
  const budget = openBudget({ name, windows: [{ limit: 3_000, windowMs: 300_000 }], concurrency: 1 })
  const credentials = handle === undefined || appPassword === undefined ? null : { handle, appPassword }
  const tokens = credentials
    ? createAccessTokens(clock, createBlueskySessions({ client, clock, openBudget, serverUrl, ...credentials }))
    : null

  function searchWithToken(token: string, parameters: SearchParameters, signal: AbortSignal): Promise<Answer> {
    return client.getJson({
      platform: 'bluesky',
      url: endpointUrl(serverUrl, '/xrpc/app.bsky.feed.searchPosts', parameters),
      headers: { authorization: `Bearer ${token}` },
      budget,
      signal,
      readLimits: (answer) => correctBlueskyBudget(budget, answer, clock.now()),
      readError: (answer) => blueskyError(answer, clock.now()),
    })
  }

  async function fetchPhrase(
    tokens: AccessTokens,
    query: string,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<SourcePage> {
    const parameters = { q: query, sort: 'latest', limit: pageSize, ...(cursor === null ? {} : { cursor }) }
    const { body } = await withToken(tokens, (token) => searchWithToken(token, parameters, signal))
    const answer = asFields(body)
    const posts = asList(answer?.posts)
    if (!posts)
      throw new PlatformError('bad_response', 'bluesky answered without a list of posts. Check BLUESKY_API_URL.')
    const now = clock.now()
    const requests = await readItems(posts, (post) => readBlueskyPost(post, now))
    return { requests, nextCursor: posts.length === 0 ? null : readCursor(answer?.cursor, cursor) }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    if (!tokens) {
      throw new PlatformError('not_configured', 'bluesky needs BLUESKY_HANDLE and BLUESKY_APP_PASSWORD.')
    }
    const words = blueskyWords(request.topic)
    if (words === '') return null
    return fetchRoundRobin({
      sources: wishPhrases,
      request,
      // Always the most telling phrase first: these are words, not places that each deserve their turn.
      firstSource: 0,
      fetchFrom: (phrase, cursor) => fetchPhrase(tokens, `${words} "${phrase}"`, asString(cursor), request.signal),
    })
  }

  return { name: 'bluesky', fetchPage }
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

/** Today a cursor is the offset of the next page; a server that counts backwards or beyond the depth has no more. */
function readCursor(value: unknown, sent: string | null): string | null {
  const cursor = asString(value)
  // It is kept with its task: the database stores no NUL and no half of a character.
  if (cursor === null || !/^[^\p{Cc}\p{Surrogate}]{1,2000}$/u.test(cursor)) return null
  if (!/^\d+$/.test(cursor)) return cursor
  const isFurther = sent === null || !/^\d+$/.test(sent) || Number(cursor) > Number(sent)
  return isFurther && Number(cursor) < depthLimit ? cursor : null
}
