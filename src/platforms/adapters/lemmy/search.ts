import type { Clock } from '../../../runtime/clock.ts'
import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits, OpenBudget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import { headerText } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asList, asPage, asString, readItems } from '../../content/fields.ts'
import { type Json, type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { wishPhrases } from '../wish-phrases.ts'
import { readPostView } from './post.ts'

export interface LemmyOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** The base addresses of the instances; they take turns, one a page. */
  urls: readonly string[]
}

/** The most that an instance gives; more is a 400. */
const pageSize = 50

/** One instance, asked for one phrase. */
interface Source {
  baseUrl: string
  name: string
  phrase: string
}

/** What an instance allows an address by default: 60 searches in 10 minutes (table local_site_rate_limit). No answer tells. */
const lemmyLimits = (name: string): BudgetLimits => ({
  name,
  windows: [{ limit: 60, windowMs: 600_000 }],
  concurrency: 1,
})

/**
 * Posts that the configured instances know of, with one of the phrases of wishing (wishing.ts) followed by the words of the topic
 * (`GET /api/v3/search`, 50 a page, the most votes first).
 *
 * Lemmy's search is one pattern over title or body: spaces stand for anything in between, the order counts and a quote is
 * just a character (`fuzzy_search`). People write the wish first ("I wish it had dark mode", "[Feature request] Dark mode"), so
 * does the query. It has no operators; because it begins with a phrase, a topic is never taken for an address or `!name@host` to
 * look up.
 */
export function createLemmy({ client, clock, openBudget, urls }: LemmyOptions): Platform {
  const names = new Map(urls.map((url) => [url, nameOf(url)]))
  const budgets = new Map<string, Budget>()
  for (const name of names.values()) if (!budgets.has(name)) budgets.set(name, openBudget(lemmyLimits(name)))
  const sources = new Map<string, Source>()
  for (const phrase of wishPhrases) {
    for (const [baseUrl, name] of names) sources.set(`${baseUrl} ${phrase}`, { baseUrl, name, phrase })
  }

  async function fetchSource(source: Source, words: string, cursor: Json, signal: AbortSignal): Promise<SourcePage> {
    const label = `lemmy (${source.name})`
    const page = asPage(cursor, 1)
    const { body } = await client.getJson({
      platform: 'lemmy',
      label,
      url: endpointUrl(source.baseUrl, '/api/v3/search', {
        q: `${source.phrase} ${words}`,
        type_: 'Posts',
        listing_type: 'All',
        sort: 'TopAll',
        limit: pageSize,
        page,
      }),
      budget: budgets.get(source.name)!,
      signal,
      readError: (answer) => lemmyError(answer, label, clock.now()),
    })
    const answer = asFields(body)
    // `search` is what version 4 of the API calls the list.
    const posts = asList(answer?.posts) ?? asList(answer?.search)
    if (!posts) throw new PlatformError('bad_response', `${label} answered without a list of posts. Check LEMMY_URLS.`)
    const requests = await readItems(posts, readPostView)
    // There is no total, and some instances answer the same page whatever is asked for.
    const first = firstOf(posts)
    const isRepeated = first !== null && first === asFields(cursor)?.first
    const hasMore = posts.length >= pageSize && !isRepeated
    return { requests, nextCursor: hasMore ? { page: page + 1, first } : null }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: [...sources.keys()],
      request,
      // The instances take turns at being first, each with the most telling phrase.
      firstSource: urls.length === 0 ? 0 : request.pagesBefore % urls.length,
      hostOf: (key) => sources.get(key)!.name,
      fetchFrom: (key, cursor) => fetchSource(sources.get(key)!, words, cursor, request.signal),
    })
  }

  return { name: 'lemmy', fetchPage }
}

function nameOf(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl)
  return `${host}${pathname.replace(/\/+$/, '')}`
}

/** What tells one page from another. */
function firstOf(posts: unknown[]): string | null {
  const post = asFields(asFields(posts[0])?.post)
  return (
    post &&
    JSON.stringify([post.ap_id ?? null, post.id ?? null])
      .slice(0, 300)
      .toWellFormed()
  )
}

/**
 * Version 0.19 refuses with HTTP 400 and `rate_limit_error` or no body at all, later ones with 429
 * (LemmyNet/lemmy issue 5332, pull request 6020). None of them says for how long, so it is a minute.
 */
function lemmyError({ status, headers, body }: Answer, label: string, now: Date): PlatformError | null {
  const error = asString(asFields(body)?.error) ?? ''
  const isEmpty = body === undefined && !/html/i.test(headerText(headers, 'content-type') ?? '')
  if (status === 429 || /rate_?limit|too_many_requests/i.test(error) || (status === 400 && isEmpty)) {
    const retryAt = cooldownAfterRefusal(headers, now)
    return new PlatformError('rate_limited', `${label} allows no more searches for now.`, { retryAt })
  }
  if (status === 401 || /^(instance_is_private|not_logged_in|incorrect_login)$/.test(error)) {
    return new PlatformError('unauthorized', `${label} lets only members search. Take it out of LEMMY_URLS.`)
  }
  if (status === 404) {
    return new PlatformError('bad_response', `${label} has no Lemmy API, version 3. Check LEMMY_URLS.`)
  }
  if (status === 400) return new PlatformError('bad_response', `${label} refused the search (400).`)
  return null
}
