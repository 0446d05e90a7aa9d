import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule, TestSpecification } from 'vitest/node'

/** A file that failed in a project, and why. */
export interface FailedFile {
  project: string
  /** Relative to the repository. */
  file: string
  /** `name` is that of the test; that of the file for an error outside of its tests. */
  failures: { name: string; error: string }[]
}

/** What a run leaves for the one who started it (scripts/suite.ts). */
export interface RunRecord {
  failed: FailedFile[]
  /** Errors that belong to no file, and files that did not run to their end. */
  unattributed: string[]
}

const maxErrorLines = 30

/** The text of an error for people: its message with the difference, then where it was thrown. */
function textOf({ name, message, diff, stacks = [] }: SerializedError): string {
  const frames = stacks.map(({ file, line, column }) => `  at ${relative(process.cwd(), file)}:${line}:${column}`)
  const text = [`${name}: ${message}`, ...(diff ? [diff] : []), ...frames].join('\n')
  return stripVTControlCharacters(text).split('\n').slice(0, maxErrorLines).join('\n')
}

function countsOf(modules: readonly TestModule[]): string[] {
  const projects = new Map<string, { passed: number; failed: number; skipped: number }>()
  for (const module of modules) {
    const counts = projects.get(module.project.name) ?? { passed: 0, failed: 0, skipped: 0 }
    projects.set(module.project.name, counts)
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state !== 'pending') counts[state]++
    }
    if (module.errors().length > 0) counts.failed++
  }
  return [...projects].map(
    ([project, { passed, failed, skipped }]) => `${project}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
  )
}

function failuresOf(module: TestModule, file: string): FailedFile['failures'] {
  const ofTests = [...module.children.allTests('failed')].map((test) => ({
    name: test.fullName,
    error: (test.result().errors ?? []).map(textOf).join('\n'),
  }))
  const ofSuites = [module, ...module.children.allSuites()].flatMap((part) => part.errors())
  return [...ofTests, ...ofSuites.map((error) => ({ name: file, error: textOf(error) }))]
}

/** Prints, last, how many tests passed in each project, and writes what failed to the file that `TEST_RECORD` names. */
export default class Report implements Reporter {
  #specifications: readonly TestSpecification[] = []

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#specifications = specifications
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const line of countsOf(modules)) console.log(line)
    if (process.env.TEST_RECORD)
      writeFileSync(process.env.TEST_RECORD, JSON.stringify(this.#record(modules, unhandled)))
  }

  #record(modules: readonly TestModule[], unhandled: readonly SerializedError[]): RunRecord {
    const fileOf = (path: string) => relative(process.cwd(), path)
    const failed: FailedFile[] = []
    for (const module of modules) {
      const file = fileOf(module.moduleId)
      const others = unhandled.filter((error) => error.VITEST_TEST_PATH === module.moduleId)
      const failures = [
        ...failuresOf(module, file),
        ...others.map((error) => ({ name: String(error.VITEST_TEST_NAME ?? file), error: textOf(error) })),
      ]
      if (failures.length > 0 || module.state() === 'failed')
        failed.push({ project: module.project.name, file, failures })
    }
    const known = new Set(modules.map(({ moduleId }) => moduleId))
    const ended = new Set(modules.filter((module) => module.state() !== 'pending' && module.state() !== 'queued'))
    const unattributed = [
      ...unhandled.filter(({ VITEST_TEST_PATH: path }) => !known.has(String(path))).map(textOf),
      ...this.#specifications
        .filter(({ testModule }) => testModule === undefined || !ended.has(testModule))
        .map(({ moduleId }) => `${fileOf(moduleId)} did not run to its end.`),
    ]
    return { failed, unattributed }
  }
}
