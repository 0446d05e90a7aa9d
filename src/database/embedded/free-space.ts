import { statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { EmbeddedClient } from './client.ts'
import { DataDirectoryError } from './data-directory-error.ts'

/** Two Postgres log files: it creates them whole, 16 MB each, and panics if one does not fit. */
export const neededBytes = 2 * 16 * 1024 * 1024

const checkEveryMs = 1_000

interface Blocks {
  blocks: number
  bavail: number
  bsize: number
}

/** Some file systems report no size. */
const bytesOf = ({ blocks, bavail, bsize }: Blocks) => (blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize)

/** Free bytes on a directory's disk; Infinity if unknown. */
export async function freeBytes(directory: string): Promise<number> {
  try {
    return bytesOf(await statfs(directory))
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** @throws DataDirectoryError if the disk has no room for the log of a start */
export function requireFreeSpace(directory: string): void {
  const free = bytesOf(statfsSync(directory))
  if (free >= neededBytes) return
  const [freeMegabytes, neededMegabytes] = [Math.floor(free / 1e6), Math.ceil(neededBytes / 1e6)]
  throw new DataDirectoryError(
    `The data directory ${directory} has no room left: ${freeMegabytes} MB are free, and ${neededMegabytes} MB are needed.`,
  )
}

/** Refuses writes (SQLSTATE 25006) on a disk without room for two log files: a full one kills the database. */
export function refuseWritesWithoutSpace(client: EmbeddedClient, directory: string) {
  let isRefusing = false
  let underWay = false
  const check = async () => {
    const refuse = (await freeBytes(directory)) < neededBytes
    if (refuse === isRefusing) return
    await client.uncounted.exec(`set default_transaction_read_only = ${refuse ? 'on' : 'off'}`)
    isRefusing = refuse
  }
  const timer = setInterval(() => {
    if (underWay) return
    underWay = true
    // A dead or closing database fails every statement, and reports that elsewhere.
    check()
      .catch(() => {})
      .finally(() => {
        underWay = false
      })
  }, checkEveryMs)
  timer.unref()
  return { isRefusing: () => isRefusing, stop: () => clearInterval(timer) }
}
