import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Where test files are, relative to the repository. */
const testGlobs = ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts']
/** Static imports and re-exports of files of the repository; what only a type is imported from is none at run time. */
const relativeImport =
  /^(?:import|export)\s(?!type\s)[^'"]*?from\s*'(\.{1,2}\/[^']+\.ts)'|^import\s*'(\.{1,2}\/[^']+\.ts)'/gm

const importsOfFile = new Map<string, string[]>()

function importsOf(file: string): string[] {
  const known = importsOfFile.get(file)
  if (known) return known
  const text = readFileSync(join(root, file), 'utf8')
  const imports = [...text.matchAll(relativeImport)].map(([, from, bare]) => join(dirname(file), from ?? bare ?? ''))
  importsOfFile.set(file, imports)
  return imports
}

/** Whether a file imports another one, itself or through what it imports. Paths are relative to the repository. */
function reaches(file: string, target: string, seen = new Set<string>()): boolean {
  return importsOf(file).some((imported) => {
    if (imported === target) return true
    if (seen.has(imported)) return false
    seen.add(imported)
    return reaches(imported, target, seen)
  })
}

const testFiles = globSync(testGlobs, { cwd: root }).sort()

const isIn = (file: string, prefixes: readonly string[]) => prefixes.some((prefix) => file.startsWith(prefix))

/** What is about a search cluster only. */
const onlyOfCluster = ['test/opensearch/']

/** The test files that open a database: they import `test/database.ts`. */
const allDatabaseTests = testFiles.filter((file) => reaches(file, 'test/database.ts'))

/** Those of them that can run on every backend. */
const databaseTests = allDatabaseTests.filter((file) => !isIn(file, onlyOfCluster))

/** Everything that searches. */
const searches = ['src/requests/purge/', 'src/requests/search/', 'src/requests/similar/', 'test/contract/']

/** What searches no index of the tests: it is about the database, or makes indexes itself. The project `postgres` runs it. */
const ofTheirOwnIndexes = [
  'src/requests/search/life',
  'src/requests/search/stored-words',
  'src/requests/search/bm25',
  'src/requests/search/engine-choice',
  'src/requests/search/index-build',
  'src/requests/search/local/',
  'src/requests/search/outbox/outbox',
  'src/requests/search/size-watch',
  'src/requests/search/tsvector',
  'src/requests/search/uncounted-texts',
  'src/requests/search/usual-length',
  'src/requests/search/vocabulary',
]

/** The test files that also run with a search cluster. */
const clusterTests = allDatabaseTests.filter(
  (file) => isIn(file, [...onlyOfCluster, ...searches]) && !isIn(file, ofTheirOwnIndexes),
)

/** What else searches. */
const alsoWithLocalIndexes = [
  'src/requests/excerpt',
  'src/requests/export/',
  'src/requests/views/surfaces.property',
  'test/unlisted-requests',
]

/** The test files that also run with an index in each process. */
const localTests = databaseTests.filter(
  (file) => isIn(file, [...searches, ...alsoWithLocalIndexes]) && !isIn(file, ofTheirOwnIndexes),
)

/** The test files that also run on two api and two worker processes behind a load balancer: what callers are promised. */
const roundRobinTests = allDatabaseTests.filter((file) => isIn(file, ['test/contract/']))

/** All other test files: they run once. */
const plainTests = testFiles.filter((file) => !allDatabaseTests.includes(file))

/** The test files whose campaigns have a size: they import `test/campaign-size.ts`. `npm run test:long` runs them with more rounds. */
const campaignTests = testFiles.filter((file) => reaches(file, 'test/campaign-size.ts'))

/** A browser shows the same on every backend: these run on the embedded database only. */
export const isAboutPage = (file: string): boolean => isIn(file, ['test/dashboard/'])

/**
 * `npm run test:long` runs these, `npm test` does not. Most of their time is processes that open a database, a browser, waits of
 * platforms that stay silent, or a campaign of kills.
 */
const longOnly = [
  'test/crash/',
  'test/process',
  'test/schema-version',
  'test/demo-collection',
  'test/near-misses/',
  'test/package/installed',
  'test/fault-matrix/lasting',
  'test/fault-matrix/paging',
  'test/fault-matrix/passing',
  'test/fault-matrix/silence',
  'test/fault-matrix/unreachable',
  'test/dashboard/',
  'src/platform-simulator/bluesky-collection',
  'src/platform-simulator/reddit-and-x-collection',
  'src/platform-simulator/youtube-collection',
  'src/backup/',
  'src/moving/import',
  'src/moving/moving',
  'src/moving/service',
  'src/upkeep/',
  'src/database/embedded/creation',
  'src/live/deadline',
  'src/requests/search/life',
  'src/requests/search/local/damage',
  'src/requests/search/local/kill',
  'src/scraping/unreachable',
  'src/cli/credits',
  'src/cli/moving',
  'src/cli/operator',
  'src/cli/purge',
  'src/cli/serve',
]
/** Of these groups `npm test` keeps what everybody uses on the page: signing in and searching. */
const quickOfThem = ['test/dashboard/search', 'test/dashboard/sign-in']
const isLongOnly = (file: string) => isIn(file, longOnly) && !isIn(file, quickOfThem)

/** What these files are about is mostly the same code on every backend: on Postgres they run in `npm run test:long` only. */
const isLongOnPostgres = (file: string) =>
  isIn(file, [
    'src/cli/',
    'src/dashboard/',
    'src/live/',
    'src/credits/crowd',
    'src/credits/ledger.property',
    'src/rate-limits/rate-limits',
    'src/requests/export/',
    'src/requests/list/',
    'src/requests/purge/',
    'src/requests/search/features',
    'src/requests/search/fuzz',
    'src/requests/search/search-index',
    'src/requests/search/understood',
    'src/requests/search/views',
    'src/requests/views/surfaces.property',
    'src/requests/wishes/numbers.property',
    'src/scraping/sources',
    'src/scraping/time-limit',
    'src/usage/',
    'src/wishes/corrections/corrections.property',
    'test/contract/',
    'test/fault-matrix/',
    'test/crash/',
    'test/last-credit',
    'test/recorded-end-to-end',
  ])

/** What a run includes: `npm test`, `npm run test:long`, or every file, for a run of single files. */
export type Suite = 'quick' | 'long' | 'every file'

/** The test files that need no database of the suite. */
export const plainTestsOf = (suite: Suite): readonly string[] =>
  plainTests.filter((file) => suite === 'every file' || (suite === 'long') === isLongOnly(file))

export type Backend = 'embedded' | 'postgres'

/** The database tests of `npm test` on a backend. `npm run test:long` runs what this leaves out. */
const isQuick = (file: string, backend: Backend) =>
  !isLongOnly(file) && !(backend === 'postgres' && isLongOnPostgres(file))

/**
 * The test files that run on a backend. `npm run test:long` runs the campaigns with more rounds and everything that `npm test` leaves
 * out: together they run every file on every backend.
 */
export function databaseTestsOf(backend: Backend, suite: Suite): readonly string[] {
  const possible = backend === 'postgres' ? databaseTests.filter((file) => !isAboutPage(file)) : databaseTests
  if (suite === 'every file') return possible
  const isIncluded = (file: string) =>
    suite === 'quick' ? isQuick(file, backend) : campaignTests.includes(file) || !isQuick(file, backend)
  return possible.filter(isIncluded)
}

/** The test files that run on several processes: in `npm run test:long`, since each starts four of them, and again after their kills. */
export const roundRobinTestsOf = (suite: Suite): readonly string[] => (suite === 'quick' ? [] : roundRobinTests)

/** The test files that run with a search cluster: in `npm run test:long`, since starting one takes as long as many tests. */
export const clusterTestsOf = (suite: Suite): readonly string[] => (suite === 'quick' ? [] : clusterTests)

/** The test files that run with an index in each process, in `npm run test:long`. */
export const localTestsOf = (suite: Suite): readonly string[] => (suite === 'quick' ? [] : localTests)
