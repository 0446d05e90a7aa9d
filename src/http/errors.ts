/** Every error code of the interface: its status and its meaning. Docs and OpenAPI are generated from it. */
export const errorCatalogue = {
  INVALID_REQUEST: { status: 400, meaning: 'The request does not fit the schema; `details` says where.' },
  UNAUTHORIZED: { status: 401, meaning: 'The API key is missing, malformed, unknown or revoked.' },
  FORBIDDEN: {
    status: 403,
    meaning: 'A call by session cookie that another site made, or that lacks its `X-CSRF-Token`.',
  },
  NOT_FOUND: { status: 404, meaning: 'It does not exist, or belongs to another account.' },
  CONFLICT: {
    status: 409,
    meaning: 'The request contradicts the current state, or the first one with its `Idempotency-Key` is still running.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than 64 KiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not application/json.' },
  IDEMPOTENCY_MISMATCH: { status: 422, meaning: 'The `Idempotency-Key` was used with another body.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests, or the credits are used up; `reason` says which.' },
  INTERNAL_ERROR: { status: 500, meaning: 'A fault of the service; the request id finds it in the log.' },
  UNAVAILABLE: { status: 503, meaning: 'The service is starting, stopping or cannot reach its database.' },
} as const

export type ErrorCode = keyof typeof errorCatalogue

export interface ErrorDetail {
  /** The path in the request: `topic`, `platforms.0`; empty for the whole. */
  path: string
  message: string
}

export interface ErrorExtras {
  details?: ErrorDetail[]
  /** Which of the two kinds of 429 this is. */
  reason?: 'credits' | 'rate'
  /** ISO 8601; with reason `credits`. */
  resetsAt?: string
}

/** The only error whose message is public: thrown anywhere, rendered by `error-handler.ts`. */
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

/** The same text for a thing that does not exist and one of another account. */
export const notFound = (what: string): ServiceError => new ServiceError('NOT_FOUND', `${what} not found.`)
