import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { percentile, writeSection } from '../report.ts'
import type { CapacityStep } from './capacity.ts'
import { drawChart } from './chart.ts'
import { picturesOf } from './pictures.ts'
import type { Sample } from './sampling.ts'
import { maxOf, meanOf, quarterOf, type Verdict } from './verdicts.ts'

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url))

export interface Outcome {
  /** The name of what was measured, as in the section of the document and the names of the pictures. */
  name: string
  date: string
  processors: string
  backend: string
  search: string
  processes: number
  minutes: number
  seed: number
  capacity: CapacityStep[]
  /** Calls a second of the load. */
  perSecond: number
  calls: number
  /** Milliseconds by kind of call. */
  latencies: Record<string, { calls: number; p50: number; p99: number; max: number }>
  verdicts: Verdict[]
  /** Each failure with its number. */
  errors: Record<string, number>
  verify: { isClean: boolean; output: string }
  samples: Sample[]
}

type Row = string[]
const table = (head: Row, rows: Row[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
const digits = (value: number): string => {
  if (Number.isNaN(value)) return ''
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 10) / 10)
}

/** Kinds of calls with their times. */
export const summariseLatencies = (latencies: ReadonlyMap<string, number[]>): Outcome['latencies'] =>
  Object.fromEntries(
    [...latencies].map(([kind, times]) => [
      kind,
      { calls: times.length, p50: percentile(times, 0.5), p99: percentile(times, 0.99), max: maxOf(times) },
    ]),
  )

/** The first and the last quarter of the run. */
function quarterRows(samples: readonly Sample[]): Row[] {
  const row = (what: string, measure: (part: readonly Sample[]) => number): Row => {
    const [first, last] = [measure(quarterOf(samples, 1)), measure(quarterOf(samples, 4))]
    const grown = first === 0 || Number.isNaN(first) ? '' : `${(last / first).toFixed(2)}`
    return [what, digits(first), digits(last), grown]
  }
  const mean = (read: (sample: Sample) => number) => (part: readonly Sample[]) => meanOf(part.map(read))
  const max = (read: (sample: Sample) => number) => (part: readonly Sample[]) => maxOf(part.map(read))
  const groups = Object.keys(samples.at(-1)?.database.tables ?? {}).sort()
  const perRequest = (group: string, read: (one: Sample['database']['tables'][string]) => number) =>
    mean(({ database }) => {
      const one = database.tables[group]
      return one === undefined ? Number.NaN : (read(one) * 1024 * 1024) / database.requests
    })
  return [
    ...(samples[0]?.processes ?? []).flatMap(({ name }, index) => [
      row(
        `memory of ${name}, MB`,
        mean(({ processes }) => processes[index]?.residentMb ?? Number.NaN),
      ),
      row(
        `handles of ${name}, max`,
        max(({ processes }) => processes[index]?.files ?? Number.NaN),
      ),
    ]),
    row(
      'connections to the database, max',
      max(({ database }) => database.connections || Number.NaN),
    ),
    row(
      'stored requests',
      mean(({ database }) => database.requests),
    ),
    row(
      'database, MB',
      mean(({ database }) => database.sizeMb),
    ),
    ...groups.map((group) =>
      row(
        `${group}, bytes a request`,
        perRequest(group, ({ totalMb }) => totalMb),
      ),
    ),
    row(
      'age of the outbox, max s',
      max(({ database }) => database.outboxSeconds ?? Number.NaN),
    ),
    row(
      'age of the queue, max s',
      max(({ backlog }) => backlog.queueSeconds),
    ),
    row(
      'latency p50, mean ms',
      mean(({ calls }) => calls.p50),
    ),
    row(
      'latency p99, mean ms',
      mean(({ calls }) => calls.p99),
    ),
  ].filter(([, first, last]) => first !== '' || last !== '')
}

/** The section of docs/benchmarks.md. */
export function describeOutcome(outcome: Outcome): string {
  const { capacity, perSecond, calls, minutes, seed, errors, verify, samples } = outcome
  const best = Math.max(...capacity.map((step) => step.perSecond))
  const failed = Object.entries(errors).map(([what, count]) => `${what} (${count})`)
  const intro = [
    `Measured ${outcome.date} on ${outcome.processors}: ${outcome.processes} × Wishwell, ${outcome.backend}, search ${outcome.search}.`,
    `Capacity of the mix with its work in the background: ${best.toFixed(0)} calls a second. Load: ${perSecond.toFixed(0)} a second for ${minutes} minutes, ${calls.toLocaleString('en')} calls (seed ${seed}).`,
    `Errors: ${failed.join(', ') || 'none'}. \`wishwell verify\`: ${verify.isClean ? 'clean' : `not clean: ${verify.output}`}.`,
  ].join(' ')
  return [
    intro,
    table(
      ['measure', 'verdict', ''],
      outcome.verdicts.map(({ measure, text, isSteady }) => [measure, text, isSteady ? 'steady' : '**grows**']),
    ),
    table(['measure', 'first quarter', 'last quarter', 'last / first'], quarterRows(samples)),
    table(
      ['call', 'calls', 'p50 ms', 'p99 ms', 'max ms'],
      Object.entries(outcome.latencies)
        .sort(([, one], [, other]) => other.calls - one.calls)
        .map(([kind, { calls: made, p50, p99, max }]) => [kind, digits(made), digits(p50), digits(p99), digits(max)]),
    ),
  ].join('\n\n')
}

/** Writes the pictures into a directory. @returns their file names */
export function drawPictures({ name, samples }: Outcome, directory: string): { file: string; title: string }[] {
  mkdirSync(directory, { recursive: true })
  return Object.entries(picturesOf(samples))
    .filter(([, { lines }]) => lines.length > 0)
    .map(([what, chart]) => {
      const file = `mixed-load-${name}-${what}.svg`
      writeFileSync(`${directory}/${file}`, drawChart(chart))
      return { file, title: chart.title }
    })
}

/** Writes the pictures to docs/images/ and the section to docs/benchmarks.md. */
export function writeReport(outcome: Outcome): void {
  const shown = drawPictures(outcome, images).map(({ file, title }) => `![${title}](images/${file})`)
  writeSection(`mixed load, ${outcome.name}`, [describeOutcome(outcome), ...shown].join('\n\n'))
}
