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
  /** How long each file took, in milliseconds. */
  files: { project: string; file: string; ms: number }[]
  /** Errors that belong to no file. */
  unattributed: string[]
}

const maxErrorLines = 30

/** The text of an error for people: its message with the difference, its cause, then where it was thrown. */
function textOf({ name, message, diff, cause, stacks = [] }: SerializedError): string {
  const frames = stacks.map(({ file, line, column }) => `  at ${relative(process.cwd(), file)}:${line}:${column}`)
  const text = [`${name}: ${message}`, diff, cause?.message, ...frames].filter(Boolean).join('\n')
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

/** The tests that skipped themselves, with their reasons. */
function reasonsOf(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) =>
    [...module.children.allTests('skipped')].flatMap((test) => {
      const { note } = test.result() as { note?: string }
      return note === undefined
        ? []
        : [`skipped: ${relative(process.cwd(), module.moduleId)} > ${test.fullName}: ${note}`]
    }),
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

/** Whether an error that no test caught belongs to a file: it names it itself, or is the end of the worker that ran it. */
function isAbout(error: SerializedError, path: string): boolean {
  if (error.VITEST_TEST_PATH === path) return true
  for (let cause: SerializedError | undefined = error; cause; cause = cause.cause) {
    if (cause.message.includes(path)) return true
  }
  return false
}

/** How long a file took with all that prepares it, in milliseconds. */
function durationOf(module: TestModule | undefined): number {
  if (module === undefined) return 0
  const { prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
  return prepareDuration + collectDuration + setupDuration + duration
}

/** Prints, last, which tests skipped themselves and how many passed in each project, and writes what failed to the file that `TEST_RECORD` names. */
export default class Report implements Reporter {
  #specifications: readonly TestSpecification[] = []

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#specifications = specifications
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const line of [...reasonsOf(modules), ...countsOf(modules)]) console.log(line)
    if (process.env.TEST_RECORD) writeFileSync(process.env.TEST_RECORD, JSON.stringify(this.#record(unhandled)))
  }

  #record(unhandled: readonly SerializedError[]): RunRecord {
    const runs = this.#specifications.map((specification) => ({
      project: specification.project.name,
      file: relative(process.cwd(), specification.moduleId),
      module: specification.testModule,
      others: unhandled.filter((error) => isAbout(error, specification.moduleId)),
    }))
    const failed = runs.map(({ project, file, module, others }): FailedFile => {
      const failures = others.map((error) => ({ name: String(error.VITEST_TEST_NAME ?? file), error: textOf(error) }))
      if (module !== undefined) failures.unshift(...failuresOf(module, file))
      const hasEnded = module?.state() === 'passed' || module?.state() === 'skipped'
      if (failures.length === 0 && !hasEnded) failures.push({ name: file, error: 'It did not run to its end.' })
      return { project, file, failures }
    })
    return {
      failed: failed.filter(({ failures }) => failures.length > 0),
      files: runs.map(({ project, file, module }) => ({ project, file, ms: durationOf(module) })),
      unattributed: unhandled.filter((error) => !runs.some(({ others }) => others.includes(error))).map(textOf),
    }
  }
}
