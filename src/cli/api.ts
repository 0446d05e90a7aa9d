import type { CreditUsage } from '../credits/ledger.ts'
import type { RequestRecord } from '../requests/record.ts'
import type { Job } from '../scraping/jobs.ts'
import { connectionError, readAnswer } from './answers.ts'
import type { ClientConfig } from './client-config.ts'
import { CommandError } from './exit-codes.ts'

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
    // The cheapest call of those whose answers hold the credits.
    readUsage: async (signal) => (await call<{ usage: Usage }>('/api/v1/requests?limit=1', undefined, signal)).usage,
    search: (body) => call('/api/v1/requests/search', body),
  }
}
