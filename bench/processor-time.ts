import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

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

/** The CPU time of a process with its threads so far, in milliseconds. */
export const processMs = (pid: number): number => ticksOf(fieldsOf(pid)) * tickMs

/** The CPU time of the main thread of a process so far, in milliseconds. */
export const mainThreadMs = (pid: number): number => ticksOf(fieldsOf(`${pid}/task/${pid}`)) * tickMs

/** The process that started a process. @throws when it has ended. */
export const parentOf = (pid: number | string): number => fieldsOf(pid)[1] ?? 0

/** The ids of all processes. */
export const processIds = (): number[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)

/** The CPU time of all processes of a Postgres so far, in milliseconds. @param url the address of a database on this machine */
export async function postgresMs(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = parentOf(rows[0]?.pid ?? 0)
  await client.end()
  let ticks = 0
  for (const pid of processIds()) {
    try {
      const fields = fieldsOf(pid)
      if (fields[1] === postmaster) ticks += ticksOf(fields)
      if (pid === postmaster) ticks += fields.slice(11, 15).reduce((sum, field) => sum + field, 0)
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * tickMs
}
