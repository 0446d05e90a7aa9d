import { defineConfig } from 'vitest/config'

interface Differences {
  globalSetup?: string[]
  exclude?: string[]
}

const home = (name: 'embedded' | 'postgres', { globalSetup = [], exclude = [] }: Differences) => ({
  extends: true as const,
  test: {
    name,
    globalSetup: ['test/global-setup.ts', ...globalSetup],
    env: { TEST_HOME: name },
    exclude: ['**/node_modules/**', ...exclude],
  },
})

/** What no database makes a difference to is tested once. */
const onlyEmbedded = ['test/platform-simulator/**', 'test/web/**']

// The whole suite runs twice: on the embedded database and on a real Postgres.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    projects: [
      home('embedded', { globalSetup: ['test/web/global-setup.ts'] }),
      home('postgres', { exclude: onlyEmbedded }),
    ],
    pool: 'forks',
    reporters: ['default', './test/report-failures.ts', './test/report-homes.ts'],
    // A deadlock on the one connection of the embedded database must fail, not hang.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
