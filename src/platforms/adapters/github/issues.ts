import type { Answer } from '../../client/messages.ts'
import { asDate, asFields, asList, asString } from '../../content/fields.ts'
import { readItems, requiredList } from '../../content/items.ts'
import { hasNextLink } from '../../headers.ts'
import { type Page, PlatformError, SourceRefusedError } from '../../platform.ts'
import { reachesOlder } from '../newest-first.ts'
import type { FoundTogether } from '../topic-batches.ts'
import type { GithubApi } from './api.ts'
import { readIssue } from './post.ts'
import { githubQuery, githubQueryTogether } from './query.ts'

const pageSize = 100
/** A search ends after 1,000 results: page 11 is a 422 (docs.github.com/rest/search, "About search"). */
const lastPage = 10

export interface IssuePage {
  topic: string
  /** An account's repository; by default all public ones. */
  repository?: string | undefined
  page: number
  signal: AbortSignal
  /** Newest first, since this time. */
  since?: Date | null | undefined
}

export interface IssueSearch {
  /** @returns null if the topic has no words, or past the end */
  fetchTopic(page: IssuePage): Promise<Page | null>
  /** First page of several topics; null if GitHub refuses the combined query. */
  fetchTopics(topics: readonly string[], signal: AbortSignal): Promise<FoundTogether | null>
}

/**
 * Sets `advanced_search=true`, which OR and parentheses need, always: sources disagree on the default
 * (octokit/rest.js#525). A server that refuses it with 422, but not the plain query, gets plain queries from then on.
 */
export function createIssueSearch(api: GithubApi): IssueSearch {
  let isPlainOnly = false

  const search = (q: string, isAdvanced: boolean, { page, signal, since }: Omit<IssuePage, 'topic'>) => {
    const form: Record<string, string> = isAdvanced ? { advanced_search: 'true' } : {}
    const order: Record<string, string> = since ? { sort: 'created', order: 'desc' } : {}
    return api.searchIssues({ q, ...form, ...order, page, per_page: pageSize }, signal)
  }

  async function searchTopic(wanted: IssuePage): Promise<Answer | null> {
    const { topic, repository, since } = wanted
    const isAdvanced = !isPlainOnly
    const query = githubQuery(topic, { isAdvanced, repository, since })
    const plain = githubQuery(topic, { isAdvanced: false, repository, since })
    if (query === null || plain === null) return null
    const answer = await search(query, isAdvanced, wanted)
    if (answer.status !== 422 || !isAdvanced || isPastTheEnd(answer) || isUnknownRepository(answer, repository)) {
      return answer
    }
    const again = await search(plain, false, wanted)
    if (again.status !== 422) isPlainOnly = true
    return again
  }

  return {
    async fetchTopic(wanted) {
      const { repository, page, since } = wanted
      if (page > lastPage) return null
      const answer = await searchTopic(wanted)
      if (answer === null || isPastTheEnd(answer)) return null
      if (answer.status === 422) throw refusedQuery(repository)
      const { requests, discarded } = await readIssues(answer)
      const isOver = reachesOlder(itemsOf(answer), (issue) => asDate(issue.created_at), since)
      const hasMore = page < lastPage && countItems(answer) > 0 && hasNextLink(answer.headers) && !isOver
      return { requests, discarded, nextCursor: hasMore ? { page: page + 1 } : null }
    },
    async fetchTopics(topics, signal) {
      if (isPlainOnly) return null
      const answer = await search(githubQueryTogether(topics), true, { page: 1, signal })
      if (answer.status === 422) return null
      const { requests } = await readIssues(answer)
      return { found: requests, isFull: countItems(answer) >= pageSize }
    },
  }
}

function refusedQuery(repository: string | undefined): PlatformError {
  if (repository === undefined) return new PlatformError('bad_response', 'github refused the query (422).')
  return new SourceRefusedError(
    `github has no public repository "${repository}" that can be searched. Check its name: it may have been renamed.`,
  )
}

function readIssues(answer: Answer) {
  const list = { label: 'github', items: 'items', variable: 'GITHUB_API_URL' }
  return readItems(requiredList(asFields(answer.body)?.items, list), readIssue)
}

const itemsOf = ({ body }: Answer): unknown[] => asList(asFields(body)?.items) ?? []

const countItems = (answer: Answer): number => itemsOf(answer).length

function isPastTheEnd(answer: Answer): boolean {
  const message = asString(asFields(answer.body)?.message) ?? ''
  return answer.status === 422 && message.startsWith('Only the first 1000 search results')
}

/** Whether GitHub refused `repo:`. It uses the same text for an unreadable OR, which occurs only without `repo:`. */
function isUnknownRepository({ body }: Answer, repository: string | undefined): boolean {
  const errors = asList(asFields(body)?.errors) ?? []
  const isRefused = errors.some((error) => /cannot be searched/i.test(asString(asFields(error)?.message) ?? ''))
  return repository !== undefined && isRefused
}
