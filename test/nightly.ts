import { findChromium } from './dashboard/chromium.ts'
import { prepareOpenSearch } from './opensearch/cluster.ts'
import { findPgBouncer } from './pgbouncer.ts'
import { missingForPython } from './python.ts'

/** A part of `npm run test:nightly`: at most 20 minutes on two cores. */
export interface NightlyPart {
  /** What it holds, for its heading. */
  about: string
  /** After a change of what it should run. */
  after: string
  /** The test files that run on the embedded database, or on none, as patterns from the root of the repository. */
  embedded?: readonly string[]
  /** Those that run on Postgres. */
  postgres?: readonly string[]
  /** Instead of tests: a bench with its parameters. It fails when the service does, not by its figures. */
  bench?: readonly string[]
  environment?: Readonly<Record<string, string>>
  globalSetup?: readonly string[]
  /** Of a test or a hook; by default the usual one. */
  timeLimitMs?: number
  /** How many files run at once; by default as many as in `npm test`. */
  maxWorkers?: number
  needs?: {
    /** Debian's packages, which the run installs where it may. */
    debian: readonly string[]
    /** Prepares the part. @returns what is missing, as a sentence without its end; null when nothing is. */
    missing: () => string | null
  }
}

const nightly = (folder: string) => `${folder}/**/*.nightly.test.ts`

