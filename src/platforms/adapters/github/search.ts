import type { Discarded } from '../../../database/column-types.ts'
import type { BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import { hasNextLink } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asList, asPage, asString, readItems } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { type FoundRequest, type Page, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { requiredList } from '../required-list.ts'
import { createTopicBatches, type FoundTogether } from '../topic-batches.ts'
import { correctGithubBudget, createGithubErrorReader } from './errors.ts'
import { readIssue } from './post.ts'
import { countTopicsPerQuery, githubQuery, githubQueryTogether } from './query.ts'

export interface GithubOptions extends AdapterDependencies {
  /** `https://api.github.com`, or `https://<host>/api/v3` of an enterprise server. */
  baseUrl: string
  token?: string | undefined
}

const pageSize = 100
/** The search ends after 1,000 results: page 11 is a 422 (docs.github.com/rest/search, "About search"). */
const lastPage = 10

/** Rules: docs.github.com/rest/search ("Rate limit"); one at a time: its "Best practices for using the REST API". */
const githubLimits = (baseUrl: string, hasToken: boolean): BudgetLimits => ({
  name: new URL(baseUrl).host,
  windows: [{ limit: hasToken ? 30 : 10, windowMs: 60_000 }],
  concurrency: 1,
})

/**
 * Open issues of all public repositories that are labelled as a wish and have every word of the topic in their title,
 * body or comments (`GET /search/issues`, 100 a page, 10 pages at most).
 *
 * Sorted by best match, not by reactions: with reactions first, famous projects that mention the words in passing would
 * fill the pages before the issues that are about the topic. The votes are stored, so lists can sort by them.
 */
export function createGithub(options: GithubOptions): Platform {
  const search = createIssueSearch(options)
  const fetchFirstPage = createTopicBatches({
    platform: 'github',
    clock: options.clock,
    countFitting: countTopicsPerQuery,
    fetchOne: (topic, signal) => fetchTopic(search, topic, 1, signal),
    fetchTogether: (topics, signal) => fetchTopics(search, topics, signal),
  })

  return {
    name: 'github',
    fetchPage: async ({ topic, cursor, signal, mayShare = false }) =>
      mayShare && cursor === null && searchWords(topic).length > 0
        ? fetchFirstPage(topic, signal)
        : fetchTopic(search, topic, asPage(cursor, 1), signal),
  }
}

/** @returns the answer, also a 422. */
type SearchIssues = (parameters: Record<string, string | number>, signal: AbortSignal) => Promise<Answer>

function createIssueSearch({ client, clock, openBudget, baseUrl, token }: GithubOptions): SearchIssues {
  const hasToken = token !== undefined
  const budget = openBudget(githubLimits(baseUrl, hasToken))
  const readError = createGithubErrorReader(clock, hasToken)
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(hasToken ? { authorization: `Bearer ${token}` } : {}),
  }
  return (parameters, signal) =>
    client.getJson({
      platform: 'github',
      url: endpointUrl(baseUrl, '/search/issues', { ...parameters, per_page: pageSize }),
      headers,
      budget,
      signal,
      readLimits: (answer) => correctGithubBudget(budget, answer, clock.now()),
      readError,
      acceptStatuses: [422],
    })
}

async function fetchTopic(
  search: SearchIssues,
  topic: string,
  page: number,
  signal: AbortSignal,
): Promise<Page | null> {
  const query = githubQuery(topic)
  if (query === null || page > lastPage) return null
  const answer = await search({ q: query, page }, signal)
  if (isPastTheEnd(answer)) return null
  if (answer.status === 422) throw new PlatformError('bad_response', 'github refused the query (422).')
  const discarded: Discarded = {}
  const requests = await readIssues(answer, discarded)
  const hasMore = page < lastPage && countItems(answer) > 0 && hasNextLink(answer.headers)
  return { requests, discarded, nextCursor: hasMore ? { page: page + 1 } : null }
}

/** The first page of several topics; null when GitHub refuses the combined query. */
async function fetchTopics(
  search: SearchIssues,
  topics: readonly string[],
  signal: AbortSignal,
): Promise<FoundTogether | null> {
  const answer = await search({ q: githubQueryTogether(topics), advanced_search: 'true', page: 1 }, signal)
  if (answer.status === 422) return null
  const discarded: Discarded = {}
  return { found: await readIssues(answer, discarded), discarded, isFull: countItems(answer) >= pageSize }
}

async function readIssues(answer: Answer, discarded: Discarded): Promise<FoundRequest[]> {
  const list = { label: 'github', items: 'items', variable: 'GITHUB_API_URL' }
  return readItems(requiredList(asFields(answer.body)?.items, list), readIssue, discarded)
}

const countItems = ({ body }: Answer): number => asList(asFields(body)?.items)?.length ?? 0

function isPastTheEnd(answer: Answer): boolean {
  const message = asString(asFields(answer.body)?.message) ?? ''
  return answer.status === 422 && message.startsWith('Only the first 1000 search results')
}
