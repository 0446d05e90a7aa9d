import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { type NightlyPart, nightlyParts } from './test/nightly.ts'

/** What a test file runs on is seen from its name (test/README.md). */
const named = (ending: string) => `{src,simulator,test,bench}/**/*${ending}`

/** Subjects that differ between the two databases: these files of the Postgres list run on the embedded one, too. */
const onBothDatabases = [
  'src/notifications/channels/secrets-required.postgres.test.ts',
  'src/credits/ledger.postgres.test.ts',
  'src/database/database.postgres.test.ts',
  'src/http/idempotency/waiting.postgres.test.ts',
  'src/collecting/scraping/claim.postgres.test.ts',
]

interface ProjectOptions {
  include: string[]
  environment?: Readonly<Record<string, string>>
  globalSetup?: readonly string[]
}

/** Files that run on a database, which is made once for all of them. */
const onDatabase = (
  name: string,
  backend: 'embedded' | 'postgres',
  { include, environment, globalSetup = [] }: ProjectOptions,
) => ({
  extends: true as const,
  test: {
    name,
    include,
    globalSetup: ['test/global-setup.ts', ...globalSetup],
    env: { TEST_BACKEND: backend, ...environment },
  },
})

const projects = [
  {
    extends: true as const,
    test: {
      name: 'plain',
      include: [named('.test.ts')],
      exclude: [...configDefaults.exclude, named('.{service,postgres,nightly}.test.ts')],
    },
  },
  onDatabase('service', 'embedded', {
    include: [named('.service.test.ts'), ...onBothDatabases],
    globalSetup: ['test/dashboard/global-setup.ts'],
  }),
  onDatabase('postgres', 'postgres', { include: [named('.postgres.test.ts')] }),
]

const projectsOfPart = ({ environment = {}, globalSetup = [], ...files }: NightlyPart) =>
  (['embedded', 'postgres'] as const)
    .filter((backend) => files[backend] !== undefined)
    .map((backend) => onDatabase(backend, backend, { include: [...files[backend]!], environment, globalSetup }))

const part = nightlyParts[process.env.TEST_NIGHTLY ?? '']

export default defineConfig({
  test: {
    projects: part === undefined ? projects : projectsOfPart(part),
    // The files of a worker share its modules, its compiled WebAssembly and its database: half of the time went into those.
    pool: 'forks',
    isolate: false,
    reporters: ['default', './test/report.ts'],
    // A deadlock on the one connection of the embedded database must fail, not hang.
    testTimeout: part?.timeLimitMs ?? 60_000,
    hookTimeout: part?.timeLimitMs ?? 120_000,
    // A state that is waited for comes when it comes: on a busy machine one second is nothing.
    expect: { poll: { timeout: part?.timeLimitMs ?? 30_000 } },
    // A test that takes longer has its reason in its file.
    slowTestThreshold: 2_000,
    // One more than there are processors: tests wait for their service as often as they work.
    maxWorkers: part?.maxWorkers ?? availableParallelism() + 1,
  },
})
