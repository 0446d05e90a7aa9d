import type { Discarded } from '../../../database/column-types.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import { asFields, asList, asPage } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { Page, PageRequest, Platform } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { requiredList } from '../required-list.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { discourseError } from './errors.ts'
import { discourseWords, type Forum, readForum } from './forum.ts'
import { postsOf, readPosts } from './post.ts'

export interface DiscourseOptions extends AdapterDependencies {
  /** The addresses of forums, or of the category or tag that holds their wishes; searched round-robin, a page each. */
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
 * are shorter than its minimum (lib/search.rb, `execute`), so a topic like "AI" is searched like any other.
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
    // A forum that enforces its minimum has no results for such a topic; that is not an error.
    if (isTooShort && (answer.status === 400 || answer.body === null)) return { requests: [], nextCursor: null }
    const posts = requiredList(postsOf(body), { label, items: 'posts', variable: 'DISCOURSE_URLS' })
    const hasMore = asFields(body?.grouped_search_result)?.more_full_page_results === true && posts.length > 0
    const discarded: Discarded = {}
    return {
      requests: await readPosts(posts, asList(body?.topics) ?? [], forum, discarded),
      discarded,
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
