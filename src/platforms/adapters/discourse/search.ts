import type { Clock } from '../../../runtime/clock.ts'
import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits, OpenBudget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import { after, retryAfter } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asInteger, asList, asPage, asString, type Fields } from '../../content/fields.ts'
import { type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { discourseWords, type Forum, readForum } from './forum.ts'
import { readPosts } from './post.ts'

export interface DiscourseOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** The addresses of forums, or of the category or tag that holds their wishes; they take turns, one a page. */
  urls: readonly string[]
}

/** 50 posts each; a later page is the first one again or a 400 (search_controller.rb, PAGE_LIMIT). */
const lastPage = 10
/** `min_search_term_length`, unless the forum has set another one. */
const shortestWord = 3

/**
 * What a forum lets an anonymous address search: 15 times a minute and twice a second (site settings
 * `rate_limit_search_anon_user_per_minute`, `_per_second`; the second one since discourse/discourse pull request 19708).
 */
const discourseLimits = (forum: Forum): BudgetLimits => ({
  name: forum.name,
  windows: [
    { limit: 15, windowMs: 60_000 },
    { limit: 2, windowMs: 1_000 },
  ],
  concurrency: 1,
})

/**
 * Topics of the configured forums whose first post has every word of the topic, in the category or with the tag that holds
 * wishes (`GET /search.json`, 50 a page, 10 pages). By relevance, like GitHub: with `order:likes` famous topics that mention
 * the words in passing would come first. `in:first` leaves replies out; beside a filter Discourse also searches words that
 * are shorter than its minimum (lib/search.rb, `execute`), so a topic like "AI" is asked like any other.
 */
export function createDiscourse({ client, clock, openBudget, urls }: DiscourseOptions): Platform {
  const forums = new Map(urls.map((url) => [url, readForum(url)]))
  const budgets = new Map<string, Budget>()
  for (const forum of forums.values()) {
    // Two categories of one forum share what it allows.
    if (!budgets.has(forum.name)) budgets.set(forum.name, openBudget(discourseLimits(forum)))
  }

  async function fetchForum(words: string[], forum: Forum, page: number, signal: AbortSignal): Promise<SourcePage> {
    const isTooShort = words.every((word) => [...word].length < shortestWord)
    const label = `discourse (${forum.name})`
    const answer = await client.getJson({
      platform: 'discourse',
      label,
      url: endpointUrl(forum.baseUrl, '/search.json', { q: `${words.join(' ')} ${forum.filter} in:first`, page }),
      budget: budgets.get(forum.name)!,
      signal,
      readError: (answer) => discourseError(answer, label, clock.now()),
      acceptStatuses: isTooShort ? [400] : [],
    })
    const body = asFields(answer.body)
    // A forum that insists on its minimum has nothing for such a topic; nothing is wrong with it.
    if (isTooShort && (answer.status === 400 || answer.body === null)) return { requests: [], nextCursor: null }
    const posts = postsOf(body)
    if (!posts)
      throw new PlatformError('bad_response', `${label} answered without a list of posts. Check DISCOURSE_URLS.`)
    const hasMore = asFields(body?.grouped_search_result)?.more_full_page_results === true && posts.length > 0
    return {
      requests: await readPosts(posts, asList(body?.topics) ?? [], forum),
      nextCursor: hasMore && page < lastPage ? { page: page + 1 } : null,
    }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = discourseWords(searchWords(request.topic))
    if (words.length === 0) return null
    return fetchRoundRobin({
      sources: [...forums.keys()],
      request,
      hostOf: (url) => forums.get(url)!.name,
      fetchFrom: (url, cursor) => fetchForum(words, forums.get(url)!, asPage(cursor, 1), request.signal),
    })
  }

  return { name: 'discourse', fetchPage }
}

/** With no hits the lists can be missing; then only this object tells a search from something else. */
function postsOf(body: Fields | null): unknown[] | null {
  const isMissing = body?.posts === undefined || body.posts === null
  return isMissing ? (asFields(body?.grouped_search_result) ? [] : null) : asList(body.posts)
}

/** Rules: application_controller.rb (`rescue_from`), search_controller.rb (`rate_limit_search`, `site_overloaded?`). */
function discourseError(answer: Answer, label: string, now: Date): PlatformError | null {
  const body = asFields(answer.body)
  const type = asString(body?.error_type)
  if (answer.status === 429 || type === 'rate_limit') {
    const waitSeconds = asInteger(asFields(body?.extras)?.wait_seconds) ?? 0
    const told = [retryAfter(answer.headers, now), waitSeconds > 0 ? after(now, waitSeconds * 1000) : null]
    // The body is rounded up, the header may not be: the later one is safe.
    const [latest] = told.filter((moment) => moment !== null).sort((a, b) => b.getTime() - a.getTime())
    return tooMany(label, cooldownAfterRefusal({}, now, latest ?? null))
  }
  // Too many searches, or too much load, can also be a success that has found nothing.
  const reason = asString(asFields(body?.grouped_search_result)?.error)
  if (reason && postsOf(body)?.length === 0) return tooMany(label, cooldownAfterRefusal({}, now))
  if (type === 'not_logged_in' || type === 'invalid_access' || answer.status === 401) {
    return new PlatformError('unauthorized', `${label} lets only members search. Take it out of DISCOURSE_URLS.`)
  }
  if (answer.status === 404) {
    return new PlatformError('bad_response', `${label} has no search at this address. Check DISCOURSE_URLS.`)
  }
  return null
}

function tooMany(label: string, retryAt: Date): PlatformError {
  return new PlatformError('rate_limited', `${label} allows no more searches for now.`, { retryAt })
}
