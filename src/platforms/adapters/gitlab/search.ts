import type { Clock } from '../../../runtime/clock.ts'
import { correctByHeaders } from '../../budget/announced-limits.ts'
import type { BudgetLimits, OpenBudget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import { type AnswerHeaders, hasNextLink, headerNumber, headerText } from '../../client/headers.ts'
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
import { type FoundRequest, type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { gitlabError, gitlabLimitHeaders } from './errors.ts'
import { createVisibilityCheck } from './visibility.ts'

export interface GitlabOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** `https://gitlab.com/api/v4`. */
  baseUrl: string
  token?: string | undefined
  /** By path or number, with the label that means a wish there (`gitlab-org/gitlab:type::feature`); they take turns, one a page. */
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
 * No header tells of that limit, so its minute is taken a second longer: requests may overtake each other on their way.
 */
const gitlabLimits = (baseUrl: string, hasToken: boolean): BudgetLimits => ({
  name: new URL(baseUrl).host,
  windows: [{ limit: hasToken ? 30 : 10, windowMs: 61_000 }],
  // So that the topics of a live call do not stand in line; the window counts them all the same.
  concurrency: 3,
})

/**
 * Open issues of the configured public projects that have every word of the topic in their title or description
 * (`GET /projects/:id/issues`, 100 a page). Across all projects GitLab lets only users search.
 *
 * Each project has its own name for a wish, and several labels in one request mean all of them. So the configuration
 * names one for each project; asking for all issues and choosing here would spend the scarce searches on bug reports.
 *
 * Newest first: there is no order by relevance, and one by popularity would never show a refresh what is new.
 */
export function createGitlab({ client, clock, openBudget, baseUrl, token, projects }: GitlabOptions): Platform {
  const budget = openBudget(gitlabLimits(baseUrl, token !== undefined))
  const headers: Record<string, string> = token === undefined ? {} : { 'private-token': token }
  const checkVisibility =
    token === undefined
      ? null
      : createVisibilityCheck({ client, clock, openBudget, searchBudget: budget, baseUrl, headers })

  async function fetchProject(words: string, source: string, page: number, signal: AbortSignal): Promise<SourcePage> {
    const { project, label } = readSource(source)
    await checkVisibility?.(project, signal)
    const { body, headers: answered } = await client.getJson({
      platform: 'gitlab',
      url: endpointUrl(baseUrl, `/projects/${encodeURIComponent(project)}/issues`, {
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
      }),
      headers,
      budget,
      signal,
      readLimits: (answer) => correctByHeaders(budget, answer.headers, gitlabLimitHeaders, clock.now()),
      readError: (answer) => gitlabError(answer, project, token !== undefined, clock.now()),
    })
    const issues = asList(body)
    if (!issues)
      throw new PlatformError('bad_response', 'gitlab answered without a list of issues. Check GITLAB_API_URL.')
    const hasMore = page < lastPage && issues.length > 0 && hasNextPage(answered, page, issues.length)
    return { requests: await readItems(issues, readIssue), nextCursor: hasMore ? { page: page + 1 } : null }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: projects,
      request,
      fetchFrom: (source, cursor) => fetchProject(words, source, asPage(cursor, 1), request.signal),
    })
  }

  return { name: 'gitlab', fetchPage }
}

/** A path has no colon, so the first one ends it; labels have them (`type::feature`). */
function readSource(source: string): { project: string; label: string | null } {
  const [, project = source, label = ''] = /^([^:]*):(.*)$/.exec(source) ?? []
  return { project: project.trim(), label: label.trim() === '' ? null : label.trim() }
}

function readIssue(issue: Fields): FoundRequest | null {
  const sourceId = asId(issue.id)
  const sourceUrl = asWebUrl(issue.web_url)
  if (sourceId === null || sourceUrl === null || isNoPublicIssue(issue)) return null
  const author = asFields(issue.author)
  return foundRequest({
    sourceId,
    sourceUrl,
    title: plainTitle(asString(issue.title) ?? ''),
    description: markdownToPlainText(asString(issue.description) ?? ''),
    votes: asInteger(issue.upvotes) ?? 0,
    // An object with `with_labels_details`, as some proxies ask for it.
    tags: cleanTags((asList(issue.labels) ?? []).map((label) => asFields(label)?.name ?? label)),
    commentCount: asInteger(issue.user_notes_count),
    authorName: asName(author?.name),
    authorHandle: asName(author?.username),
    authorProfileUrl: asWebUrl(author?.web_url),
    originalCreatedAt: asDate(issue.created_at),
  })
}

/** Older servers ignore the parameters that say so. With a token, confidential issues would come too, and not everybody may see them. */
function isNoPublicIssue({ confidential, issue_type: type }: Fields): boolean {
  return (confidential ?? false) !== false || type === 'incident' || type === 'test_case'
}

/** `x-next-page` is empty on the last page; keyset lists and some proxies have only `Link`, or neither. */
function hasNextPage(headers: AnswerHeaders, page: number, count: number): boolean {
  if (headerText(headers, 'x-next-page') !== null) return (headerNumber(headers, 'x-next-page') ?? 0) > page
  return headerText(headers, 'link') === null ? count >= pageSize : hasNextLink(headers)
}
