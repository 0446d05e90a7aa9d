import type { components } from './api.d.ts'

type Refusal = components['schemas']['Error']['error']

/** The code of the service, or what happened without an answer of it. */
export type ErrorCode = Refusal['code'] | 'UNREACHABLE' | 'UNEXPECTED_ANSWER' | 'JOB_FAILED'

/** What is known of a failure besides its message. */
interface Failure {
  code: ErrorCode
  status?: number
  requestId?: string | null
  retryAfterMs?: number | null
  reason?: Refusal['reason'] | undefined
  details?: Refusal['details'] | undefined
  cause?: unknown
}

/** The only error of the client, besides the reason of a signal that is aborted. */
export class WishwellError extends Error {
  override readonly name = 'WishwellError'
  readonly code: ErrorCode
  /** Of the answer; null without one. */
  readonly status: number | null
  /** The `X-Request-Id` of the answer, which the log of the service has, too. */
  readonly requestId: string | null
  /** The `Retry-After` of the answer. */
  readonly retryAfterMs: number | null
  /** Why a call was limited: credits and budgets are fresh only at a later date, so such a call is not repeated. */
  readonly reason: Refusal['reason'] | null
  /** The fields that are invalid. */
  readonly details: NonNullable<Refusal['details']>
  constructor(message: string, failure: Failure) {
    super(message, { cause: failure.cause })
    this.code = failure.code
    this.status = failure.status ?? null
    this.requestId = failure.requestId ?? null
    this.retryAfterMs = failure.retryAfterMs ?? null
    this.reason = failure.reason ?? null
    this.details = failure.details ?? []
  }
}

/** Explains an answer that is no success. @param text its body */
export function refusalOf({ status, headers }: Response, text: string): WishwellError {
  const seconds = headers.get('retry-after')
  const retryAfterMs = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : null
  const known = { status, requestId: headers.get('x-request-id'), retryAfterMs }
  try {
    const { code, message, reason, details } = (JSON.parse(text) as { error: Refusal }).error
    if (typeof code === 'string' && typeof message === 'string')
      return new WishwellError(message, { ...known, code, reason, details })
  } catch {
    // Not an envelope: probably the answer of a proxy.
  }
  const message = `The answer ${status} is not one of Wishwell. Is the address right?`
  return new WishwellError(message, { ...known, code: 'UNEXPECTED_ANSWER' })
}
