import { cooldownAfterRefusal } from '../budget/announced-limits.ts'
import { retryAfter } from '../headers.ts'
import { PlatformError } from '../platform.ts'
import type { Answer } from './messages.ts'

const timeoutCodes = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])

/** Worth an immediate retry: the request may succeed a moment later. */
export function isTransient(error: PlatformError): boolean {
  return error.code === 'unavailable' || error.code === 'timeout'
}

/** The default meaning of a status (RFC 9110); null for 2xx. @param label the platform or host in the message */
export function defaultError(label: string, answer: Answer, now: Date): PlatformError | null {
  const { status, headers } = answer
  if (status >= 200 && status < 300) return null
  const retryAt = retryAfter(headers, now)
  if (status === 401) return new PlatformError('unauthorized', `${label} answered 401. Check its credentials.`)
  if (status === 429) {
    return new PlatformError('rate_limited', `${label} answered 429: too many requests. Try again later.`, {
      retryAt: cooldownAfterRefusal(headers, now),
    })
  }
  if (status === 403 || status === 451) {
    const advice = 'Use another address, or take it out of PLATFORMS.'
    return new PlatformError('blocked', `${label} answered ${status}: it refuses this address or client. ${advice}`)
  }
  if (status === 408 || status >= 500) {
    const message = `${label} answered ${status}: the fault is on its side. Try again later.`
    return new PlatformError('unavailable', message, retryAt ? { retryAt } : {})
  }
  return new PlatformError('bad_response', `${label} answered ${status}. Check its base address.`)
}

/** Whether an error or abort reason comes from `AbortSignal.timeout`. */
export const isTimeout = (reason: unknown): boolean => (reason as { name?: unknown } | null)?.name === 'TimeoutError'

export const noAnswerInTime = (label: string): PlatformError =>
  new PlatformError('timeout', `${label} did not answer in time. Try again later.`, { isUnreachable: true })

/** Describes a failed connection. @throws the error itself if it is a bug in this program, not a connection error */
export function connectionError(label: string, error: unknown): PlatformError {
  const { code } = error as { code?: unknown }
  if (isTimeout(error) || (typeof code === 'string' && timeoutCodes.has(code))) return noAnswerInTime(label)
  if (typeof code !== 'string') throw error
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new PlatformError('bad_response', `${label} did not answer in HTTP (${code}). Check its base address.`)
  }
  // Only the code: undici's errors may quote the body.
  return new PlatformError(
    'unavailable',
    `The connection to ${label} failed (${code}). Check the network and its base address.`,
    { isUnreachable: true },
  )
}
