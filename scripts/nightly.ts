import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nightlyParts } from '../test/nightly.ts'
import { runSuite } from './suite.ts'

/** Where and when each part last passed. It is committed, so that whoever changes something sees what was not run since. */
const recordFile = fileURLToPath(new URL('../test/nightly-passed.json', import.meta.url))
type Passed = Record<string, { commit: string; day: string }>

const readPassed = (): Passed => JSON.parse(readFileSync(recordFile, 'utf8'))
const git = (...parameters: string[]) => spawnSync('git', parameters, { encoding: 'utf8' }).stdout.trim()

/** Only of a commit: with changes beside it, nobody could say what passed. */
function notePassed(name: string): void {
  if (git('status', '--porcelain', '--', ':!test/nightly-passed.json') !== '') return
  const passed = { commit: git('rev-parse', '--short=8', 'HEAD'), day: new Date().toISOString().slice(0, 10) }
  const all = { ...readPassed(), [name]: passed }
  const sorted = Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(recordFile, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** Prints when each part last passed, on which commit, and how many commits there were since. */
export function printPassed(): void {
  const passed = readPassed()
  for (const name of Object.keys(nightlyParts)) {
    const last = passed[name]
    const since = last && git('rev-list', '--count', `${last.commit}..HEAD`)
    console.log(`${name.padEnd(16)} ${last ? `${last.day} on ${last.commit}, ${since || '?'} commits ago` : 'never'}`)
  }
}

/** Installs Debian's packages, where this process may; what is missing then is said by the part. */
function install(packages: readonly string[]): void {
  if (process.getuid?.() !== 0) return
  console.log(`Installing ${packages.join(', ')} …`)
  const installed = spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    stdio: 'ignore',
  })
  if (installed.status === 0) return
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { stdio: 'ignore' })
}

/** @returns what a part lacks here after everything was tried; null when it can run. */
function missingOf(name: string): string | null {
  const { needs } = nightlyParts[name]!
  if (needs === undefined || needs.missing() === null) return null
  install(needs.debian)
  return needs.missing()
}

async function runPart(root: string, name: string, parameters: readonly string[]): Promise<string> {
  console.log(`\n${name}: ${nightlyParts[name]!.about}`)
  const missing = missingOf(name)
  if (missing !== null) return `skipped: ${missing}`
  const startedAt = performance.now()
  const { bench } = nightlyParts[name]!
  const code = bench
    ? spawnSync(process.execPath, [...bench, ...parameters], { cwd: root, stdio: 'inherit' }).status
    : await runSuite({ root, parameters, environment: { TEST_NIGHTLY: name }, strict: true })
  if (code === 0 && parameters.length === 0) notePassed(name)
  return `${code === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - startedAt) / 60_000).toFixed(1)} min`
}

/**
 * Runs parts of the nightly tests (test/nightly.ts), one after the other, and prints how each ended.
 * @param names all parts when empty. @param parameters further ones of vitest: files of the parts, for example.
 * @returns the exit code: 0 when no part failed, 2 for an unknown part.
 */
export async function runNightly(
  root: string,
  names: readonly string[],
  parameters: readonly string[],
): Promise<number> {
  if (names.length === 0 && parameters.length > 0) {
    console.error('Name the part of the file first, such as: crash test/crash/mail')
    return 2
  }
  const unknown = names.find((name) => !Object.hasOwn(nightlyParts, name))
  if (unknown !== undefined) {
    console.error(`There is no part "${unknown}". The parts: ${Object.keys(nightlyParts).join(', ')}.`)
    return 2
  }
  const ends: [name: string, end: string][] = []
  for (const name of names.length > 0 ? names : Object.keys(nightlyParts)) {
    ends.push([name, await runPart(root, name, parameters)])
  }
  console.log('')
  for (const [name, end] of ends) console.log(`${name}: ${end}`)
  return ends.some(([, end]) => end.startsWith('FAILED')) ? 1 : 0
}
