import { after as laterBy } from '../../client/headers.ts'
import { countItems } from '../../content/counted-items.ts'
import { asFields, asId, asPage, type Fields } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { Json, Page, PageRequest, Platform } from '../../platform.ts'
import { requiredList } from '../required-list.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { createRedditApi, type RedditApi } from './api.ts'
import { isEscapedListing, readRedditPost } from './post.ts'
import { flairForm, groupedForm, hasWish, ignoresOperators, plainForms, redditQuery, redditQueryOf } from './queries.ts'
import { createRedditRefresh } from './refresh.ts'
import { verifyCommunity } from './verify.ts'

export interface RedditOptions extends AdapterDependencies {
  /** `https://oauth.reddit.com`. */
  baseUrl: string
  tokenUrl: string
  clientId?: string | undefined
  clientSecret?: string | undefined
}

const pageSize = 100
/** A listing ends after about 1,000 posts (praw, listing/generator.py). */
const lastPage = 10
/** For how long it is remembered that Reddit reads operators as text. */
const plainMs = 86_400_000

/** A page with the elements that it was read from. */
interface RedditPage extends SourcePage {
  children: unknown[]
}

/** A community, or null for all, searched in one form. */
interface Search {
  community: string | null
  form: string
}

/**
 * Posts with every word of the topic and a flair or phrase of a wish, of all public communities (`GET /search`) or of those
 * that a job names (`GET /r/<name>/search`), by relevance, 100 a page, 10 pages at most. Only with an application that Reddit
 * has approved: since 2025 nothing is open to anonymous callers.
 *
 * The first query has operators. When its page shows that Reddit read them as text, plain queries replace it for a day, one
 * for the flair and for each phrase, round-robin.
 */
export function createReddit(options: RedditOptions): Platform {
  const { clock } = options
  const api = createRedditApi(options)
  let plainUntil: Date | null = null

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    if (redditQuery(request.topic) === null) return null
    const communities = request.sources ?? [null]
    const isPlain = request.cursor === null ? isAfter(plainUntil, clock.now()) : isPlainCursor(request.cursor)
    if (isPlain) return fetchPlain(request, communities)
    const grouped = await fetchForms(api, request, communities, [groupedForm])
    if (request.cursor !== null || grouped === null) return pageOf(grouped, 'grouped')
    const isText = ignoresOperators(groupedForm, grouped.children)
    if (!isText && grouped.children.length > 0) return pageOf(grouped, 'grouped')
    const plain = await fetchForms(api, request, communities, plainForms)
    const isProven = isText || (plain !== null && hasWish(plain.children))
    if (isProven) plainUntil = laterBy(clock.now(), plainMs)
    return isProven ? pageOf(plain, 'plain') : pageOf(grouped, 'grouped')
  }

  async function fetchPlain(request: PageRequest, communities: ReadonlyArray<string | null>): Promise<Page | null> {
    const cursor = isPlainCursor(request.cursor) ? (asFields(request.cursor)!.plain as Json) : null
    return pageOf(await fetchForms(api, { ...request, cursor }, communities, plainForms), 'plain')
  }

  return {
    name: 'reddit',
    fetchPage,
    verifySource: (source, signal) => verifyCommunity(api, source, signal),
    refresh: createRedditRefresh(api),
  }
}

const isAfter = (moment: Date | null, now: Date): boolean => moment !== null && moment > now

const isPlainCursor = (cursor: Json): boolean => asFields(asFields(cursor)?.plain) !== null

/** The cursor says how the search is written, so that a task goes on in the form in which it began. */
function pageOf(page: (Page & { children: unknown[] }) | null, form: 'grouped' | 'plain'): Page | null {
  if (page === null) return null
  const { children: _, ...rest } = page
  const isWrapped = form === 'plain' && rest.nextCursor !== null
  return isWrapped ? { ...rest, nextCursor: { plain: rest.nextCursor } } : rest
}

/** Fetches a page of the next community and form, round-robin. */
async function fetchForms(
  api: RedditApi,
  request: PageRequest,
  communities: ReadonlyArray<string | null>,
  forms: readonly string[],
): Promise<(Page & { children: unknown[] }) | null> {
  const searches = new Map<string, Search>(
    forms.flatMap((form) => communities.map((community) => [`${community ?? 'all'} ${form}`, { community, form }])),
  )
  let children: unknown[] = []
  const page = await fetchRoundRobin({
    sources: [...searches.keys()],
    request,
    firstSource: 0,
    async fetchFrom(key, cursor) {
      const { children: read, ...fetched } = await fetchSearch(api, searches.get(key)!, request, cursor)
      children = read
      return fetched
    },
  })
  return page && { ...page, children }
}

async function fetchSearch(
  api: RedditApi,
  { community, form }: Search,
  { topic, signal, sources }: PageRequest,
  cursor: Json,
): Promise<RedditPage> {
  const page = asPage(cursor, 1)
  const after = asId(asFields(cursor)?.after)
  const query = redditQueryOf(form, topic)
  if (query === null || page > lastPage) return { requests: [], nextCursor: null, children: [] }
  const body = await api({
    path: community === null ? '/search' : `/${community}/search`,
    parameters: { ...searchParameters(query, after, page), ...(community === null ? {} : { restrict_sr: '1' }) },
    community,
    signal,
  })
  const listing = asFields(asFields(body)?.data)
  const children = requiredList(listing?.children, { label: 'reddit', items: 'posts', variable: 'REDDIT_API_URL' })
  const isEscaped = isEscapedListing(children)
  const { requests, discarded } = await countItems(children, (child) => readRedditPost(child, isEscaped))
  // A flair that was read as text is one more search for the words alone: its further pages are no wishes.
  const isOver = children.length === 0 || (form === flairForm && ignoresOperators(flairForm, children))
  return {
    requests: sources === undefined ? requests : requests.map((found) => ({ ...found, ownSource: community })),
    discarded,
    nextCursor: isOver ? null : cursorAfter(listing!, after, page),
    children,
  }
}

function searchParameters(query: string, after: string | null, page: number): Record<string, string> {
  return {
    q: query,
    sort: 'relevance',
    t: 'all',
    type: 'link',
    limit: String(pageSize),
    ...(after === null ? {} : { after, count: String((page - 1) * pageSize) }),
  }
}

/** A listing whose cursor is the one that was sent would repeat for ever. */
function cursorAfter(listing: Fields, sent: string | null, page: number): Json {
  const after = asId(listing.after)
  return after === null || after === sent || page >= lastPage ? null : { after, page: page + 1 }
}
