import type { CreditUsage } from '../credits/usage.ts'
import type { ErrorDetail } from '../http/errors.ts'
import type { RequestRecord } from '../requests/record.ts'
import type { Job } from '../scraping/jobs.ts'
import type { ClientConfig } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { printable } from './text.ts'

/** A call that failed: what to tell, and how the command ends if that was its last call. */
export class ApiError extends CommandError {
  /** Whether the same call may succeed a moment later. */
  readonly temporary: boolean
  /** How long the service asked us to wait; null when it did not. */
  readonly retryAfterMs: number | null
  constructor(message: string, exitCode: number, options: { temporary?: boolean; retryAfterMs?: number | null } = {}) {
    super(message, exitCode)
    this.temporary = options.temporary ?? false
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

export interface Usage {
  credits: CreditUsage
}

export interface StartedJob {
  data: Pick<Job, 'jobId' | 'status' | 'topic'> & { platforms: string[]; depth: number }
  usage: Usage
}

export interface SearchAnswer {
  data: { results: RequestRecord[]; hasMore: boolean; limitReached: boolean }
  usage: Usage
}

/** The calls that the commands make. All of them throw ApiError, or the reason of the signal once it is aborted. */
export interface Api {
  startJob(body: { topic: string; platforms?: string[]; depth?: number }, signal: AbortSignal): Promise<StartedJob>
  readJob(jobId: string, signal: AbortSignal): Promise<Job>
  /** The credits as they are now. */
  readUsage(signal: AbortSignal): Promise<Usage>
  search(body: { query: string; limit?: number; offset?: number }): Promise<SearchAnswer>
}

const defaultTimeoutMs = 15_000
const jsonHeader = { 'content-type': 'application/json' }

/** A client of the service that `config` points at. */
export function createApi({ url, apiKey }: ClientConfig, { timeoutMs = defaultTimeoutMs } = {}): Api {
  async function call<Body>(path: string, body: unknown, signal?: AbortSignal): Promise<Body> {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${apiKey}`, ...(body === undefined ? {} : jsonHeader) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        // A followed redirect turns a POST into a GET.
        redirect: 'manual',
      })
      return readAnswer(url, response, await response.text()) as Body
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof CommandError) throw error
      throw connectionError(url, error, timeoutMs)
    }
  }
  return {
    startJob: (body, signal) => call('/api/v1/scrape', body, signal),
    readJob: async (jobId, signal) =>
      (await call<{ data: Job }>(`/api/v1/scrape/${encodeURIComponent(jobId)}`, undefined, signal)).data,
    // The cheapest call of those whose answers hold the credits.
    readUsage: async (signal) => (await call<{ usage: Usage }>('/api/v1/requests?limit=1', undefined, signal)).usage,
    search: (body) => call('/api/v1/requests/search', body),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function readAnswer(url: string, response: Response, text: string): Record<string, unknown> {
  const { status } = response
  const { data, error, ...rest } = parseObject(text)
  if (response.ok && isObject(data)) return { data, ...rest }
  if (!response.ok && isObject(error) && typeof error.message === 'string') throw envelopeError(response, error)
  if (status >= 300 && status < 400) {
    const target = printable(response.headers.get('location') ?? 'elsewhere')
    throw new ApiError(`${url} answered ${status}, a redirect to ${target}. Set WISHWELL_URL to it.`, exitCodes.failed)
  }
  // A proxy answers so for a service that is away.
  const temporary = status >= 500 || status === 429
  const message = `${url} answered ${status} with something that is not Wishwell's JSON. Is WISHWELL_URL right?`
  throw new ApiError(message, status === 429 ? exitCodes.limited : exitCodes.failed, { temporary })
}

function envelopeError({ status, headers }: Response, error: Record<string, unknown>): ApiError {
  const details = Array.isArray(error.details) ? (error.details as ErrorDetail[]) : []
  // The message tells the first of them already.
  const further = details.slice(1).map(({ path, message }) => `  ${printable(`${path}: ${message}`)}`)
  const hint = status === 401 ? ['The key is read from WISHWELL_API_KEY.'] : []
  const message = [printable(String(error.message)), ...further, ...hint].join('\n')
  const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(retryAfterSeconds) ? retryAfterSeconds * 1000 : null
  if (status === 429)
    return new ApiError(message, exitCodes.limited, { temporary: error.reason !== 'credits', retryAfterMs })
  return new ApiError(message, exitCodes.failed, { temporary: status >= 500, retryAfterMs })
}

function connectionError(url: string, error: unknown, timeoutMs: number): ApiError {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } }
  const say = (message: string) => new ApiError(message, exitCodes.unreachable, { temporary: true })
  if (name === 'TimeoutError') return say(`The service at ${url} did not answer within ${timeoutMs / 1000} s.`)
  if (cause?.code === 'ECONNREFUSED') {
    return say(`Nothing listens at ${url}. Start the service with "wishwell serve", or set WISHWELL_URL.`)
  }
  if (cause?.code === 'ENOTFOUND') return say(`There is no host of the name in ${url}. Is WISHWELL_URL right?`)
  return say(`The service at ${url} cannot be reached (${cause?.code ?? cause?.message ?? String(error)}).`)
}
