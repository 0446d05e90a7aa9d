import type { CreditUsage } from '../credits/usage.ts'
import type { PlatformStatus } from '../platforms/status.ts'
import type { RequestRecord } from '../requests/record.ts'
import type { Job } from '../scraping/jobs.ts'
import { connectionError, readAnswer } from './answers.ts'
import type { ClientConfig } from './client-config.ts'
import { CommandError } from './exit-codes.ts'

export interface Usage {
  credits: CreditUsage
}

/** What an account has of its plan, as the usage endpoint tells it. */
export interface AccountUsage {
  tier: string
  credits: CreditUsage & { resetsAt: string }
  paygBalance: number
  paygMonthlyCap: number | null
  rateLimit: { limit: number; windowSeconds: number }
  days?: { date: string; operation: string; credits: number }[]
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
  readUsage(signal?: AbortSignal, days?: number): Promise<{ data: AccountUsage }>
  readPlatforms(): Promise<{ data: { platforms: PlatformStatus[] } }>
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
      const { status, headers } = response
      const answer = { url, status, headers, text: await response.text(), keyFrom: 'WISHWELL_API_KEY' }
      return readAnswer(answer) as Body
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
    readUsage: (signal, days) => call(`/api/v1/usage${days === undefined ? '' : `?days=${days}`}`, undefined, signal),
    readPlatforms: () => call('/api/v1/platforms', undefined),
    search: (body) => call('/api/v1/requests/search', body),
  }
}
