import { asEpochSeconds, asFields, asId, asPage, type Fields } from '../../content/fields.ts'
import { readItems, requiredList } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { after } from '../../headers.ts'
import type { Json, Page, PageRequest, Platform } from '../../platform.ts'
import { reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { createRedditApi, type RedditApi } from './api.ts'
import { isEscapedListing, readRedditPost } from './post.ts'
import { flairForm, groupedForm, hasWish, ignoresOperators, plainForms, redditQuery, redditQueryOf } from './queries.ts'
import { createRedditRefresh } from './refresh.ts'
import { verifyCommunity } from './verify.ts'

export interface RedditOptions extends AdapterDependencies {
  baseUrl: string
  tokenUrl: string
  clientId?: string | undefined
  clientSecret?: string | undefined
}

const pageSize = 100
/** Listings end after about 1,000 posts (praw, listing/generator.py). */
const lastPage = 10
/** How long to remember that Reddit reads operators as text. */
const plainMs = 86_400_000
const probeMs = 3_600_000

interface FormsPage extends SourcePage {
  children: unknown[]
  /** The search's name in the cursor. */
  searched: string
}

/** A community (null: all) and a form. */
interface Search {
  community: string | null
  form: string
}

/**
 * Posts with every word of the topic and a wish flair or phrase, in all public communities (`GET /search`) or named
 * ones (`GET /r/<name>/search`), by relevance, 100 a page, 10 pages. Needs an application approved by Reddit: since
 * 2025 nothing is open to anonymous callers.
 * If the first page shows that Reddit read operators as text, plain queries (flair and each phrase, round-robin)
 * replace it for a day.
 */
export function createReddit(options: RedditOptions): Platform {
  const { clock } = options
  const api = createRedditApi(options)
  let plainUntil: Date | null = null
  let probedUntil: Date | null = null

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    if (redditQuery(request.topic) === null) return null
    const isPlain = request.cursor === null ? isAfter(plainUntil, clock.now()) : isPlainCursor(request.cursor)
    if (isPlain) return fetchPlain(request)
    const grouped = await fetchGrouped(api, request)
    if (grouped === null) return null
    const { children, searched, ...page } = grouped
    if (request.cursor !== null) return page
    const nextCursor = cursorAfterFirst(grouped, communitiesOf(request))
    // An empty page may be the fault of its operators: plain queries then follow.
    return { ...page, nextCursor, ...(isPlainCursor(nextCursor) ? { nextCursorIfKnown: nextCursor } : {}) }
  }

  /** Plain queries follow a first page that is empty or shows operators read as text. */
  function cursorAfterFirst({ children, searched, nextCursor }: FormsPage, communities: Communities): Json {
    const now = clock.now()
    const turn = communities.findIndex((community) => nameOf({ community, form: groupedForm }) === searched)
    // A round-robin cursor that marks the communities already searched.
    const plainStart = { isPlain: true, turn, next: {}, ended: [searched] }
    if (ignoresOperators(groupedForm, children)) {
      plainUntil = after(now, plainMs)
      return plainStart
    }
    // No post may contain the operators; one plain query tells.
    const mayProbe = children.length === 0 && nextCursor === null && !isAfter(probedUntil, now)
    if (mayProbe) probedUntil = after(now, probeMs)
    return mayProbe ? { ...plainStart, isProbe: true } : nextCursor
  }

  async function fetchPlain(request: PageRequest): Promise<Page | null> {
    const isProbe = asFields(request.cursor)?.isProbe === true
    const fetched = await fetchForms(api, request, plainForms)
    if (fetched === null) return null
    const { children, searched: _, ...page } = fetched
    const isProven = hasWish(children)
    if (isProbe && isProven) plainUntil = after(clock.now(), plainMs)
    const isOver = page.nextCursor === null || (isProbe && !isProven)
    const plain = (cursor: Json) => (isOver || cursor === null ? null : { ...(cursor as object), isPlain: true })
    const { nextCursor, nextCursorIfKnown } = page
    return {
      ...page,
      nextCursor: plain(nextCursor),
      ...(nextCursorIfKnown === undefined ? {} : { nextCursorIfKnown: plain(nextCursorIfKnown) }),
    }
  }

  return {
    name: 'reddit',
    fetchPage,
    verifySource: (source, signal) => verifyCommunity(api, source, signal),
    refresh: createRedditRefresh(api),
  }
}

