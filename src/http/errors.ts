/** Every error code of the interface: its status and when it is given. Docs and OpenAPI are made from it. */
export const errorCatalogue = {
  INVALID_REQUEST: { status: 400, meaning: 'The request does not match the schema; `details` says where.' },
  UNAUTHORIZED: { status: 401, meaning: 'The API key is missing, malformed, unknown, revoked or expired.' },
  FORBIDDEN: {
    status: 403,
    meaning: 'A call by session cookie that another site made, or that lacks its `X-CSRF-Token`.',
  },
  SCOPE_EXCEEDED: {
    status: 403,
    meaning: 'The key, or the one that opened the session, has a scope that does not allow this.',
  },
  NOT_FOUND: { status: 404, meaning: 'It does not exist, or belongs to another account.' },
  CONFLICT: {
    status: 409,
    meaning:
      'The request conflicts with the present state, or the first call with its `Idempotency-Key` is still running.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than 64 KiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not application/json.' },
  IDEMPOTENCY_MISMATCH: { status: 422, meaning: 'The `Idempotency-Key` was used with another body.' },
  RATE_LIMITED: {
    status: 429,
    meaning: 'Too many requests, or the credits or a budget are used up; `reason` says which.',
  },
  INTERNAL_ERROR: { status: 500, meaning: 'An error of the service; the log has it under the request id.' },
  SEARCH_UNAVAILABLE: {
    status: 503,
    meaning: 'The search cluster cannot be reached, or its index is being built. Only searches are concerned.',
  },
  UNAVAILABLE: {
    status: 503,
    meaning:
      'The service is starting, stopping or cannot reach its database; or a platform cannot check a named source now.',
  },
} as const

export type ErrorCode = keyof typeof errorCatalogue

export interface ErrorDetail {
  /** Where in the request: `topic`, `platforms.0`; empty for the whole. */
  path: string
  message: string
}

/** What a call would exceed: the rate, the credits of the account, or the monthly budget of its key or of a watch. */
export const limitReasons = ['credits', 'rate', 'key_budget', 'watch_budget'] as const
type LimitReason = (typeof limitReasons)[number]

interface ErrorExtras {
  details?: ErrorDetail[]
  /** Which kind of 429 this is. */
  reason?: LimitReason
  /** ISO 8601; with every reason but `rate`. */
  resetsAt?: string
}

/** The one error that callers are meant to see: thrown anywhere, rendered in one place. Its message is public. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.code = code
    this.extras = extras
  }

  get status(): number {
    return errorCatalogue[this.code].status
  }
}

/** The same text for whatever does not exist and whatever belongs to somebody else. */
export const notFound = (what: string): ServiceError => new ServiceError('NOT_FOUND', `${what} not found.`)
