import { defineConfig } from 'vitest/config'
import { type Backend, databaseTestsOf, isAboutPage, plainTestsOf, type Suite } from './test/classify.ts'

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

// What uses a database runs on the embedded one and on a real Postgres; everything else runs once (test/README.md).
export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'plain', include: [...plainTestsOf(suite)] } },
      project('embedded'),
      project('postgres'),
    ],
    // The files of a worker share its modules, its compiled WebAssembly and its database: half of the time went into those.
    pool: 'forks',
    isolate: false,
    reporters: ['default', './test/report-counts.ts'],
    // A deadlock on the one connection of the embedded database must fail, not hang.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A state that is waited for comes when it comes: on a busy machine one second is nothing.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
})
