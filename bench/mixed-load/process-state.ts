import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { parentOf, processIds } from '../processor-time.ts'

// What the kernel says of a process. Linux only (/proc).

export interface ProcessState {
  residentMb: number
  /** Open files, sockets included. */
  files: number
  sockets: number
}

const megabytesOf = (text: string, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:')
  } catch {
    // It was closed meanwhile.
    return false
  }
}

/** @throws when the process has ended. */
export function readProcess(processId: number): ProcessState {
  const directory = `/proc/${processId}/fd`
  const files = readdirSync(directory)
  return {
    residentMb: megabytesOf(readFileSync(`/proc/${processId}/status`, 'utf8'), 'VmRSS'),
    files: files.length,
    sockets: files.filter((file) => isSocket(`${directory}/${file}`)).length,
  }
}

/** All processes of a server with forked ones, such as Postgres: shared memory counts once (Pss). */
export function readServer(processId: number): ProcessState {
  const sum = { residentMb: 0, files: 0, sockets: 0 }
  for (const pid of processIds()) {
    try {
      if (pid !== processId && parentOf(pid) !== processId) continue
      sum.residentMb += megabytesOf(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss')
      const { files, sockets } = readProcess(pid)
      sum.files += files
      sum.sockets += sockets
    } catch {
      // It has ended meanwhile.
    }
  }
  return sum
}
