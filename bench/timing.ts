import { percentile as percentileOf } from './report.ts'

/** Processor time of this process and the database's thread, in milliseconds: a busy machine distorts it less than the clock. */
export const processorMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export interface Took {
  ms: number
  processorMs: number
}

/** Runs a function and notes how long it took. */
export async function timed<T>(took: Took[], run: () => Promise<T>): Promise<T> {
  const [startedAt, usedBefore] = [performance.now(), processorMs()]
  try {
    return await run()
  } finally {
    took.push({ ms: performance.now() - startedAt, processorMs: processorMs() - usedBefore })
  }
}

/** The maximum, by the clock (by the processor). */
export const worstOf = (took: readonly Took[]) =>
  `${worst(took.map(({ ms }) => ms))} (${worst(took.map((one) => one.processorMs))})`
export const worst = (numbers: readonly number[]) => Math.round(Math.max(0, ...numbers))
/** The median, by the processor. */
export const medianOf = (took: readonly Took[]) =>
  percentile(
    took.map((one) => one.processorMs),
    0.5,
  )
export const percentile = (numbers: readonly number[], share: number) => Number(percentileOf(numbers, share).toFixed(1))
