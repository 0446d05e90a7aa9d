import { defineConfig } from 'vitest/config'
import {
  type Backend,
  clusterTestsOf,
  databaseTestsOf,
  isAboutPage,
  localTestsOf,
  plainTestsOf,
  roundRobinTestsOf,
  type Suite,
} from './test/classify.ts'
import { isOpenSearchPrepared, prepareOpenSearch } from './test/opensearch/cluster.ts'

/** `npm test` and `npm run test:long` set it (scripts/test.ts). */
const suite = (process.env.TEST_SUITE ?? 'every file') as Suite

function project(backend: Backend) {
  const include = databaseTestsOf(backend, suite)
  return {
    extends: true as const,
    test: {
      name: backend,
      include: [...include],
      globalSetup: ['test/global-setup.ts', ...(include.some(isAboutPage) ? ['test/dashboard/global-setup.ts'] : [])],
      env: { TEST_BACKEND: backend },
    },
  }
}

/** The files of the search on Postgres with a search cluster; none where OpenSearch cannot run. */
function clusterProjects() {
  const include = clusterTestsOf(suite)
  if (include.length === 0) return []
  // A run of single files downloads nothing.
  const missing = suite === 'long' || isOpenSearchPrepared() ? prepareOpenSearch() : 'npm run test:long downloads it'
  if (missing !== null) {
    if (suite === 'long') console.log(`The tests on OpenSearch are skipped: ${missing}.`)
    return []
  }
  const test = {
    name: 'opensearch',
    include: [...include],
    globalSetup: ['test/global-setup.ts', 'test/opensearch/global-setup.ts'],
    env: { TEST_BACKEND: 'postgres', TEST_SEARCH: 'opensearch' },
    // Two nodes beside everything else: on a busy machine an index takes 10 s to be made.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  }
  return [{ extends: true as const, test }]
}

/** The files of the search on Postgres with an index in each process. */
function localProjects() {
  const include = localTestsOf(suite)
  if (include.length === 0) return []
  if (suite === 'long') console.log(`The tests with an index in each process run ${include.length} files.`)
  const test = {
    name: 'local',
    include: [...include],
    globalSetup: ['test/global-setup.ts', 'test/search-index-setup.ts'],
    env: { TEST_BACKEND: 'postgres', TEST_SEARCH: 'local' },
  }
  return [{ extends: true as const, test }]
}

/** The contract suite on two api and two worker processes behind a load balancer; none in `npm test`. */
function roundRobinProjects() {
  const include = roundRobinTestsOf(suite)
  if (include.length === 0) return []
  const test = {
    name: 'round-robin',
    include: [...include],
    globalSetup: ['test/global-setup.ts'],
    env: { TEST_BACKEND: 'postgres', TEST_SERVICE: 'round-robin' },
    // A job whose worker is killed waits for half a minute; four processes start at once.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  }
  return [{ extends: true as const, test }]
}

// What uses a database runs on the embedded one and on a real Postgres; everything else runs once (test/README.md).
export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'plain', include: [...plainTestsOf(suite)] } },
      project('embedded'),
      project('postgres'),
      ...localProjects(),
      ...clusterProjects(),
      ...roundRobinProjects(),
    ],
    // The files of a worker share its modules, its compiled WebAssembly and its database: half of the time went into those.
    pool: 'forks',
    isolate: false,
    reporters: ['default', './test/report.ts'],
    // A deadlock on the one connection of the embedded database must fail, not hang.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A state that is waited for comes when it comes: on a busy machine one second is nothing.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
})
