import { cooldownAfterRefusal, type LimitHeaders, spentUntil } from '../../budget/announced-limits.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asString } from '../../content/fields.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'

export const gitlabLimitHeaders: LimitHeaders = { remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' }

/**
 * The error in an answer of GitLab. A message is `{"message"}`, `{"error"}` or `{"message": {"error"}}`, or plain text when
 * the front end refuses (docs.gitlab.com/api/rest/troubleshooting, "Status codes").
 */
export function gitlabError(answer: Answer, project: string, hasToken: boolean, now: Date): PlatformError | null {
  const body = asFields(answer.body)
  switch (answer.status) {
    case 401:
      return hasToken ? refusedToken() : neededToken()
    case 403:
      // An answer without JSON comes from the front end: it refuses the address, not the token.
      if (!body) return null
      if (asString(body.error) === 'insufficient_scope') return refusedToken()
      return new SourceRefusedError(
        `gitlab does not show the issues of "${project}". Check GITLAB_PROJECTS${hasToken ? ' and GITLAB_TOKEN' : ''}.`,
      )
    case 404:
      if (!/project/i.test(text(body) ?? '')) return null
      return new SourceRefusedError(`gitlab has no public project "${project}". Check GITLAB_PROJECTS.`)
    case 422:
      // "User must be authenticated to use search", an emergency switch of GitLab.com (`disable_anonymous_search`).
      if (!hasToken && /authenticated/i.test(text(body) ?? '')) return neededToken()
      return refusedSearch(project)
    case 400:
    case 405:
      return refusedSearch(project)
    case 429:
      return tooMany(answer, now)
    default:
      return null
  }
}

function text(body: Record<string, unknown> | null): string | null {
  return asString(body?.message) ?? asString(asFields(body?.message)?.error) ?? asString(body?.error)
}

const refusedToken = () =>
  new PlatformError('unauthorized', 'gitlab refused the token. Check GITLAB_TOKEN: it needs the scope read_api.')
const neededToken = () =>
  new PlatformError('unauthorized', 'gitlab lets only users search here. Set GITLAB_TOKEN (scope read_api).')
const refusedSearch = (project: string) =>
  new SourceRefusedError(`gitlab refused the search in "${project}". Check its label in GITLAB_PROJECTS.`)

/** The search limit names no time; its minute is over after the usual cooldown. */
function tooMany({ headers }: Answer, now: Date): PlatformError {
  const retryAt = cooldownAfterRefusal(headers, now, spentUntil(headers, gitlabLimitHeaders, now))
  return new PlatformError('rate_limited', 'gitlab allows no more requests for now.', { retryAt })
}
