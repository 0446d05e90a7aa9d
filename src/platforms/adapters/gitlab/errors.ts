import { cooldownAfterRefusal, type LimitHeaders, spentUntil } from '../../budget/announced-limits.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asString } from '../../content/fields.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'

export const gitlabLimitHeaders: LimitHeaders = { remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' }

/** A project or group, for messages. */
export interface NamedSource {
  path: string
  /** Where the person who reads the message can change it, such as `GITLAB_PROJECTS`. */
  listedIn: string
}

/** `GITLAB_PROJECTS`, or the job of an account. */
export const listedInVariable = 'GITLAB_PROJECTS'
export const listedInJob = 'the sources of the job'

/**
 * The error in an answer of GitLab. A message is `{"message"}`, `{"error"}` or `{"message": {"error"}}`, or plain text when
 * the front end refuses (docs.gitlab.com/api/rest/troubleshooting, "Status codes").
 */
export function gitlabError(answer: Answer, source: NamedSource, hasToken: boolean, now: Date): PlatformError | null {
  const body = asFields(answer.body)
  switch (answer.status) {
    case 401:
      return hasToken ? refusedToken() : neededToken()
    case 403:
      // An answer without JSON comes from the front end: it refuses the address, not the token.
      if (!body) return null
      if (asString(body.error) === 'insufficient_scope') return refusedToken()
      return new SourceRefusedError(
        `gitlab does not show the issues of "${source.path}". Check ${source.listedIn}${hasToken ? ' and GITLAB_TOKEN' : ''}.`,
      )
    case 404:
      return missingSource(text(body) ?? '', source)
    case 422:
      // "User must be authenticated to use search", an emergency switch of GitLab.com (`disable_anonymous_search`).
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

/**
 * Whether GitLab refuses a search because it is anonymous: 422 by a switch of GitLab.com, 401 or 403 by settings of other servers
 * (gitlab-org/gitlab issue 541400). A list without `search` may be allowed all the same.
 */
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

/** The search limit names no time; its minute is over after the usual cooldown. */
function tooMany({ headers }: Answer, now: Date): PlatformError {
  const retryAt = cooldownAfterRefusal(headers, now, spentUntil(headers, gitlabLimitHeaders, now))
  return new PlatformError('rate_limited', 'gitlab allows no more requests for now.', { retryAt })
}
