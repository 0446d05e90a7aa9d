import { refusalOf, WishwellError } from './error.ts'

/** How calls are repeated. */
export interface RetryOptions {
  /** How long an answer may take, in milliseconds; of a stream, how long until it begins. By default 60,000. */
  timeoutMs?: number
  /** How often a call is repeated at most. By default 4 times. */
  maxRetries?: number
  /** Makes each attempt, instead of the global `fetch`. */
  fetch?: (request: Request, options: RequestInit) => Promise<Response>
}

/** A longer `Retry-After` is the decision of the caller. */
const maxWaitMs = 60_000

/** These make or send something at each call, and take no Idempotency-Key. */
const hasEffectEachTime = /\/(links|session|test)$/

/** Waits. @throws the reason of the signal once it is aborted */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

const isRepeatable = ({ method, url }: Request) => method !== 'POST' || !hasEffectEachTime.test(new URL(url).pathname)

/** A list with `source=realtime` collects, and so costs credits, like a POST. */
const isMetered = ({ method, url }: Request) =>
  method === 'POST' || (method === 'GET' && new URL(url).searchParams.get('source') === 'realtime')

function isTemporary({ code, status, reason }: WishwellError, request: Request): boolean {
  // The call was refused before it had an effect.
  if (status === 429) return reason === null || reason === 'rate'
  return isRepeatable(request) && (code === 'UNREACHABLE' || (status !== null && [502, 503, 504].includes(status)))
}

const isFile = ({ headers }: Response) => (headers.get('content-disposition') ?? '').startsWith('attachment')

/** Makes one attempt. A body of JSON is read here, so that an answer that is cut off is a failure of the attempt. */
async function attempt(request: Request, timeoutMs: number, send: Required<RetryOptions>['fetch']): Promise<Response> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutMs)
  const signal = AbortSignal.any([request.signal, limit.signal])
  try {
    // A followed redirect turns a POST into a GET.
    const response = await send(request.clone(), { signal, redirect: 'manual' })
    const type = response.headers.get('content-type') ?? ''
    // A page that is no file is that of a proxy.
    const isPage = type.startsWith('text/html') && !isFile(response)
    if (response.ok && !isPage && !type.startsWith('application/json')) return response
    const text = await response.text()
    if (!response.ok || isPage) throw refusalOf(response, text)
    return new Response(text, response)
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    if (error instanceof WishwellError) throw error
    const { origin } = new URL(request.url)
    const what = limit.signal.aborted ? `did not answer within ${timeoutMs / 1000} s` : 'cannot be reached'
    throw new WishwellError(`The service at ${origin} ${what}.`, { code: 'UNREACHABLE', cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * A `fetch` that repeats what failed for a while: after `Retry-After`, else after a pause that doubles, both with jitter. All attempts of a
 * call have one Idempotency-Key, so it has its effect once.
 */
export function createRetryingFetch({ timeoutMs = 60_000, maxRetries = 4, fetch = globalThis.fetch }: RetryOptions) {
  return async (request: Request): Promise<Response> => {
    if (isMetered(request) && !request.headers.has('idempotency-key'))
      request.headers.set('idempotency-key', crypto.randomUUID())
    for (let retries = 0; ; retries += 1) {
      try {
        return await attempt(request, timeoutMs, fetch)
      } catch (error) {
        if (!(error instanceof WishwellError) || retries >= maxRetries || !isTemporary(error, request)) throw error
        const { retryAfterMs } = error
        if (retryAfterMs !== null && retryAfterMs > maxWaitMs) throw error
        // Never earlier than the service asks for.
        const waitMs = retryAfterMs === null ? Math.random() * 500 * 2 ** retries : retryAfterMs + Math.random() * 500
        await pause(waitMs, request.signal)
      }
    }
  }
}
