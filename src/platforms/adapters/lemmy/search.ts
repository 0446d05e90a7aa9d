import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asDate, asFields, asString, type Fields } from '../../content/fields.ts'
import { readItems, requiredList } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { headerText } from '../../headers.ts'
import { type Json, type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { readPostView } from './post.ts'
import { cursorAfter, lemmyQuery, lemmyRequest, viewsOf, type WishPattern, wishPatterns } from './queries.ts'
import { type ApiVersions, createApiVersions, createInstances, type Instance } from './version.ts'

/**
 * Version 0.19 refuses with 400 and `rate_limit_error` or no body, later ones with 429 (LemmyNet/lemmy#5332, #6020),
 * never saying for how long.
 * @param label the instance's name in messages
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
    return new PlatformError('bad_response', `${label} has no Lemmy API. Check LEMMY_URLS.`)
  }
  if (status === 400) return new PlatformError('bad_response', `${label} refused the search (400).`)
  return null
}

export interface LemmyOptions extends AdapterDependencies {
  /** Base addresses of instances, searched round-robin by page. */
  urls: readonly string[]
}

interface Context extends LemmyOptions {
  versions: ApiVersions
}

interface Source {
  instance: Instance
  pattern: WishPattern
}

/**
 * Posts with a wish phrase before or after the topic's words, most votes or newest first, 50 a page (`GET
 * /api/v3/search`; from Lemmy 1.0 `GET /api/v4/post/list?search_term=`).
 * The search is one ordered pattern over title or body: a space matches anything, quotes are literal (`fuzzy_search`).
 * It matches within words, so word boundaries are checked later.
 */
export function createLemmy(options: LemmyOptions): Platform {
  const { urls, openBudget } = options
  const context: Context = { ...options, versions: createApiVersions(options) }
  const sources = sourcesOf(createInstances(urls, openBudget))

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: [...sources.keys()],
      request,
      // Each job starts at another instance. Newest first, the patterns rotate too, each once a round.
      ...(request.newestSince ? {} : { firstSource: urls.length === 0 ? 0 : request.pagesBefore % urls.length }),
      hostOf: (key) => sources.get(key)!.instance.name,
      fetchFrom: (key, cursor) => fetchSource(context, sources.get(key)!, words, cursor, request),
    })
  }

  return { name: 'lemmy', fetchPage }
}

/** All instances with all patterns: every instance with the first pattern, then every instance with the second. */
function sourcesOf(instances: readonly Instance[]): Map<string, Source> {
  const keyOf = ({ baseUrl }: Instance, { phrase, isAfter }: WishPattern) => `${baseUrl} ${isAfter ? '…' : ''}${phrase}`
  return new Map(
    wishPatterns.flatMap((pattern) =>
      instances.map((instance) => [keyOf(instance, pattern), { instance, pattern }] as const),
    ),
  )
}

async function fetchSource(
  { client, clock, versions }: Context,
  { instance, pattern }: Source,
  words: string,
  cursor: Json,
  { signal, newestSince }: PageRequest,
): Promise<SourcePage> {
  const query = lemmyQuery(pattern, words)
  if (query === null) return { requests: [], nextCursor: null }
  const label = `lemmy (${instance.name})`
  const version = await versions.of(instance, signal)
  const ageMs = newestSince ? clock.now().getTime() - newestSince.getTime() : null
  const { path, parameters } = lemmyRequest(version, query, cursor, ageMs)
  const { body } = await client.getJson({
    platform: 'lemmy',
    label,
    url: endpointUrl(instance.baseUrl, path, parameters),
    budget: instance.budget,
    signal,
    readError: (answer) => lemmyError(answer, label, clock.now()),
  })
  const answer = asFields(body)
  const views = requiredList(viewsOf(answer), { label, items: 'posts', variable: 'LEMMY_URLS' })
  const { requests, discarded } = await readItems(views, readPostView)
  // Version 3 has no date parameter.
  const isOver = reachesOlder(views, publishedAt, newestSince)
  return { requests, discarded, nextCursor: isOver ? null : cursorAfter(version, answer, views, cursor) }
}

function publishedAt(view: Fields): Date | null {
  const post = asFields(view.post)
  return asDate(post?.published) ?? asDate(post?.published_at)
}
