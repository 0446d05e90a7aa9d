import { dayMs } from '../../../runtime/durations.ts'
import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asDate, asFields, asInteger, asPage, asString } from '../../content/fields.ts'
import { requiredList } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { after, retryAfter } from '../../headers.ts'
import { type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { discourseWords, type Forum, readForum } from './forum.ts'
import { completeExcerpts, createForumHosts, type ForumHosts } from './forum-hosts.ts'
import { postsOf, readPosts } from './post.ts'
import { discourseSources } from './source.ts'
import { verifyForum } from './verify.ts'

interface ErrorOptions {
  label: string
  now: Date
  /** What to fix: an operator's variable, or an account's source. */
  advice: string
}

/** See application_controller.rb (`rescue_from`), search_controller.rb (`rate_limit_search`, `site_overloaded?`). */
function discourseError(answer: Answer, { label, now, advice }: ErrorOptions): PlatformError | null {
  const body = asFields(answer.body)
  const type = asString(body?.error_type)
  if (answer.status === 429 || type === 'rate_limit') return tooMany(label, cooldownEnd(answer, now))
  // Overload or too many searches may also be a success without results.
  const reason = asString(asFields(body?.grouped_search_result)?.error)
  if (reason && postsOf(body)?.length === 0) return tooMany(label, cooldownAfterRefusal({}, now))
  if (type === 'not_logged_in' || type === 'invalid_access' || answer.status === 401) {
    return new PlatformError('unauthorized', `${label} lets only members search. ${advice}`)
  }
  if (answer.status === 404 || answer.status === 410) {
    return new PlatformError('bad_response', `${label} has nothing at this address. ${advice}`)
  }
  return null
}

/** The body is rounded up, the header may not be: use the later. */
function cooldownEnd({ headers, body }: Answer, now: Date): Date {
  const waitSeconds = asInteger(asFields(asFields(body)?.extras)?.wait_seconds) ?? 0
  const ends = [retryAfter(headers, now), waitSeconds > 0 ? after(now, waitSeconds * 1000) : null]
  const [latest] = ends.filter((end) => end !== null).sort((a, b) => b.getTime() - a.getTime())
  return cooldownAfterRefusal({}, now, latest ?? null)
}

function tooMany(label: string, retryAt: Date): PlatformError {
  return new PlatformError('rate_limited', `${label} allows no more searches for now.`, { retryAt })
}

export interface DiscourseOptions extends AdapterDependencies {
  /** Addresses of forums, or of the category or tag with their wishes; searched round-robin by page. */
  urls: readonly string[]
}

interface Context extends DiscourseOptions {
  hosts: ForumHosts
}

/** 50 posts a page; a later page repeats the first one or is a 400 (search_controller.rb, PAGE_LIMIT). */
const lastPage = 10
/** Maximum body of an account-named host during verification; `/site.json` of a large forum fits. */
const maxForeignBytes = 2 * 1024 * 1024
/** Default `min_search_term_length`; forums may set another. */
const shortestWord = 3

/**
 * Searches first posts for every word of the topic, in the configured category or tag (`GET /search.json`, 50 a page,
 * 10 pages), including closed and archived topics for their status.
 * By relevance: `order:likes` prefers popular topics that mention the words in passing. `in:first` excludes replies;
 * with a filter, Discourse also accepts short words such as "AI" (lib/search.rb, `execute`).
 */
export function createDiscourse(options: DiscourseOptions): Platform {
  const { clock, openBudget, urls } = options
  const context = { ...options, hosts: createForumHosts({ clock, openBudget, forums: urls.map(readForum) }) }
  const listed = new Set(urls.map((url) => discourseSources.normalise(url)))

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = discourseWords(searchWords(request.topic))
    if (words.length === 0) return null
    const { sources = urls } = request
    const forums = new Map(sources.map((url) => [url, readForum(url)]))
    return fetchRoundRobin({
      sources,
      request,
      hostOf: (url) => forums.get(url)!.name,
      fetchFrom: async (url, cursor) => {
        const isForeign = request.sources !== undefined && !listed.has(url)
        const searched = { forum: forums.get(url)!, isForeign, isNamed: request.sources !== undefined }
        return fetchForum(context, words, searched, asPage(cursor, 1), request)
      },
    })
  }

  async function verifySource(source: string, signal: AbortSignal): Promise<void> {
    const forum = readForum(source)
    const isForeign = !listed.has(source)
    const searched = { forum, isForeign, isNamed: true, ...(isForeign ? { maxBodyBytes: maxForeignBytes } : {}) }
    await verifyForum(forum, labelOf(forum), (path) => readJson(context, searched, path, signal))
  }

  return { name: 'discourse', fetchPage, verifySource }
}

