import type { Sample } from './sampling.ts'

/** A measure, judged. */
export interface Verdict {
  measure: string
  text: string
  /** Whether it stays as it should: nothing grows without end. */
  isSteady: boolean
}

/** Growth in the second half that is no trend, as a share of the mean: collections of garbage come and go. */
const toleratedGrowth = 0.05
/** Handles of connections and files that are opened when they are needed: a share of those of the first quarter, and a few. */
const toleratedHandles = { share: 0.1, few: 10 }
/** Searches show a change within 2 s; a moment's delay of a busy machine is no growth. */
const toleratedOutboxSeconds = 5
/** A backlog of so many rows is done within seconds. */
const toleratedRows = 2_000

export const quarterOf = (samples: readonly Sample[], quarter: 1 | 4): Sample[] => {
  const size = Math.max(1, Math.floor(samples.length / 4))
  return quarter === 1 ? samples.slice(0, size) : samples.slice(-size)
}
const known = (values: readonly number[]) => values.filter((value) => !Number.isNaN(value))
/** NaN without any number. */
export const maxOf = (values: readonly number[]): number =>
  known(values).reduce((max, value) => Math.max(max, value), known(values)[0] ?? Number.NaN)
export const meanOf = (values: readonly number[]): number =>
  known(values).reduce((sum, value) => sum + value, 0) / known(values).length

/** The least squares line through points. @returns its rise for each unit of x */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const [meanX, meanY] = [meanOf(points.map(([x]) => x)), meanOf(points.map(([, y]) => y))]
  const squares = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return squares === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / squares
}

const secondHalf = (samples: readonly Sample[]) => samples.slice(Math.floor(samples.length / 2))
const minutesOf = (samples: readonly Sample[]) => ((samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0)) / 60

function memoryVerdict(samples: readonly Sample[], index: number): Verdict {
  const half = secondHalf(samples)
  const read = ({ processes }: Sample) => processes[index]?.residentMb ?? Number.NaN
  const perMinute = slopeOf(half.map((sample) => [sample.seconds / 60, read(sample)] as const))
  const peak = maxOf(samples.map(read))
  return {
    measure: `memory of ${samples[0]?.processes[index]?.name}`,
    text: `${perMinute.toFixed(2)} MB a minute in the second half, at most ${peak.toFixed(0)} MB`,
    isSteady: perMinute * minutesOf(half) <= toleratedGrowth * meanOf(half.map(read)),
  }
}

function handleVerdict(samples: readonly Sample[], index: number): Verdict {
  const maxIn = (part: readonly Sample[]) => maxOf(part.map(({ processes }) => processes[index]?.files ?? Number.NaN))
  const [first, last] = [maxIn(quarterOf(samples, 1)), maxIn(quarterOf(samples, 4))]
  return {
    measure: `handles of ${samples[0]?.processes[index]?.name}`,
    text: `at most ${maxIn(samples)}; first quarter ${first}, last quarter ${last}`,
    isSteady: last <= first * (1 + toleratedHandles.share) + toleratedHandles.few,
  }
}

function outboxVerdict(samples: readonly Sample[]): Verdict {
  const max = maxOf(samples.map(({ database }) => database.outboxSeconds ?? Number.NaN))
  const text = Number.isNaN(max) ? 'no index outside of the database reads it' : `at most ${max.toFixed(1)} s`
  return { measure: 'age of the outbox', text, isSteady: Number.isNaN(max) || max <= toleratedOutboxSeconds }
}

function backlogVerdict(measure: string, samples: readonly Sample[], read: (sample: Sample) => number): Verdict {
  const [first, last] = [quarterOf(samples, 1), quarterOf(samples, 4)].map((part) => maxOf(part.map(read)))
  return {
    measure,
    text: `at most ${maxOf(samples.map(read))}; first quarter ${first}, last quarter ${last}`,
    isSteady: !((last ?? 0) > toleratedRows && (last ?? 0) > 2 * (first ?? 0)),
  }
}

const deadRowsOf = ({ database }: Sample): number =>
  Object.values(database.tables).reduce((sum, { deadRows }) => sum + deadRows, 0)

/** A vacuum begins when a share of a table is dead, so dead rows grow as the tables do. */
function deadRowsVerdict(samples: readonly Sample[]): Verdict {
  const share = (sample: Sample) => deadRowsOf(sample) / sample.database.requests
  const [first, last] = [maxOf(quarterOf(samples, 1).map(share)), maxOf(quarterOf(samples, 4).map(share))]
  return {
    measure: 'dead rows',
    text: `at most ${maxOf(samples.map(deadRowsOf))}; of each stored request ${first.toFixed(2)} in the first quarter, ${last.toFixed(2)} in the last one`,
    isSteady: last <= 2 * first,
  }
}

/** What a run says of each measure. */
export const judge = (samples: readonly Sample[]): Verdict[] => [
  ...(samples[0]?.processes ?? []).flatMap((_, index) => [
    memoryVerdict(samples, index),
    handleVerdict(samples, index),
  ]),
  outboxVerdict(samples),
  backlogVerdict('requests to place in wishes', samples, ({ database }) => database.unplaced),
  backlogVerdict('texts to count', samples, ({ database }) => database.uncounted),
  backlogVerdict('deltas to fold', samples, ({ database }) => database.deltas),
  backlogVerdict('open tasks', samples, ({ database }) => database.openTasks),
  deadRowsVerdict(samples),
]
