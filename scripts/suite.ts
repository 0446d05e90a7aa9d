import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FailedFile, RunRecord } from '../test/report.ts'

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))

/** When more files fail, it is not chance. */
const maxFilesRunAgain = 3

/** What may never fail once: a failure of the ledger, of a claim or of fencing is a lost credit or a doubled page, and not chance. */
const neverAgain =
  /^(src\/(credits\/|collecting\/scraping\/(claim|scraping|cancel)\.|notifications\/channels\/delivery\/renewed-claims\.)|test\/crash\/jobs\.)/

export interface SuiteOptions {
  /** Where vitest finds its configuration. */
  root: string
  /** Further parameters of `vitest run`. */
  parameters?: readonly string[]
  environment?: Record<string, string>
  /** Whether a flaky file fails the run. */
  strict?: boolean
}

interface Run {
  code: number
  /** Null when the run ended before its report. */
  record: RunRecord | null
}

/** Runs vitest, and reads its record (test/report.ts). */
async function runVitest({ root, parameters = [], environment = {} }: SuiteOptions): Promise<Run> {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-test-record-'))
  const file = join(directory, 'record.json')
  try {
    const env = { ...process.env, ...environment, TEST_RECORD: file }
    const child = spawn(process.execPath, [vitest, 'run', ...parameters], { cwd: root, stdio: 'inherit', env })
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', (exitCode) => resolve(exitCode ?? 1))
    })
    return { code, record: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The CPU time of all processes that this one started and that have ended, in minutes; not a number where /proc does not say it. */
function childCpuMinutes(): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN
  // After the name of the program: fields 16 and 17 of proc(5), in ticks of 10 ms.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100 / 60
}

/** What a run cost, for those who make it cheaper. */
function printCost({ files }: RunRecord, cpuMinutes: number): void {
  const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, 10)
  console.log('The slowest files:')
  for (const { project, file, ms } of slowest) {
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file} (${project})`)
  }
  const cpu = Number.isNaN(cpuMinutes) ? '' : `, ${cpuMinutes.toFixed(1)} minutes of CPU time`
  console.log(`${files.length} file runs${cpu}`)
}

/** The last lines about a file that failed and then passed. */
const flakyLines = ({ file, failures }: FailedFile): string =>
  failures.map(({ name, error }) => `flaky: ${file} > ${name}\n${error.replaceAll(/^/gm, '  ')}`).join('\n')

/** The files to run again; none when the run passed, or when what failed is no chance. */
function filesToRunAgain({ code, record }: Run): readonly FailedFile[] {
  if (code === 0 || record === null || record.unattributed.length > 0) return []
  const isChance = record.failed.length <= maxFilesRunAgain && !record.failed.some(({ file }) => neverAgain.test(file))
  return isChance ? record.failed : []
}

/**
 * Runs the tests. At most three files that fail run once more, each alone and with the same TEST_SEED, after all others; when more failed,
 * one of the ledger, or something that is no file, none does. A file that passes then is reported as flaky, with its first failure
 * (docs/decisions/095).
 * @returns the exit code: 0 when every file has passed, with `strict` only when every file has at once.
 */
export async function runSuite({ environment = {}, ...given }: SuiteOptions): Promise<number> {
  const seed = process.env.TEST_SEED ?? String(Math.trunc(Math.random() * 2 ** 31))
  console.log(`TEST_SEED=${seed}`)
  const options = { ...given, environment: { ...environment, TEST_SEED: seed } }
  const cpuBefore = childCpuMinutes()
  const first = await runVitest(options)
  const again = filesToRunAgain(first)
  const printRunCost = () => first.record && printCost(first.record, childCpuMinutes() - cpuBefore)
  if (again.length === 0) {
    printRunCost()
    return first.code
  }
  const flaky: FailedFile[] = []
  for (const failed of again) {
    console.log(`${failed.file} failed in the project "${failed.project}" and runs once more, alone.`)
    const alone = ['--project', failed.project, '--maxWorkers', '1', failed.file]
    const { code } = await runVitest({ ...options, parameters: alone })
    if (code === 0) flaky.push(failed)
  }
  printRunCost()
  for (const failed of flaky) console.log(flakyLines(failed))
  return flaky.length < again.length || options.strict ? 1 : 0
}