/** Searches all public communities, or the job's next one. */
function fetchGrouped(api: RedditApi, request: PageRequest): Promise<FormsPage | null> {
  if (request.sources) return fetchForms(api, request, [groupedForm])
  const isOver = asPage(request.cursor, 1) > lastPage
  return isOver
    ? Promise.resolve(null)
    : fetchSearch(api, { community: null, form: groupedForm }, request, request.cursor)
}

const isAfter = (moment: Date | null, now: Date): boolean => moment !== null && moment > now

const isPlainCursor = (cursor: Json): boolean => asFields(cursor)?.isPlain === true

type Communities = ReadonlyArray<Search['community']>

const communitiesOf = ({ sources }: PageRequest): Communities => sources ?? [null]

/** Fetches a page of the next community and form. */
async function fetchForms(api: RedditApi, request: PageRequest, forms: readonly string[]): Promise<FormsPage | null> {
  const communities = communitiesOf(request)
  const searches = new Map<string, Search>(
    forms.flatMap((form) => communities.map((community) => [nameOf({ community, form }), { community, form }])),
  )
  let read: Pick<FormsPage, 'children' | 'searched'> = { children: [], searched: '' }
  const page = await fetchRoundRobin({
    sources: [...searches.keys()],
    request,
    // Each job starts at another community. Newest first, the forms rotate too, each once a round.
    ...(request.newestSince ? {} : { firstSource: request.pagesBefore % communities.length }),
    async fetchFrom(key, cursor) {
      const { children, searched, ...page } = await fetchSearch(api, searches.get(key)!, request, cursor)
      read = { children, searched }
      return page
    },
  })
  return page && { ...page, ...read }
}

const nameOf = ({ community, form }: Search): string => `${community ?? 'all'} ${form}`

async function fetchSearch(
  api: RedditApi,
  { community, form }: Search,
  { topic, signal, newestSince }: PageRequest,
  cursor: Json,
): Promise<FormsPage> {
  const searched = nameOf({ community, form })
  const page = asPage(cursor, 1)
  const sent = asId(asFields(cursor)?.after)
  const query = redditQueryOf(form, topic)
  if (query === null || page > lastPage) return { requests: [], nextCursor: null, children: [], searched }
  const body = await api({
    path: community === null ? '/search' : `/${community}/search`,
    parameters: {
      ...searchParameters(query, sent, page, newestSince),
      ...(community === null ? {} : { restrict_sr: '1' }),
    },
    community,
    signal,
  })
  const listing = asFields(asFields(body)?.data)
  const children = requiredList(listing?.children, { label: 'reddit', items: 'posts', variable: 'REDDIT_API_URL' })
  const isEscaped = isEscapedListing(children)
  const { requests, discarded } = await readItems(children, (child) => readRedditPost(child, isEscaped))
  // A flair read as text only repeats the search for the bare words: its further pages are no wishes.
  const isText = form === flairForm && ignoresOperators(flairForm, children)
  // Reddit has no date parameter.
  const isOver = children.length === 0 || isText || reachesOlder(children, createdAt, newestSince)
  return {
    requests,
    discarded,
    nextCursor: isOver ? null : cursorAfter(listing!, sent, page),
    children,
    searched,
  }
}

const createdAt = (child: Fields): Date | null => asEpochSeconds(asFields(child.data)?.created_utc)

function searchParameters(
  query: string,
  sent: string | null,
  page: number,
  newestSince: Date | null | undefined,
): Record<string, string> {
  return {
    q: query,
    sort: newestSince ? 'new' : 'relevance',
    t: 'all',
    type: 'link',
    limit: String(pageSize),
    ...(sent === null ? {} : { after: sent, count: String((page - 1) * pageSize) }),
  }
}

/** A listing that repeats its cursor would never end. */
function cursorAfter(listing: Fields, sent: string | null, page: number): Json {
  const next = asId(listing.after)
  return next === null || next === sent || page >= lastPage ? null : { after: next, page: page + 1 }
}
