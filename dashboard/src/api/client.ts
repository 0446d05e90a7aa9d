import { noteRateLimit } from './rate-left.ts'
import { beginCall, currentSession, sessionEnded, sessionIsStill } from './session-store.ts'
import type { ErrorBody } from './types.ts'

/** A failed call, with the parts of its answer that the page shows. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The status of the answer; 0 when there was none. */
  readonly status: number
  readonly body: ErrorBody['error'] | null
  /** When a call may be made again, in milliseconds since 1970; null when the answer does not say. */
  readonly retryAt: number | null

  constructor(status: number, body: ErrorBody['error'] | null, retryAt: number | null = null) {
    super(body?.message ?? `status ${status}`)
    this.status = status
    this.body = body
    this.retryAt = retryAt
  }
}

export const isStatus = (error: unknown, ...statuses: number[]): error is ApiError =>
  error instanceof ApiError && statuses.includes(error.status)

/** Another account has signed in, in this tab or another, since the call was made: its answer must not be shown. */
export class SessionChangedError extends Error {
  override readonly name = 'SessionChangedError'
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body?: unknown
  signal?: AbortSignal | undefined
  /** The same for every try of one intention of the user. */
  idempotencyKey?: string
  accept?: string
  /** The last event of a stream that is continued. */
  lastEventId?: string
  /** An answer that was requested earlier; the call is not sent again. */
  sent?: Promise<Response> | null
  /** For calls that begin a session: their 401 ends no session. */
  withoutSession?: boolean
}

function headersOf({ method = 'GET', body, idempotencyKey, accept, lastEventId }: CallOptions): Headers {
  const headers = new Headers({ accept: accept ?? 'application/json' })
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
  if (lastEventId) headers.set('last-event-id', lastEventId)
  const csrfToken = currentSession()?.csrfToken
  if (method !== 'GET' && csrfToken !== undefined) headers.set('x-csrf-token', csrfToken)
  return headers
}

/** Reads `Retry-After`, in seconds. */
function retryAtOf(response: Response): number | null {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10)
  return Number.isFinite(seconds) && seconds >= 0 ? Date.now() + seconds * 1000 : null
}

/** The error of an answer. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null
  return new ApiError(response.status, body?.error ?? null, retryAtOf(response))
}

/**
 * Calls the service with the session.
 * @throws ApiError for an answer that is no success, and with status 0 when there was none; SessionChangedError when the session has
 * changed meanwhile; the reason of the signal once it is aborted.
 */
export async function send(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', body, signal, sent, withoutSession = false } = options
  const session = currentSession()
  const order = beginCall()
  const sendNow = () =>
    fetch(path, {
      method,
      headers: headersOf(options),
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw new ApiError(0, null)
    })
  // An earlier call of boot.ts that failed is repeated.
  const response = (await sent?.catch(() => null)) ?? (await sendNow())
  if (withoutSession) {
    if (!response.ok) throw await errorOf(response)
    return response
  }
  if (!sessionIsStill(session)) throw new SessionChangedError()
  noteRateLimit(session, response.headers)
  if (response.ok) return response
  // Refused for a session that was renewed since: the call is repeated with the new session.
  if (response.status === 401 && !sessionEnded(order)) return send(path, { ...options, sent: null })
  throw await errorOf(response)
}

/** Calls the service and reads its JSON. @throws the same errors as `send` */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const session = currentSession()
  const response = await send(path, options)
  const body = (await response.json().catch((error: unknown) => {
    if (options.signal?.aborted) throw error
    throw new ApiError(0, null)
  })) as T
  if (!options.withoutSession && !sessionIsStill(session)) throw new SessionChangedError()
  return body
}

/** A query string; a list repeats its name, and undefined values are left out. */
export function withQuery(
  path: string,
  values: Record<string, string | number | true | readonly string[] | undefined>,
) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    for (const one of typeof value === 'object' ? value : [value]) query.append(name, String(one))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
