import { defineConfig } from 'vitest/config'

const home = (name: 'embedded' | 'postgres', exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    globalSetup: ['test/global-setup.ts'],
    env: { TEST_HOME: name },
    exclude: ['**/node_modules/**', ...exclude],
  },
})

/** What needs no database at all is tested once. */
const withoutDatabase = ['test/platform-simulator/**']

// The whole suite runs twice: on the embedded database and on a real Postgres.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    projects: [home('embedded'), home('postgres', withoutDatabase)],
    pool: 'forks',
    reporters: ['default', './test/report-failures.ts', './test/report-homes.ts'],
    // A deadlock on the one connection of the embedded database must fail, not hang.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
