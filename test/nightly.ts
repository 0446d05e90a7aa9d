import { prepareOpenSearch } from './opensearch/cluster.ts'
import { findPgBouncer } from './pgbouncer.ts'

/** A part of `npm run test:nightly`: at most 20 minutes on two cores. */
export interface NightlyPart {
  /** What it holds, for its heading. */
  about: string
  /** Its test files, as patterns from the root of the repository. */
  files: readonly string[]
  /** The databases that they run on, one after the other. */
  backends: readonly ('embedded' | 'postgres')[]
  environment?: Readonly<Record<string, string>>
  globalSetup?: readonly string[]
  /** Of a test or a hook; by default the usual one. */
  timeLimitMs?: number
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
    about: 'kill -9 at any moment, frozen processes, interrupted work',
    files: [nightly('test/crash')],
    backends: ['embedded', 'postgres'],
  },
  campaigns: {
    about: 'random and exhaustive checks, with many rounds',
    files: [
      '{src,test}/**/*.property.{test,service.test}.ts',
      'src/requests/search/fuzz.service.test.ts',
      'src/live/faults.service.test.ts',
    ],
    backends: ['embedded'],
  },
  races: {
    about: 'callers at once, with many rounds',
    files: [
      'src/credits/last-credit.postgres.test.ts',
      'src/rate-limits/*.postgres.test.ts',
      'test/{last-credit.nightly,writers.postgres}.test.ts',
    ],
    backends: ['postgres'],
  },
  faults: {
    about: 'every fault of every platform, and platforms that stay silent',
    files: [nightly('test/fault-matrix'), nightly('src/platform-simulator')],
    backends: ['embedded'],
  },
  page: {
    about: 'every part of the page in a browser; npm test has signing in and searching',
    files: [nightly('test/dashboard')],
    backends: ['embedded'],
  },
  commands: {
    about: 'processes that are started and ended as an operator does',
    files: [nightly('src/cli'), 'test/{process,schema-version,full-disk}.nightly.test.ts', nightly('src/database')],
    backends: ['embedded'],
  },
  moving: {
    about: 'backups, restores and dumps of whole databases',
    files: [nightly('src/{backup,moving}')],
    backends: ['embedded', 'postgres'],
  },
  slow: {
    about: 'what measures time or memory, or waits for a real while',
    files: [
      nightly('src/{channels,live,metrics,scraping,upkeep}'),
      'src/requests/search/*.nightly.test.ts',
      'test/demo-collection.nightly.test.ts',
      nightly('test/near-misses'),
    ],
    backends: ['embedded'],
  },
  'local-index': {
    about: 'the search index of a process, killed and damaged',
    files: [nightly('src/requests/search/local')],
    backends: ['postgres'],
  },
  pgbouncer: {
    about: 'a service behind PgBouncer in transaction mode',
    files: ['test/pgbouncer.nightly.test.ts'],
    backends: ['postgres'],
    needs: { debian: ['pgbouncer'], missing: () => (findPgBouncer() === null ? 'there is no PgBouncer' : null) },
  },
  opensearch: {
    about: 'the search suite on OpenSearch',
    files: [nightly('test/opensearch'), 'src/requests/search/{,outbox/}*.service.test.ts'],
    backends: ['postgres'],
    environment: { TEST_SEARCH: 'opensearch' },
    globalSetup: ['test/opensearch/global-setup.ts'],
    // Two nodes beside everything else: on a busy machine an index takes 10 s to be made.
    timeLimitMs: 300_000,
    needs: { debian: ['openjdk-17-jdk-headless', 'maven'], missing: prepareOpenSearch },
  },
  'round-robin': {
    about: 'the contract on four processes behind a load balancer, which are killed between its calls',
    files: ['test/contract/*.postgres.test.ts'],
    backends: ['postgres'],
    environment: { TEST_SERVICE: 'round-robin' },
    // A job whose worker is killed waits for half a minute; four processes start at once.
    timeLimitMs: 300_000,
  },
  package: {
    about: 'the package, installed into an empty folder',
    files: [nightly('test/package')],
    backends: ['embedded'],
  },
}
