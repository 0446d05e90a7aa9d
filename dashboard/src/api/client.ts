import { noteRateLimit } from './rate-left.ts'
import { beginTurn, currentSession, sessionEnded, sessionIsStill } from './session-store.ts'
import type { ErrorBody } from './types.ts'

/** A call that was not answered as hoped: what the page needs to say so, and to say what to do. */
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

/** Another account has signed in, in this tab or another, since the call was made: its answer belongs to nobody here. */
export class SessionChangedError extends Error {
  override readonly name = 'SessionChangedError'
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  body?: unknown
  signal?: AbortSignal | undefined
  /** One for each intention of the user, however often it is sent. */
  idempotencyKey?: string
  accept?: string
  /** Where a stream of events goes on. */
  lastEventId?: string
  /** What was sent already is not sent again. */
  sent?: Promise<Response> | null
  /** For the calls that begin a session: what they answer with 401 ends none. */
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

/** Reads `Retry-After`, in seconds as the service gives it. */
function retryAtOf(response: Response): number | null {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10)
  return Number.isFinite(seconds) && seconds >= 0 ? Date.now() + seconds * 1000 : null
}

/** What an answer that is no success says. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null
  return new ApiError(response.status, body?.error ?? null, retryAtOf(response))
}

/**
 * Calls the service in the name of the session.
 * @throws ApiError for every answer that is no success, and with status 0 when there was none; SessionChangedError when the session is
 * another one by now; the signal's reason when it was aborted.
 */
export async function send(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', body, signal, sent, withoutSession = false } = options
  const session = currentSession()
  const turn = beginTurn()
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
  // What was sent before the page was there, and failed, is sent again.
  const response = (await sent?.catch(() => null)) ?? (await sendNow())
  if (withoutSession) {
    if (!response.ok) throw await errorOf(response)
    return response
  }
  if (!sessionIsStill(session)) throw new SessionChangedError()
  noteRateLimit(session, response.headers)
  if (response.ok) return response
  // Refused for a session that was renewed since: with this one it is asked anew.
  if (response.status === 401 && !sessionEnded(turn)) return send(path, { ...options, sent: null })
  throw await errorOf(response)
}

/** Calls the service and reads its JSON. @throws as `send` does. */
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

/** A query string of what is given; lists repeat their name, and what is undefined is left out. */
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
