import { readFileSync } from 'node:fs'

// The CPU time of processes: on a busy machine it says more than a clock. Linux only (/proc).

/** A tick of /proc on Linux. */
const tickMs = 10

/**
 * What follows the name in proc(5): state, parent, ...; at 11 and 12 the ticks of user and system, then those of ended children.
 * @param path of a process or a thread, below /proc.
 */
const fieldsOf = (path: number | string) =>
  readFileSync(`/proc/${path}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)

const ticksOf = (fields: readonly number[]) => (fields[11] ?? 0) + (fields[12] ?? 0)

/** The CPU time of the main thread of a process so far, in milliseconds. */
export const mainThreadMs = (pid: number): number => ticksOf(fieldsOf(`${pid}/task/${pid}`)) * tickMs
