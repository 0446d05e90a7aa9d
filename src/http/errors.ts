/** Every error code of the API with status, cause and remedy. Docs and OpenAPI are generated from it. */
export const errorCatalogue = {
  INVALID_REQUEST: {
    status: 400,
    meaning: 'The request does not match the schema; `details` says where.',
    remedy: 'Change what `details` names. /openapi.json has the schema of every call.',
  },
  UNAUTHORIZED: {
    status: 401,
    meaning: 'The API key is missing, malformed, unknown, revoked or expired.',
    remedy: 'Send `Authorization: Bearer <API key>` with a key of your account that is active.',
  },
  FORBIDDEN: {
    status: 403,
    meaning: 'A call by session cookie that another site made, or that lacks its `X-CSRF-Token`.',
    remedy: 'Programs use an API key; the page sends the token of its session.',
  },
  SCOPE_EXCEEDED: {
    status: 403,
    meaning: 'The key, or the one that opened the session, has a scope that does not allow this.',
    remedy: 'Use a key of a greater scope: `read`, `collect`, `manage`.',
  },
  NOT_FOUND: {
    status: 404,
    meaning: 'It does not exist, or belongs to another account.',
    remedy: 'Check the id and the address. What has expired or was purged is gone.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning:
      'The request arrived too slowly: it took more than 30 s, or a file paused for 30 s or had less than 10 kB/s.',
    remedy: 'Send it again, on a better line or in smaller parts.',
  },
  CONFLICT: {
    status: 409,
    meaning:
      'The request conflicts with the present state, or the first call with its `Idempotency-Key` is still running.',
    remedy:
      'Read the state again. Of a call that is still running, repeat the same request a little later, as `Retry-After` says.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    meaning: 'The body is larger than its call takes: 64 KiB, of a brief 512 KiB, of a file of feedback 64 MiB.',
    remedy: 'Send less in one call.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body is not application/json.',
    remedy: 'Send JSON with `Content-Type: application/json`.',
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    meaning: 'The `Idempotency-Key` was used with another body.',
    remedy: 'Take a new key for each new intention, and the same key and body only to repeat one.',
  },
  RATE_LIMITED: {
    status: 429,
    meaning: 'Too many requests, or the credits or a budget are used up; `reason` says which.',
    remedy:
      'With `reason: rate` wait as long as `Retry-After` says; else until `resetsAt`, or get more credits or a greater budget.',
  },
  INTERNAL_ERROR: {
    status: 500,
    meaning: 'An error of the service; the log has it under the request id.',
    remedy: 'Repeat the call, with the same `Idempotency-Key`. If it stays, tell the operator the `requestId`.',
  },
  SEARCH_UNAVAILABLE: {
    status: 503,
    meaning: 'The search cluster cannot be reached, or its index is being built. Only searches are concerned.',
    remedy: 'Repeat the search a little later.',
  },
  UNAVAILABLE: {
    status: 503,
    meaning:
      'The service is starting, stopping or cannot reach its database; or a platform cannot check a named source now.',
    remedy: 'Repeat the call a little later, with the same `Idempotency-Key`.',
  },
} as const

export type ErrorCode = keyof typeof errorCatalogue

/** The service's page about an error code. */
export const documentationOf = (code: ErrorCode): string => `/docs/errors/${code}`

export interface ErrorDetail {
  /** Place in the request: `topic`, `platforms.0`; empty for the whole. */
  path: string
  message: string
}

/** The exceeded limit: rate, account credits, or monthly budget of the key or watch. */
export const limitReasons = ['credits', 'rate', 'key_budget', 'watch_budget'] as const
type LimitReason = (typeof limitReasons)[number]

interface ErrorExtras {
  details?: ErrorDetail[]
  reason?: LimitReason
  /** ISO 8601; for all reasons except `rate`. */
  resetsAt?: string
}

/** The only error callers see, rendered in one place. Its message is public. */
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

/** One text for what does not exist and what belongs to somebody else. */
export const notFound = (what: string): ServiceError => new ServiceError('NOT_FOUND', `${what} not found.`)
