import { correctByHeaders } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { gitlabError, gitlabLimitHeaders, isRefusedAnonymousSearch, type NamedSource } from './errors.ts'
import type { GitlabSource } from './source.ts'

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

export interface ListRequest {
  source: Pick<GitlabSource, 'kind'> & NamedSource
  parameters: Record<string, string | number> | URLSearchParams
  signal: AbortSignal
  /** Returns the refusal of an anonymous search like an answer. */
  returnsRefusal?: boolean
}

/** Lists issues of a project or a group (`GET /projects/:id/issues`, `GET /groups/:id/issues`). */
export type ListIssues = (request: ListRequest) => Promise<Answer>

/** One way to list issues: with a token or without, by a budget of its own. */
export interface Lister {
  budget: Budget
  list: ListIssues
  isAnonymous: boolean
}

/**
 * 500 requests a minute for each address (docs.gitlab.com/user/gitlab_com, "Rate limits"), of which searches may be far
 * fewer: every list with `search` counts against the search limit (gitlab-org/gitlab, lib/api/issues.rb), by default 10 a
 * minute for an address and 30 for a user (docs.gitlab.com/administration/instance_limits, "Search rate limit").
 *
 * No header states that limit. The window is a second longer than a minute, because requests may overtake each other on the
 * network.
 */
export const searchLimits = (baseUrl: string, hasToken: boolean): BudgetLimits => ({
  name: new URL(baseUrl).host,
  windows: [{ limit: hasToken ? 30 : 10, windowMs: 61_000 }],
  // The topics of a live call need not wait for each other; the window counts them all the same.
  concurrency: 3,
})

/** Searches of groups are anonymous, also beside a token. */
export const groupLimits = (baseUrl: string): BudgetLimits => ({
  ...searchLimits(baseUrl, false),
  name: `${new URL(baseUrl).host} (groups)`,
  isOptional: true,
})

/** Lists without `search` are no searches: a tenth of the 500 requests a minute, because nothing waits for them. */
export const readingLimits = (baseUrl: string): BudgetLimits => ({
  name: `${new URL(baseUrl).host} (reading)`,
  windows: [{ limit: 50, windowMs: 60_000 }],
  concurrency: 1,
  isOptional: true,
})

export function createLister(options: GitlabOptions, token: string | undefined, limits: BudgetLimits): Lister {
  const { client, clock, openBudget, baseUrl } = options
  const budget = openBudget(limits)
  const isAnonymous = token === undefined
  const headers: Record<string, string> = isAnonymous ? {} : { 'private-token': token }
  const list: ListIssues = ({ source, parameters, signal, returnsRefusal = false }) => {
    const isReturned = (answer: Answer) => returnsRefusal && isRefusedAnonymousSearch(answer)
    return client.getJson({
      platform: 'gitlab',
      url: listUrl(baseUrl, source, parameters),
      headers,
      budget,
      signal,
      readLimits: (answer) => correctByHeaders(budget, answer.headers, gitlabLimitHeaders, clock.now()),
      readError: (answer) => (isReturned(answer) ? null : gitlabError(answer, source, !isAnonymous, clock.now())),
      ...(returnsRefusal ? { acceptStatuses: [401, 403, 422] } : {}),
    })
  }
  return { budget, list, isAnonymous }
}

/** `iids[]` occurs once for each number, so `URLSearchParams` are appended as they are. */
function listUrl(baseUrl: string, { kind, path }: ListRequest['source'], parameters: ListRequest['parameters']): URL {
  const address = `/${kind}/${encodeURIComponent(path)}/issues`
  if (!(parameters instanceof URLSearchParams)) return endpointUrl(baseUrl, address, parameters)
  const url = endpointUrl(baseUrl, address, {})
  for (const [name, value] of parameters) url.searchParams.append(name, value)
  return url
}
