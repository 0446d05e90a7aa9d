import createClient from 'openapi-fetch'
import type { paths } from '../../../client/api.d.ts'
import { pathsWithIds } from '../../../client/path.ts'
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

interface SendOptions {
  /** An answer that was requested earlier; the call is not sent again. */
  sent?: Promise<Response> | null
  /** For calls that begin a session: their 401 ends no session. */
  withoutSession?: boolean
}

/** Reads `Retry-After`, in seconds. */
function retryAtOf(response: Response): number | null {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10)
  return Number.isFinite(seconds) && seconds >= 0 ? Date.now() + seconds * 1000 : null
}

/** The error of an answer. */
async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null
  return new ApiError(response.status, body?.error ?? null, retryAtOf(response))
}

/**
 * Sends a call of `api` with the session.
 * @throws ApiError for an answer that is no success, and with status 0 when there was none; SessionChangedError when the session has
 * changed meanwhile; the reason of the signal once it is aborted.
 */
export async function send(request: Request, { sent, withoutSession = false }: SendOptions = {}): Promise<Response> {
  const session = currentSession()
  const order = beginCall()
  // A request gives its body once, but may have to be sent again.
  const body = await request.arrayBuffer()
  const init = body.byteLength === 0 ? {} : { body }
  const sendNow = () => {
    const csrfToken = currentSession()?.csrfToken
    if (request.method !== 'GET' && csrfToken !== undefined) request.headers.set('x-csrf-token', csrfToken)
    return fetch(request, init).catch((error: unknown) => {
      if (request.signal.aborted) throw error
      throw new ApiError(0, null)
    })
  }
  // An earlier call of boot.ts that failed is repeated.
  const response = (await sent?.catch(() => null)) ?? (await sendNow())
  if (withoutSession) {
    if (!response.ok) throw await errorOf(response)
    return response
  }
  if (!sessionIsStill(session)) throw new SessionChangedError()
  if (response.ok) return response
  // Refused for a session that was renewed since: the call is repeated with the new session.
  if (response.status === 401 && !sessionEnded(order)) return send(new Request(request, init))
  throw await errorOf(response)
}

/** The calls of the service, as its OpenAPI document describes them. A call that is refused throws: `send` says what. */
export const api = createClient<paths, 'application/json'>({
  fetch: (request) => send(request),
  pathSerializer: pathsWithIds(() => new ApiError(404, null)),
  headers: { accept: 'application/json' },
  credentials: 'same-origin',
  cache: 'no-store',
  redirect: 'error',
})

/**
 * The whole answer to a call of `api`.
 * @throws what `send` throws; ApiError with status 0 when the answer breaks off or is no JSON.
 */
export async function answerOf<T>(
  call: Promise<{ data?: T }>,
  { withoutSession = false }: Pick<SendOptions, 'withoutSession'> = {},
): Promise<T> {
  const session = currentSession()
  const { data } = await call.catch((error: unknown) => {
    throw error instanceof TypeError || error instanceof SyntaxError ? new ApiError(0, null) : error
  })
  if (!withoutSession && !sessionIsStill(session)) throw new SessionChangedError()
  if (data === undefined) throw new ApiError(0, null)
  return data
}

/** The data of the answer to a call of `api`. @throws the same errors as `answerOf` */
export const dataOf = async <T>(call: Promise<{ data?: { data: T } }>): Promise<T> => (await answerOf(call)).data

/** The header of a call that is the same for every try of one intention of the user. */
export const once = (idempotencyKey: string) => ({ header: { 'idempotency-key': idempotencyKey } })

/** The part of a list that begins at a cursor. */
export const pageAt = (cursor: string | undefined, limit = 20) => ({
  limit,
  ...(cursor === undefined ? {} : { cursor }),
})

/** All pages of a short list, as one. @param readPage reads the page that begins at a cursor */
export async function wholeList<Page extends { results: unknown[]; cursor: string | null }>(
  readPage: (query: ReturnType<typeof pageAt>) => Promise<{ data?: { data: Page } }>,
): Promise<Page> {
  const results: Page['results'] = []
  let cursor: string | null | undefined
  for (;;) {
    const page: Page = await dataOf(readPage(pageAt(cursor ?? undefined, 100)))
    results.push(...page.results)
    cursor = page.cursor
    if (cursor === null) return { ...page, results }
  }
}
