import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** What failed in a run, for `scripts/test.ts`, which gives each file a second run by itself. */
export interface Failures {
  /** The test files, absolute, by the project in which they failed. */
  files: { project: string; file: string }[]
  /** Errors outside of any test that no file could be found for. */
  ofNoFile: number
}

/** The file of the failures; without it none is written. */
const target = process.env.TEST_FAILURES_FILE

/** The test file in whose process an error happened, as vitest notes it on the error. */
const fileOf = (error: SerializedError): string => String(error.VITEST_TEST_PATH)

/** Writes which files failed. An error outside of tests counts for its file in every project: it does not say in which. */
export default class ReportFailures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    if (target === undefined) return
    const broken = new Set(errors.map(fileOf))
    const failed = modules.filter((module) => module.state() === 'failed' || broken.has(module.moduleId))
    const known = new Set(modules.map((module) => module.moduleId))
    const failures: Failures = {
      files: failed.map(({ project, moduleId }) => ({ project: project.name, file: moduleId })),
      ofNoFile: errors.filter((error) => !known.has(fileOf(error))).length,
    }
    writeFileSync(target, JSON.stringify(failures))
  }
}
