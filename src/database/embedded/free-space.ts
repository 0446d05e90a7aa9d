import { statfsSync } from 'node:fs'
import type { EmbeddedClient } from './client.ts'
import { DataDirectoryError } from './data-directory-error.ts'

/** Two files of Postgres' log. It makes them whole, 16 MB each, and panics where one does not fit. */
const neededBytes = 2 * 16 * 1024 * 1024

const checkEveryMs = 1_000

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

const megabytes = (bytes: number) => Math.floor(bytes / 1e6)

/** @throws DataDirectoryError when the disk has no room for the log of a start. */
export function requireFreeSpace(directory: string): void {
  const free = freeBytes(directory)
  if (free >= neededBytes) return
  throw new DataDirectoryError(
    `The data directory ${directory} has no room left: ${megabytes(free)} MB are free, and ${megabytes(neededBytes)} MB are needed.`,
  )
}

/**
 * Has the database refuse writes (SQLSTATE 25006) while fewer than two files of its log fit on the disk: a log that finds no room ends
 * the database. Reads go on, and writes too as soon as there is room again.
 * @returns a function that ends that.
 */
export function refuseWritesWithoutSpace(client: EmbeddedClient, directory: string): () => void {
  let isRefusing = false
  let isSetting = false
  const set = async (refuse: boolean) => {
    isSetting = true
    // A database that died or is being closed fails every statement, and says so elsewhere.
    await client.uncounted
      .exec(`set default_transaction_read_only = ${refuse ? 'on' : 'off'}`)
      .then(() => {
        isRefusing = refuse
      })
      .catch(() => {})
    isSetting = false
  }
  const timer = setInterval(() => {
    const refuse = freeBytes(directory) < neededBytes
    if (refuse !== isRefusing && !isSetting) void set(refuse)
  }, checkEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