/** A forum, or part of one, as a job searches it. */
interface SearchedForum {
  forum: Forum
  /** Named by an account and not exactly listed by the operator, who opened no more of its network than it listed. */
  isForeign: boolean
  /** Named by an account, even if the operator lists it: messages then say what the account can change. */
  isNamed: boolean
  maxBodyBytes?: number
}

const labelOf = ({ name }: Forum) => `discourse (${name})`

const adviceFor = ({ isNamed }: SearchedForum) => (isNamed ? 'Name another source.' : 'Check DISCOURSE_URLS.')

/** Reads anything but a search, such as a topic or category page. */
async function readJson(
  { client, clock, hosts }: Context,
  searched: SearchedForum,
  path: string,
  signal: AbortSignal,
): Promise<unknown> {
  const { forum, isForeign, maxBodyBytes } = searched
  const { reads } = hosts.of(forum)
  const label = labelOf(forum)
  const { body } = await client.getJson({
    platform: 'discourse',
    label,
    url: endpointUrl(forum.baseUrl, path, {}),
    budget: reads,
    signal,
    isForeign,
    ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    readError: (answer) => discourseError(answer, { label, now: clock.now(), advice: adviceFor(searched) }),
  })
  return body
}

async function fetchForum(
  context: Context,
  words: string[],
  searched: SearchedForum,
  page: number,
  { signal, newestSince }: PageRequest,
): Promise<SourcePage> {
  const { client, clock, hosts } = context
  const { forum, isForeign } = searched
  const { searches } = hosts.of(forum)
  const isTooShort = words.every((word) => [...word].length < shortestWord)
  const label = labelOf(forum)
  const answer = await client.getJson({
    platform: 'discourse',
    label,
    url: endpointUrl(forum.baseUrl, '/search.json', { q: queryOf(words, forum, newestSince), page }),
    budget: searches,
    signal,
    isForeign,
    readError: (answer) => discourseError(answer, { label, now: clock.now(), advice: adviceFor(searched) }),
    acceptStatuses: isTooShort ? [400] : [],
  })
  const body = asFields(answer.body)
  // Forums that enforce a minimum length answer such a topic with no results; that is no error.
  if (isTooShort && (answer.status === 400 || answer.body === null)) return { requests: [], nextCursor: null }
  const list = { label, items: 'posts', variable: 'DISCOURSE_URLS', advice: adviceFor(searched) }
  const posts = requiredList(postsOf(body), list)
  const hasMore = asFields(body?.grouped_search_result)?.more_full_page_results === true && posts.length > 0
  const isOver = reachesOlder(posts, (post) => asDate(post.created_at), newestSince)
  const { requests, discarded } = await readPosts(posts, body, forum)
  const getTopic = (id: string, patience: AbortSignal) =>
    readJson(context, searched, `/t/${encodeURIComponent(id)}.json`, patience)
  return {
    requests: await completeExcerpts(requests, { forum, words, signal, getTopic }),
    discarded,
    nextCursor: hasMore && !isOver && page < lastPage ? { page: page + 1 } : null,
  }
}

/** `after:` takes whole days and excludes the day itself; one extra day is safe in every time zone. */
function queryOf(words: string[], forum: Forum, newestSince: Date | null | undefined): string {
  const query = `${words.join(' ')} ${forum.filter} in:first`
  if (!newestSince) return query
  const dayBefore = new Date(newestSince.getTime() - dayMs).toISOString().slice(0, 10)
  return `${query} order:latest_topic after:${dayBefore}`
}
