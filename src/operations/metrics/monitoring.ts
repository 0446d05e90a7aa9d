import type { Logger } from 'pino'
import type { Database, DatabaseBackend } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import type { PlatformClient } from '../../platforms/client/client.ts'
import type { PlatformsByName } from '../../platforms/platform.ts'
import type { StatusOptions } from '../../platforms/status.ts'
import type { MaintenanceJob } from '../../runtime/maintenance.ts'
import { type CoalescedReads, createCoalescedReads } from '../../runtime/request-coalescing.ts'
import { version } from '../../runtime/version.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { Observation } from './catalogue.ts'
import { createCollectors } from './collectors.ts'
import { creditCollector } from './credit-gauges.ts'
import {
  backlogCollector,
  jobCollector,
  type OutboxBacklog,
  observeProcess,
  outboxCollector,
  platformCollector,
  sizeCollector,
} from './gauges.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import {
  countedReads,
  recordCalls,
  recordedClient,
  recordedJobs,
  recordedPlatforms,
  recordedSearch,
} from './recorded-parts.ts'
import { listenForMetrics, type OwnAddress } from './routes.ts'
import type { MetricsConfig } from './settings.ts'

export interface MonitoredService {
  database: Database
  backend: DatabaseBackend
  role: string
  platformStatus: () => StatusOptions
  /** The backlogs of external search indexes; absent if there are none. */
  outboxBacklog?: (() => Promise<readonly OutboxBacklog[]>) | undefined
}

/** Measures parts of a service. Each method returns an equivalent part, or the same if nothing is measured. */
export interface Monitoring {
  client(client: PlatformClient): PlatformClient
  platforms(platforms: PlatformsByName): PlatformsByName
  searchIndex(index: SearchIndex): SearchIndex
  cachedReads(read: CoalescedReads): CoalescedReads
  maintenanceJobs(jobs: Record<string, MaintenanceJob>): Record<string, MaintenanceJob>
  /** Measures an app's calls; call it before registering routes. */
  calls(app: App): void
  observe(service: MonitoredService): void
  /** All series in Prometheus' text format; null without metrics. */
  readonly expose: (() => Promise<string>) | null
  /** Listens at the separate address, if configured. @returns where. */
  listen(): Promise<string | null>
  stop(): Promise<void>
}

/** Measures nothing, at no cost. */
export const noMonitoring: Monitoring = {
  client: (client) => client,
  platforms: (platforms) => platforms,
  searchIndex: (index) => index,
  cachedReads: (read) => read,
  maintenanceJobs: (jobs) => jobs,
  calls: () => {},
  observe: () => {},
  expose: null,
  listen: async () => null,
  stop: async () => {},
}

const collectorsOf = ({ database, platformStatus, outboxBacklog }: MonitoredService) => [
  jobCollector(database),
  creditCollector(database),
  backlogCollector(database),
  sizeCollector(database),
  platformCollector(platformStatus),
  ...(outboxBacklog ? [outboxCollector(outboxBacklog)] : []),
]

function measured(metrics: Metrics, { metrics: { address } }: MetricsConfig, log: Logger): Monitoring {
  const shared = createCoalescedReads()
  let readDatabase = async (): Promise<Observation[]> => []
  let build: Observation[] = []
  let callsInProgress = () => 0
  let answers = () => ({ cache: 0, database: 0 })
  let own: OwnAddress | null = null

  const observeOwn = (): Observation[] => [
    ...build,
    { name: 'wishwell_http_requests_in_progress', value: callsInProgress(), labels: {} },
    ...Object.entries(answers()).map(([source, value]): Observation => {
      return { name: 'wishwell_answers_total', value, labels: { source } }
    }),
    { name: 'wishwell_metric_failures_total', value: metrics.failures(), labels: {} },
    ...observeProcess(),
  ]
  // Concurrent scrapes share one result.
  const expose = () => shared('metrics', async () => metrics.expose([...(await readDatabase()), ...observeOwn()]))
  return {
    client: (client) => recordedClient(client, metrics),
    platforms: (platforms) => recordedPlatforms(platforms, metrics),
    searchIndex: (index) => recordedSearch(index, metrics),
    cachedReads: (read) => {
      const counted = countedReads(read)
      answers = counted.counts
      return counted.read
    },
    maintenanceJobs: (jobs) => recordedJobs(jobs, metrics),
    calls: (app) => {
      callsInProgress = recordCalls(app, metrics)
    },
    observe: (service) => {
      const { backend, role } = service
      build = [{ name: 'wishwell_build_info', value: 1, labels: { version, backend, role } }]
      readDatabase = createCollectors({
        collectors: collectorsOf(service),
        onFailure: (error, collector) => log.warn({ err: error, collector }, 'metrics could not be read'),
      })
    },
    expose,
    listen: async () => {
      if (address === null) return null
      own = await listenForMetrics(address, expose)
      return own.url
    },
    stop: async () => own?.stop(),
  }
}

/** Loads what is needed to measure a service: nothing of OpenTelemetry if nothing is configured. */
export async function createMonitoring(config: MetricsConfig, log: Logger): Promise<Monitoring> {
  if (!config.metrics.isOn) return noMonitoring
  const metrics = await createMetrics((error, series) =>
    log.warn({ err: error, series }, 'a metric could not be recorded'),
  )
  return measured(metrics, config, log)
}
