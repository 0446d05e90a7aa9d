import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Executor } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { ServiceError } from '../../http/errors.ts'
import type { PlatformClient } from '../../platforms/client/client.ts'
import { PlannedWaitError, type Platform, PlatformError, type PlatformsByName } from '../../platforms/platform.ts'
import type { MaintenanceJob } from '../../runtime/maintenance.ts'
import type { CoalescedReads } from '../../runtime/request-coalescing.ts'
import type { RankOptions } from '../../search/ranked.ts'
import type { CandidatesOfSearch, SearchIndex, SearchInput, TotalsOfSearch } from '../../search/search-index.ts'
import type { CounterName, HistogramName, LabelsOf } from './catalogue.ts'

// Parts of the service that also record what they do, so that no other room knows of metrics.

/** The reason of a failure as a code of a closed set; never a message, which may contain an address. */
function outcomeOf(error: unknown): string {
  if (error instanceof PlannedWaitError) return 'waiting'
  if (error instanceof PlatformError || error instanceof ServiceError) return error.code
  return 'other'
}

/** Where the parts record what happens. Methods neither throw nor wait. */
export interface Recorder {
  record<Name extends HistogramName>(name: Name, seconds: number, labels: LabelsOf<Name>): void
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): void
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000

/** A client that records each call to a platform. */
export const recordedClient = (client: PlatformClient, recorder: Recorder): PlatformClient => ({
  ...client,
  getJson: async (request) => {
    const { platform } = request
    const startedAt = performance.now()
    const record = (outcome: string) =>
      recorder.record('wishwell_platform_request_duration_seconds', secondsSince(startedAt), { platform, outcome })
    try {
      const answer = await client.getJson(request)
      record('ok')
      return answer
    } catch (error) {
      record(outcomeOf(error))
      throw error
    }
  },
})

/** A platform that counts the pages fetched by tasks. */
const recordedPlatform = (platform: Platform, recorder: Recorder): Platform => {
  const count = (outcome: string) =>
    recorder.count('wishwell_platform_pages_total', { platform: platform.name, outcome })
  return {
    ...platform,
    fetchPage: async (request) => {
      try {
        const page = await platform.fetchPage(request)
        count(page === null ? 'none' : 'ok')
        return page
      } catch (error) {
        count(outcomeOf(error))
        throw error
      }
    },
  }
}

/** The same for all enabled platforms, looked up late because tests replace them at runtime. */
export const recordedPlatforms = (platforms: PlatformsByName, recorder: Recorder): PlatformsByName => ({
  get: (name) => {
    const platform = platforms.get(name)
    return platform && recordedPlatform(platform, recorder)
  },
})

/** A search index that records the duration of its steps. */
export function recordedSearch(index: SearchIndex, recorder: Recorder): SearchIndex {
  const timed =
    <Parameters extends unknown[], Result>(step: string, work: (...parameters: Parameters) => Promise<Result>) =>
    async (...parameters: Parameters): Promise<Result> => {
      const startedAt = performance.now()
      try {
        return await work(...parameters)
      } finally {
        const labels = { engine: index.kind, step }
        recorder.record('wishwell_search_duration_seconds', secondsSince(startedAt), labels)
      }
    }
  // Everything else is inherited, including later additions.
  return Object.assign(Object.create(index) as SearchIndex, {
    search: timed('search', (executor: Executor, input: SearchInput) => index.search(executor, input)),
    totals: timed('totals', (executor: Executor, input: TotalsOfSearch) => index.totals(executor, input)),
    rank: timed('rank', (executor: Executor, input: SearchInput, options?: RankOptions) =>
      index.rank(executor, input, options),
    ),
    candidates: timed('candidates', (executor: Executor, words: readonly string[], input: CandidatesOfSearch) =>
      index.candidates(executor, words, input),
    ),
  })
}

/** Counts cache reads, and those answered by the cache. */
export function countedReads(read: CoalescedReads): {
  read: CoalescedReads
  counts(): { cache: number; database: number }
} {
  let calls = 0
  let readings = 0
  return {
    read: (key, work) => {
      calls++
      return read(key, () => {
        readings++
        return work()
      })
    },
    // A shared read counts once: the others were spared it.
    counts: () => ({ cache: Math.max(0, calls - readings), database: readings }),
  }
}

/** Maintenance jobs that count their failures. */
export const recordedJobs = (
  jobs: Record<string, MaintenanceJob>,
  recorder: Recorder,
): Record<string, MaintenanceJob> =>
  Object.fromEntries(
    Object.entries(jobs).map(([job, run]) => [
      job,
      async () => {
        try {
          return await run()
        } catch (error) {
          recorder.count('wishwell_maintenance_failures_total', { maintenance_job: job })
          throw error
        }
      },
    ]),
  )

/** A route's name, from a closed set, unlike paths. */
function operationOf({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): string {
  const schema = routeOptions.schema as { operationId?: string } | undefined
  return schema?.operationId ?? 'other'
}

/** The status of a call closed by its caller before the answer. */
const closedByCaller = 499

/** The status that a caller got; read it when the connection is done. */
const statusOf = ({ raw, statusCode }: Pick<FastifyReply, 'raw' | 'statusCode'>): number =>
  raw.headersSent ? statusCode : closedByCaller

/** Records calls once answered or closed; register before the routes. @returns how many are open. */
export function recordCalls(app: App, recorder: Recorder): () => number {
  let inProgress = 0
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now()
    inProgress++
    // Not `onResponse`, which is not called if a caller leaves a stream.
    reply.raw.once('close', () => {
      inProgress--
      const labels = { operation: operationOf(request), status: String(statusOf(reply)) }
      recorder.record('wishwell_http_request_duration_seconds', secondsSince(startedAt), labels)
    })
    done()
  })
  return () => inProgress
}
