import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import { after, retryAfter } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asInteger, asString } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'
import { postsOf } from './post.ts'

export interface ErrorOptions {
  /** The name of the forum in messages. */
  label: string
  now: Date
  /** What to correct: a variable of the operator, or the source that an account named. */
  advice: string
}

/** Rules: application_controller.rb (`rescue_from`), search_controller.rb (`rate_limit_search`, `site_overloaded?`). */
export function discourseError(answer: Answer, { label, now, advice }: ErrorOptions): PlatformError | null {
  const body = asFields(answer.body)
  const type = asString(body?.error_type)
  if (answer.status === 429 || type === 'rate_limit') return tooMany(label, cooldownEnd(answer, now))
  // Too many searches, or too much load, can also be a success without results.
  const reason = asString(asFields(body?.grouped_search_result)?.error)
  if (reason && postsOf(body)?.length === 0) return tooMany(label, cooldownAfterRefusal({}, now))
  if (type === 'not_logged_in' || type === 'invalid_access' || answer.status === 401) {
    return new PlatformError('unauthorized', `${label} lets only members search. ${advice}`)
  }
  if (answer.status === 404 || answer.status === 410) {
    return new PlatformError('bad_response', `${label} has nothing at this address. ${advice}`)
  }
  return null
}

/** The body is rounded up, the header may not be: the later of the two is safe. */
function cooldownEnd({ headers, body }: Answer, now: Date): Date {
  const waitSeconds = asInteger(asFields(asFields(body)?.extras)?.wait_seconds) ?? 0
  const ends = [retryAfter(headers, now), waitSeconds > 0 ? after(now, waitSeconds * 1000) : null]
  const [latest] = ends.filter((end) => end !== null).sort((a, b) => b.getTime() - a.getTime())
  return cooldownAfterRefusal({}, now, latest ?? null)
}

function tooMany(label: string, retryAt: Date): PlatformError {
  return new PlatformError('rate_limited', `${label} allows no more searches for now.`, { retryAt })
}
