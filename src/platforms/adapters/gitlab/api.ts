import { cooldownAfterRefusal, correctByHeaders, type LimitHeaders, spentUntil } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asString } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'
import type { GitlabSource } from './source.ts'

export const gitlabLimitHeaders: LimitHeaders = { remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' }

export interface NamedSource {
  path: string
  /** Where the message's reader can change it, such as `GITLAB_PROJECTS`. */
  listedIn: string
}

export const listedInVariable = 'GITLAB_PROJECTS'
export const listedInJob = 'the sources of the job'

/**
 * A message is `{"message"}`, `{"error"}`, `{"message": {"error"}}` or plain text
 * (docs.gitlab.com/api/rest/troubleshooting, "Status codes").
 */
export function gitlabError(answer: Answer, source: NamedSource, hasToken: boolean, now: Date): PlatformError | null {
  const body = asFields(answer.body)
  switch (answer.status) {
    case 401:
      return hasToken ? refusedToken() : neededToken()
    case 403:
      // Without JSON it is GitLab's front end, which refuses the address, not the token.
      if (!body) return null
      if (asString(body.error) === 'insufficient_scope') return refusedToken()
      return new SourceRefusedError(
        `gitlab does not show the issues of "${source.path}". Check ${source.listedIn}${hasToken ? ' and GITLAB_TOKEN' : ''}.`,
      )
    case 404:
      return missingSource(text(body) ?? '', source)
    case 422:
      // "User must be authenticated to use search": an emergency switch of GitLab.com (`disable_anonymous_search`).
      if (!hasToken && isAboutAuthentication(answer)) return neededToken()
      return refusedSearch(source)
    case 400:
    case 405:
      return refusedSearch(source)
    case 429:
      return tooMany(answer, now)
    default:
      return null
  }
}

/** GitLab.com answers 422, other servers 401 or 403 (gitlab-org/gitlab#541400); lists without `search` may work. */
export function isRefusedAnonymousSearch(answer: Answer): boolean {
  if (answer.status === 422) return isAboutAuthentication(answer)
  return answer.status === 401 || (answer.status === 403 && asFields(answer.body) !== null)
}

const isAboutAuthentication = ({ body }: Answer): boolean => /authenticated/i.test(text(asFields(body)) ?? '')

function missingSource(message: string, { path, listedIn }: NamedSource): SourceRefusedError | null {
  if (/group/i.test(message)) return new SourceRefusedError(`gitlab has no public group "${path}". Check ${listedIn}.`)
  if (!/project/i.test(message)) return null
  return new SourceRefusedError(`gitlab has no public project "${path}". Check ${listedIn}.`)
}

function text(body: Record<string, unknown> | null): string | null {
  return asString(body?.message) ?? asString(asFields(body?.message)?.error) ?? asString(body?.error)
}

const refusedToken = () =>
  new PlatformError('unauthorized', 'gitlab refused the token. Check GITLAB_TOKEN: it needs the scope read_api.')
const neededToken = () =>
  new PlatformError('unauthorized', 'gitlab lets only users search here. Set GITLAB_TOKEN (scope read_api).')
const refusedSearch = ({ path, listedIn }: NamedSource) =>
  new SourceRefusedError(`gitlab refused the search in "${path}". Check its label in ${listedIn}.`)

/** The search limit names no time; the usual cooldown outlasts its minute. */
function tooMany({ headers }: Answer, now: Date): PlatformError {
  const retryAt = cooldownAfterRefusal(headers, now, spentUntil(headers, gitlabLimitHeaders, now))
  return new PlatformError('rate_limited', 'gitlab allows no more requests for now.', { retryAt })
}

export interface GitlabOptions extends AdapterDependencies {
  baseUrl: string
  token?: string | undefined
  /** Path or number with the project's wish label (`gitlab-org/gitlab:type::feature`); searched round-robin by page. */
  projects: readonly string[]
}

export interface ListRequest {
  source: Pick<GitlabSource, 'kind'> & NamedSource
  parameters: Record<string, string | number> | URLSearchParams
  signal: AbortSignal
  /** Returns the refusal of an anonymous search instead of throwing. */
  returnsRefusal?: boolean
}

/** Lists issues of a project or group (`GET /projects/:id/issues`, `GET /groups/:id/issues`). */
export type ListIssues = (request: ListRequest) => Promise<Answer>

/** Lists issues with or without a token, with its own budget. */
export interface Lister {
  budget: Budget
  list: ListIssues
  isAnonymous: boolean
}

/**
 * 500 requests a minute per address (docs.gitlab.com/user/gitlab_com, "Rate limits"). Lists with `search` count as
 * searches (lib/api/issues.rb): by default 10 a minute per address, 30 per user
 * (docs.gitlab.com/administration/instance_limits, "Search rate limit"), stated in no header. The extra second allows
 * for requests that overtake each other.
 */
export const searchLimits = (baseUrl: string, hasToken: boolean): BudgetLimits => ({
  name: new URL(baseUrl).host,
  windows: [{ limit: hasToken ? 30 : 10, windowMs: 61_000 }],
  // Lets topics of a live call run in parallel; the window counts them all.
  concurrency: 3,
})

/** Group searches are always anonymous. */
export const groupLimits = (baseUrl: string): BudgetLimits => ({
  ...searchLimits(baseUrl, false),
  name: `${new URL(baseUrl).host} (groups)`,
  isOptional: true,
})

/** Lists without `search` are no searches. A tenth of the 500 a minute, because nothing waits for them. */
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

/** `iids[]` repeats once per number, so `URLSearchParams` are appended unchanged. */
function listUrl(baseUrl: string, { kind, path }: ListRequest['source'], parameters: ListRequest['parameters']): URL {
  const address = `/${kind}/${encodeURIComponent(path)}/issues`
  if (!(parameters instanceof URLSearchParams)) return endpointUrl(baseUrl, address, parameters)
  const url = endpointUrl(baseUrl, address, {})
  for (const [name, value] of parameters) url.searchParams.append(name, value)
  return url
}
