import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import { headerText } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asString } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'

/**
 * Version 0.19 refuses with HTTP 400 and `rate_limit_error` or no body at all, later ones with 429
 * (LemmyNet/lemmy issue 5332, pull request 6020). No version says for how long, so the cooldown is a minute.
 * @param label the name of the instance in messages.
 */
export function lemmyError({ status, headers, body }: Answer, label: string, now: Date): PlatformError | null {
  const error = asString(asFields(body)?.error) ?? ''
  const isEmpty = body === undefined && !/html/i.test(headerText(headers, 'content-type') ?? '')
  if (status === 429 || /rate_?limit|too_many_requests/i.test(error) || (status === 400 && isEmpty)) {
    const retryAt = cooldownAfterRefusal(headers, now)
    return new PlatformError('rate_limited', `${label} allows no more searches for now.`, { retryAt })
  }
  if (status === 401 || /^(instance_is_private|not_logged_in|incorrect_login)$/.test(error)) {
    return new PlatformError('unauthorized', `${label} lets only members search. Take it out of LEMMY_URLS.`)
  }
  if (status === 404) {
    return new PlatformError('bad_response', `${label} has no Lemmy API. Check LEMMY_URLS.`)
  }
  if (status === 400) return new PlatformError('bad_response', `${label} refused the search (400).`)
  return null
}
