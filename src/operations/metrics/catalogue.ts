/** Histogram bounds in seconds, from the slowest unnoticeable work to the deadline of a live call. */
export const durations = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

/**
 * What labels may contain: closed sets of the code, to bound the series and keep out topics, queries, accounts, sources
 * and addresses. `labels.property.service.test.ts` checks the endpoint against them.
 */
export const labelMeanings = {
  operation:
    'the `operationId` of the route (openapi.json), or `other` for the files of the dashboard and unknown paths',
  status: 'the status code of the answer',
  platform: 'a platform, such as `github`',
  outcome: '`ok`, `waiting` (no request was allowed now), `cancelled`, or the error code',
  state: 'the state that its value 1 or number is about',
  engine: 'the search engine',
  step: '`search`, `totals`, `rank` or `candidates`',
  source: '`cache` or `database`',
  queue: '`jobs` or `live`',
  movement: '`reserved`, `settled`, `released` or `granted`',
  balance: 'what is compared: `held`, `payg_held` or `payg_balance`',
  index: 'the search index that reads the outbox: `opensearch`',
  maintenance_job: 'the name of the job',
  collector: 'what reads the database for metrics',
  version: 'the version of Wishwell',
  backend: '`embedded` or `postgres`',
  role: '`all`, `api` or `worker`',
  kind: 'the kind of memory',
} as const

export type Label = keyof typeof labelMeanings

interface Series {
  /** `histogram` and `counter` are recorded on the spot; `total` (only grows) and `gauge` are read on each scrape. */
  kind: 'histogram' | 'counter' | 'total' | 'gauge'
  help: string
  labels: readonly Label[]
  /** Whether every process of a database shows the same number: take the maximum, not the sum. */
  isShared?: true
}

const seriesOf =
  <const Kind extends Series['kind']>(kind: Kind, more: Pick<Series, 'isShared'> = {}) =>
  <const Labels extends readonly Label[]>(
    help: string,
    ...labels: Labels
  ): Series & { kind: Kind; labels: Labels } => ({
    ...{ kind, help, labels },
    ...more,
  })
const [gauge, counter, total] = [seriesOf('gauge'), seriesOf('counter'), seriesOf('total')]
const histogram = seriesOf('histogram')
const shared = { gauge: seriesOf('gauge', { isShared: true }), total: seriesOf('total', { isShared: true }) }

/** Every series of the endpoint. `npm run docs` makes the table in `docs/monitoring/README.md` from it. */
export const catalogue = {
  wishwell_build_info: gauge('Always 1; its labels say what runs.', 'version', 'backend', 'role'),

  wishwell_http_request_duration_seconds: histogram(
    'Calls by route and status, from the request to the end of the answer; streams last until they end.',
    'operation',
    'status',
  ),
  wishwell_http_requests_in_progress: gauge('Calls that are being answered.'),
  wishwell_answers_total: total('Searches and lists, from the response cache or read.', 'source'),
  wishwell_search_duration_seconds: histogram(
    'Steps of searches that were not answered from the cache.',
    'engine',
    'step',
  ),

  wishwell_platform_request_duration_seconds: histogram(
    'Calls to platforms with their retries, by platform and outcome.',
    'platform',
    'outcome',
  ),
  wishwell_platform_pages_total: counter(
    'Attempts to fetch a page; `none` where the platform had no more.',
    'platform',
    'outcome',
  ),
  wishwell_platform_state: shared.gauge(
    '1 for the state that a platform that is on has: ready, waiting, unreachable, paused, quota_exhausted or not_configured.',
    'platform',
    'state',
  ),
  wishwell_platform_budget_remaining_ratio: gauge(
    'What is left of the requests that a platform allows in its window, 0 to 1; of several hosts the lowest.',
    'platform',
  ),
  wishwell_platform_quota_remaining_ratio: shared.gauge(
    'What is left of the daily quota of a platform that has one, 0 to 1.',
    'platform',
  ),
  wishwell_platform_failures: shared.gauge('Failures in a row; of several hosts the highest.', 'platform'),
  wishwell_platform_last_success_timestamp_seconds: shared.gauge(
    'When a platform last answered, in Unix time; absent before its first answer.',
    'platform',
  ),

  wishwell_tasks: shared.gauge('Open tasks: pending, running, or waiting for their platform.', 'platform', 'state'),
  wishwell_jobs_queued: shared.gauge(
    'Jobs that wait because their account runs as many as its plan allows; 10000 stands for that many or more.',
  ),
  wishwell_queue_messages: shared.gauge(
    'Queue messages that are due and that no worker has taken; 10000 stands for that many or more.',
    'queue',
  ),
  wishwell_queue_oldest_seconds: shared.gauge(
    'How long the oldest of these messages has been due; 0 without one.',
    'queue',
  ),
  wishwell_live_calls: shared.gauge('Live calls under way.'),

  wishwell_credits_total: shared.total(
    'Credits of all accounts by the ledger, from its first entry on. Held are reserved less settled and released.',
    'movement',
  ),
  wishwell_credits_held: shared.gauge('Credits that open reservations hold.'),
  wishwell_ledger_drift_credits: shared.gauge(
    'How far the sums of balances and open reservations are from the sums of the entries: always 0 (`wishwell admin verify`).',
    'balance',
  ),

  wishwell_unplaced_requests: shared.gauge(
    'Requests that wait to be placed in wishes; 10000 stands for that many or more.',
  ),
  wishwell_uncounted_texts: shared.gauge(
    'Texts that wait to be written, or their words to be counted; 10000 stands for that many or more.',
  ),
  wishwell_search_outbox_changes: gauge(
    'Changes that the search index of this process, or the one in the cluster, has not read.',
    'index',
  ),
  wishwell_search_outbox_age_seconds: gauge('How old the oldest of these changes is; 0 without one.', 'index'),
  wishwell_database_size_bytes: shared.gauge('The size of the database on its disk.'),
  wishwell_maintenance_failures_total: counter('Failed runs of maintenance jobs.', 'maintenance_job'),

  wishwell_collector_up: gauge(
    'Whether the last reading of a part of the metrics succeeded. Where it is 0 its series are absent after a minute.',
    'collector',
  ),
  wishwell_metric_failures_total: total('Metrics that could not be recorded; the log has the first of each.'),

  wishwell_event_loop_active_seconds_total: total(
    'How long the event loop was busy: its rate is the use of the main thread, 0 to 1.',
  ),
  wishwell_memory_bytes: gauge('Memory of the process.', 'kind'),
  process_cpu_seconds_total: total('CPU time of the process, with its threads.'),
  process_start_time_seconds: gauge('When the process started, in Unix time.'),
}

type Catalogue = typeof catalogue

export type SeriesName = keyof Catalogue
type NamesOf<Kind extends Series['kind']> = {
  [Name in SeriesName]: Catalogue[Name]['kind'] extends Kind ? Name : never
}[SeriesName]

export type HistogramName = NamesOf<'histogram'>
export type CounterName = NamesOf<'counter'>
export type ObservedName = NamesOf<'gauge' | 'total'>

/** A series' labels, each with a value. */
export type LabelsOf<Name extends SeriesName> = Record<Catalogue[Name]['labels'][number], string>

/** A number read for the endpoint. */
export type Observation = {
  [Name in ObservedName]: { name: Name; value: number; labels: LabelsOf<Name> }
}[ObservedName]