/** By the names with which `npm run test:nightly -- NAME` runs them. */
export const nightlyParts: Readonly<Record<string, NightlyPart>> = {
  crash: {
    about: 'kill -9 between any two statements, and of any process',
    after: 'the store, the ledger, the queue, deliveries, watches, the embedded database',
    maxWorkers: 2,
    embedded: [
      'test/crash/*.service.test.ts',
      'test/crash/{first-start,frozen,full-disk,idempotent-retry,interrupted-*,live-call,mail,mcp,memory-limit,moving,pushes,restore}.nightly.test.ts',
    ],
  },
  'crash-postgres': {
    about: 'several processes on one Postgres, killed and frozen',
    after: 'the queue, pools, anything that processes share',
    // Each file starts processes of its own: beside others they would take Postgres for silent.
    maxWorkers: 1,
    postgres: ['test/crash/{frozen,frozen-postgres,live-call,round-robin}.nightly.test.ts'],
  },
  campaigns: {
    about: 'random and exhaustive checks, with many rounds',
    after: 'detection, search, lists, the store, live calls, mail',
    embedded: [
      '{src,test}/**/*.property.{test,service.test}.ts',
      'src/notifications/channels/adapters/formats.test.ts',
      'src/database/embedded/client.service.test.ts',
      'src/collecting/live/faults.service.test.ts',
      'src/notifications/mail/hostile-mail.test.ts',
      'src/notifications/trackers/breaks.service.test.ts',
      'src/mcp/tools.service.test.ts',
      'src/search/list/list.service.test.ts',
      'src/search/{engine,fuzz}.service.test.ts',
      'src/collecting/scraping/cancel.service.test.ts',
      'src/requests/accuracy/accuracy.test.ts',
    ],
  },
  month: {
    about: 'a month of two hundred watches',
    after: 'the schedule of watches',
    embedded: ['test/watched-month/month.service.test.ts'],
  },
  races: {
    about:
      'callers and processes at once on Postgres, with many rounds; several of these files usually run on the embedded database',
    after: 'the ledger, rate limits, sessions, placing, anything that processes share',
    postgres: [
      'src/credits/{last-credit.postgres,budgets.service}.test.ts',
      'src/{requests/wish-numbers/numbers.property,wishes/topics/counts.property,accounts/account-keys}.service.test.ts',
      'src/http/rate-limits/limiter.postgres.test.ts',
      'src/{requests/judging/judging,requests/refreshing/refreshing,accounts/sessions/sessions,platforms/budget/quota-store}.service.test.ts',
      'src/wishes/{placing/placing,marks/marks}.service.test.ts',
      'test/writers.postgres.test.ts',
    ],
  },
  tsvector: {
    about: 'the search suite on a Postgres without BM25',
    after: 'search',
    postgres: ['src/search/{engine,engine-choice,search-index,searchable-requests,views}.service.test.ts'],
  },
  faults: {
    about: 'every fault of every platform, and platforms that stay silent',
    after: 'an adapter, the HTTP client of platforms',
    embedded: [nightly('test/fault-matrix'), nightly('simulator')],
  },
  page: {
    about:
      'every part of the page in a browser; npm test has signing in, searching, wishes, collecting, briefs and importing',
    after: 'the page',
    embedded: [nightly('test/dashboard')],
    globalSetup: ['test/dashboard/global-setup.ts'],
    needs: { debian: ['chromium'], missing: () => (findChromium() === null ? 'there is no Chromium' : null) },
  },
  commands: {
    about: 'processes that are started and ended as an operator does',
    after: 'the command line, the start and the end of the process',
    embedded: [nightly('src/cli'), 'test/{process,schema-version,full-disk}.nightly.test.ts', nightly('src/database')],
  },
  moving: {
    about: 'backups, restores and dumps of whole databases',
    after: 'the schema, backups, dumps',
    embedded: [nightly('src/operations')],
    postgres: [
      'src/operations/moving/{moving,restore-dump}.nightly.test.ts',
      'src/operations/backup/backup.nightly.test.ts',
      'test/schema-version.nightly.test.ts',
    ],
  },
  slow: {
    about: 'what measures time or memory, or waits for a real while',
    after: 'channels, live calls, search, upkeep',
    embedded: [
      nightly('src/{notifications,collecting}'),
      'src/search/*.nightly.test.ts',
      'test/demo.nightly.test.ts',
      nightly('test/near-misses'),
    ],
  },
  pgbouncer: {
    about: 'a service behind PgBouncer in transaction mode',
    after: 'pools, LISTEN, transactions',
    postgres: ['test/pgbouncer.nightly.test.ts'],
    needs: { debian: ['pgbouncer'], missing: () => (findPgBouncer() === null ? 'there is no PgBouncer' : null) },
  },
  opensearch: {
    about: 'the search suite on OpenSearch',
    after: 'search, the outbox',
    postgres: [
      nightly('test/opensearch'),
      'src/search/{engine,search-index,searchable-requests,views,outbox/metrics}.service.test.ts',
    ],
    environment: { TEST_SEARCH: 'opensearch' },
    globalSetup: ['test/opensearch/global-setup.ts'],
    // Two nodes beside everything else: on a busy machine an index takes 10 s to be made.
    timeLimitMs: 300_000,
    needs: { debian: ['openjdk-17-jdk-headless', 'maven'], missing: prepareOpenSearch },
  },
  'round-robin': {
    about: 'the contract on four processes behind a load balancer, which are killed between its calls',
    after: 'routes, the queue, anything that processes share',
    postgres: ['test/contract/*.postgres.test.ts'],
    environment: { TEST_SERVICE: 'round-robin' },
    // A job whose worker is killed waits for half a minute; four processes start at once.
    timeLimitMs: 300_000,
  },
  mutations: {
    about: 'guarantees that are broken on purpose, so that their tests fail',
    after: 'a test that holds a guarantee',
    embedded: [nightly('test/mutations')],
  },
  hostile: {
    about: 'hostile files, feeds and calls beside a second account, within 1 GB: who waits how long, and what stays',
    after: '`src/runtime/foreign/`, uploads, what reads texts of strangers',
    bench: ['bench/hostile.ts', '--requests', '5000'],
  },
  package: {
    about: 'the package, installed into an empty folder; a release; the Helm chart',
    after: 'dependencies, scripts, `bin/`, `deploy/`',
    // Each compiles and installs, with every processor.
    maxWorkers: 1,
    embedded: [nightly('test/package')],
  },
  python: {
    about:
      'the client for Python, built and installed into an empty environment; schemathesis on every call; an agent in Python',
    after: 'the API document, `clients/python/`',
    embedded: ['test/{python-client,api-fuzzing,mcp-agent}.nightly.test.ts'],
    needs: { debian: ['python3-venv'], missing: missingForPython },
  },
}
