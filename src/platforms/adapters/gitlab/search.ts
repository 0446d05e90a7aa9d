import type { Discarded } from '../../../database/column-types.ts'
import { correctByHeaders } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import { type AnswerHeaders, hasNextLink, headerNumber, headerText } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asPage, readItems } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { Page, PageRequest, Platform } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { requiredList } from '../required-list.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { gitlabError, gitlabLimitHeaders } from './errors.ts'
import { readIssue } from './post.ts'
import { type CheckVisibility, createVisibilityCheck } from './visibility.ts'

export interface GitlabOptions extends AdapterDependencies {
  /** `https://gitlab.com/api/v4`. */
  baseUrl: string
  token?: string | undefined
  /**
   * By path or number, with the label of wishes there (`gitlab-org/gitlab:type::feature`); searched round-robin, a page
   * each.
   */
  projects: readonly string[]
}

const pageSize = 100
/** GitLab refuses an offset above 50,000 (docs.gitlab.com/administration/instance_limits, "Max offset"). */
const lastPage = 500

/**
 * 500 requests a minute for each address (docs.gitlab.com/user/gitlab_com, "Rate limits"), of which searches may be far
 * fewer: every list with `search` counts against the search limit (gitlab-org/gitlab, lib/api/issues.rb), by default 10 a
 * minute for an address and 30 for a user (docs.gitlab.com/administration/instance_limits, "Search rate limit").
 *
 * No header states that limit. The window is a second longer than a minute, because requests may overtake each other on the
 * network.
 */
const gitlabLimits = (baseUrl: string, hasToken: boolean): BudgetLimits => ({
  name: new URL(baseUrl).host,
  windows: [{ limit: hasToken ? 30 : 10, windowMs: 61_000 }],
  // The topics of a live call need not wait for each other; the window counts them all the same.
  concurrency: 3,
})

/** What the functions of this adapter share. */
interface Gitlab extends GitlabOptions {
  budget: Budget
  headers: Record<string, string>
  /** null without a token: GitLab itself shows only public projects then. */
  checkVisibility: CheckVisibility | null
}

/**
 * Open issues of the configured public projects that have every word of the topic in their title or description
 * (`GET /projects/:id/issues`, 100 a page). Across all projects GitLab lets only users search.
 *
 * Each project has its own label for wishes, and several labels in one request mean all of them. So the configuration
 * names one for each project; fetching all issues and filtering here would spend the scarce searches on bug reports.
 *
 * Newest first: there is no order by relevance, and ordered by popularity a refresh would never show what is new.
 */
export function createGitlab(options: GitlabOptions): Platform {
  const { openBudget, baseUrl, token, projects } = options
  const searchBudget = openBudget(gitlabLimits(baseUrl, token !== undefined))
  const headers: Record<string, string> = token === undefined ? {} : { 'private-token': token }
  const checkVisibility = token === undefined ? null : createVisibilityCheck({ ...options, searchBudget, headers })
  const gitlab: Gitlab = { ...options, budget: searchBudget, headers, checkVisibility }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: projects,
      request,
      fetchFrom: (source, cursor) => fetchProject(gitlab, source, words, asPage(cursor, 1), request.signal),
    })
  }

  return { name: 'gitlab', fetchPage }
}

async function fetchProject(
  gitlab: Gitlab,
  source: string,
  words: string,
  page: number,
  signal: AbortSignal,
): Promise<SourcePage> {
  const { project, label } = readSource(source)
  await gitlab.checkVisibility?.(project, signal)
  const { body, headers } = await searchIssues(gitlab, project, searchParameters(words, label, page), signal)
  const issues = requiredList(body, { label: 'gitlab', items: 'issues', variable: 'GITLAB_API_URL' })
  const hasMore = page < lastPage && issues.length > 0 && hasNextPage(headers, page, issues.length)
  const discarded: Discarded = {}
  return {
    requests: await readItems(issues, readIssue, discarded),
    discarded,
    nextCursor: hasMore ? { page: page + 1 } : null,
  }
}

type SearchParameters = Record<string, string | number>

function searchIssues(
  gitlab: Gitlab,
  project: string,
  parameters: SearchParameters,
  signal: AbortSignal,
): Promise<Answer> {
  const { client, clock, baseUrl, token, budget, headers } = gitlab
  return client.getJson({
    platform: 'gitlab',
    url: endpointUrl(baseUrl, `/projects/${encodeURIComponent(project)}/issues`, parameters),
    headers,
    budget,
    signal,
    readLimits: (answer) => correctByHeaders(budget, answer.headers, gitlabLimitHeaders, clock.now()),
    readError: (answer) => gitlabError(answer, project, token !== undefined, clock.now()),
  })
}

function searchParameters(words: string, label: string | null, page: number): SearchParameters {
  return {
    search: words,
    in: 'title,description',
    scope: 'all',
    state: 'opened',
    issue_type: 'issue',
    confidential: 'false',
    ...(label === null ? {} : { labels: label }),
    order_by: 'created_at',
    sort: 'desc',
    per_page: pageSize,
    page,
  }
}

/** A path has no colon, so the first one ends it; labels have them (`type::feature`). */
function readSource(source: string): { project: string; label: string | null } {
  const [, project = source, label = ''] = /^([^:]*):(.*)$/.exec(source) ?? []
  return { project: project.trim(), label: label.trim() === '' ? null : label.trim() }
}

/** `x-next-page` is empty on the last page; keyset lists and some proxies have only `Link`, or neither. */
function hasNextPage(headers: AnswerHeaders, page: number, count: number): boolean {
  if (headerText(headers, 'x-next-page') !== null) return (headerNumber(headers, 'x-next-page') ?? 0) > page
  return headerText(headers, 'link') === null ? count >= pageSize : hasNextLink(headers)
}
