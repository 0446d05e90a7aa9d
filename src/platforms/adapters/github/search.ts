import type { Clock } from '../../../runtime/clock.ts'
import {
  cooldownAfterRefusal,
  cooldownAfterRefusalMs,
  correctByHeaders,
  spentUntil,
} from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits, OpenBudget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import { hasNextLink, headerNumber, headerText, retryAfter } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import {
  asDate,
  asFields,
  asId,
  asInteger,
  asList,
  asName,
  asPage,
  asString,
  asWebUrl,
  type Fields,
  foundRequest,
  readItems,
} from '../../content/fields.ts'
import { cleanTags, markdownToPlainText, plainTitle } from '../../content/text.ts'
import { type FoundRequest, type Page, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { createTopicBatches } from '../topic-batches.ts'

export interface GithubOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** `https://api.github.com`, or `https://<host>/api/v3` of an enterprise server. */
  baseUrl: string
  token?: string | undefined
}

const pageSize = 100
/** The search ends after 1,000 results: page 11 is a 422 (docs.github.com/rest/search, "About search"). */
const lastPage = 10
/** Longer queries are a 422. The documentation excludes qualifiers from the count, reports include them. */
const queryLimit = 256

/** At most five AND, OR and NOT in a query (docs.github.com/search-github, "Troubleshooting search queries"). */
const maxTopicsPerQuery = 6

/**
 * What projects call a wish. A comma between labels is an OR; the word OR with parentheses is a 422. A token also opens what only
 * its owner may see, and what is found is shown to every account: `is:public` leaves it out (docs.github.com/search-github, "Search
 * by repository visibility").
 */
const qualifiers =
  'is:issue is:open is:public label:enhancement,feature,"feature request",feature-request,"type: feature",kind/feature,suggestion'

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
 * fill the pages before the issues that are about the topic. The votes are stored, so the cache can sort by them.
 */
export function createGithub({ client, clock, openBudget, baseUrl, token }: GithubOptions): Platform {
  const budget = openBudget(githubLimits(baseUrl, token !== undefined))
  /** Refusals in a row that named no time. */
  let silentRefusals = 0
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }

  /** @returns the answer, a 422 too. */
  const search = (parameters: Record<string, string | number>, signal: AbortSignal): Promise<Answer> =>
    client.getJson({
      platform: 'github',
      url: endpointUrl(baseUrl, '/search/issues', { ...parameters, per_page: pageSize }),
      headers,
      budget,
      signal,
      readLimits: (answer) => correctBudget(budget, answer, clock.now()),
      readError: (answer) => {
        const error = githubError(answer, token !== undefined, clock.now(), silentCooldownMs(silentRefusals))
        silentRefusals = isSilentRefusal(answer, clock.now()) && error?.code === 'rate_limited' ? silentRefusals + 1 : 0
        return error
      },
      acceptStatuses: [422],
    })
  const readFound = (answer: Answer): Promise<FoundRequest[]> => {
    const items = asList(asFields(answer.body)?.items)
    if (!items)
      throw new PlatformError('bad_response', 'github answered without a list of items. Check GITHUB_API_URL.')
    return readItems(items, readIssue)
  }

  async function fetchSingly(topic: string, page: number, signal: AbortSignal): Promise<Page | null> {
    const query = githubQuery(topic)
    if (query === null || page > lastPage) return null
    const answer = await search({ q: query, page }, signal)
    if (isPastTheEnd(answer)) return null
    if (answer.status === 422) throw new PlatformError('bad_response', 'github refused the query (422).')
    const requests = await readFound(answer)
    const hasMore = page < lastPage && countItems(answer) > 0 && hasNextLink(answer.headers)
    return { requests, nextCursor: hasMore ? { page: page + 1 } : null }
  }

  const fetchFirstPage = createTopicBatches({
    countFitting: (topics) => {
      let count = Math.min(topics.length, maxTopicsPerQuery)
      while (count > 1 && githubQueryTogether(topics.slice(0, count)).length > queryLimit) count--
      return count
    },
    ...{ platform: 'github', clock },
    fetchOne: (topic, signal) => fetchSingly(topic, 1, signal),
    fetchTogether: async (topics, signal) => {
      const answer = await search({ q: githubQueryTogether(topics), advanced_search: 'true', page: 1 }, signal)
      if (answer.status === 422) return null
      return { found: await readFound(answer), isFull: countItems(answer) >= pageSize }
    },
  })

  return {
    name: 'github',
    fetchPage: async ({ topic, cursor, signal, mayShare = false }) =>
      mayShare && cursor === null && searchWords(topic).length > 0
        ? fetchFirstPage(topic, signal)
        : fetchSingly(topic, asPage(cursor, 1), signal),
  }
}

/**
 * Several topics in one question of GitHub's advanced search, where parentheses group and OR joins (what the plain search answers with
 * a 422): docs.github.com/issues ("Filtering and searching issues"), and how `gh` asks since 2.79 (cli/cli issue 9828).
 */
export function githubQueryTogether(topics: readonly string[]): string {
  const groups = topics.map((topic) => {
    const words = searchWords(topic).map((word) => `"${word}"`)
    return `(${words.join(' ')})`
  })
  return `(${groups.join(' OR ')}) ${qualifiers}`
}

/** @returns null when the topic has no words to search for. */
export function githubQuery(topic: string): string | null {
  let query = ''
  for (const word of searchWords(topic)) {
    // In quotes a word is never an operator or a qualifier.
    const longer = `${query}"${word}" `
    if (longer.length + qualifiers.length > queryLimit) break
    query = longer
  }
  return query === '' ? null : query + qualifiers
}

function readIssue(issue: Fields): FoundRequest | null {
  const sourceId = asId(issue.id)
  const sourceUrl = asWebUrl(issue.html_url)
  if (sourceId === null || sourceUrl === null || isPullRequest(issue) || isPrivate(issue)) return null
  const user = asFields(issue.user)
  return foundRequest({
    sourceId,
    sourceUrl,
    title: plainTitle(asString(issue.title) ?? ''),
    description: markdownToPlainText(asString(issue.body) ?? ''),
    votes: asInteger(asFields(issue.reactions)?.['+1']) ?? 0,
    tags: cleanTags((asList(issue.labels) ?? []).map((label) => asFields(label)?.name ?? label)),
    commentCount: asInteger(issue.comments),
    authorHandle: asName(user?.login),
    authorProfileUrl: asWebUrl(user?.html_url),
    originalCreatedAt: asDate(issue.created_at),
  })
}

/** Some answers hold the repository: what it says is believed, also when the query has not kept it out. */
function isPrivate(issue: Fields): boolean {
  const repository = asFields(issue.repository)
  return (repository?.private ?? false) !== false || (repository?.visibility ?? 'public') !== 'public'
}

/** Old bodies, and the example in GitHub's own documentation, give plain issues a `pull_request` of nulls only. */
function isPullRequest(issue: Fields): boolean {
  return Object.values(asFields(issue.pull_request) ?? {}).some((link) => link !== null)
}

const countItems = ({ body }: Answer): number => asList(asFields(body)?.items)?.length ?? 0

function isPastTheEnd(answer: Answer): boolean {
  const message = asString(asFields(answer.body)?.message) ?? ''
  return answer.status === 422 && message.startsWith('Only the first 1000 search results')
}

const limitHeaders = { remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' }

/** `x-ratelimit-*` of other resources (`core`) says nothing about searches. */
function correctBudget(budget: Budget, { headers }: Answer, now: Date): void {
  const resource = headerText(headers, 'x-ratelimit-resource') ?? 'search'
  if (resource === 'search') correctByHeaders(budget, headers, limitHeaders, now)
}

/** A minute at least, then twice as long each time, an hour at most. */
const silentCooldownMs = (refusalsBefore: number) => Math.min(3_600_000, cooldownAfterRefusalMs * 2 ** refusalsBefore)

const isSilentRefusal = ({ headers }: Answer, now: Date): boolean =>
  retryAfter(headers, now) === null && headerNumber(headers, limitHeaders.remaining) !== 0

/**
 * Rules: docs.github.com/rest ("Rate limits for the REST API", "Exceeding the rate limit").
 * @param cooldownMs how long to wait where GitHub does not say.
 */
function githubError(answer: Answer, hasToken: boolean, now: Date, cooldownMs: number): PlatformError | null {
  const { status, headers } = answer
  if (status === 401) return new PlatformError('unauthorized', 'github refused the token. Check GITHUB_TOKEN.')
  if (status !== 403 && status !== 429) return null

  const message = asString(asFields(answer.body)?.message)
  const told = retryAfter(headers, now)
  const isSpent = headerNumber(headers, limitHeaders.remaining) === 0
  if (status === 429 || told || isSpent || /rate limit|abuse detection/i.test(message ?? '')) {
    const retryAt = cooldownAfterRefusal(headers, now, spentUntil(headers, limitHeaders, now), cooldownMs)
    return new PlatformError('rate_limited', 'github allows no more searches for now.', { retryAt })
  }
  // Without JSON it is GitHub's front door: the address or the User-Agent is refused, not the token.
  if (message === null || !hasToken) return null
  return new PlatformError('unauthorized', 'github does not let this token search. Check GITHUB_TOKEN.')
}
