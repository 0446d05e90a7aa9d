import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseIn, makeWorkDirectory } from '../../../database/embedded/data-directory.ts'
import { schemaVersion } from '../../../database/schema-version.ts'

// What a search index says of itself beside its database: it must be read, and the files compared with it, before the database opens them.

/** Raised when what the database of an index has of a request changes: older indexes are built again. */
const format = 1

export interface Identity {
  format: number
  schemaVersion: number
  /** The name under which the index follows the log of changes; each index that is built has a name of its own. */
  consumer: string
  /**
   * The embedded database flushes no file to the disk. Files that were written since this time, in milliseconds, may be incomplete after another
   * start of the machine. Null after a close that flushed all of them.
   */
  unflushed: { since: number; machineStart: string } | null
  /** The least sizes of the files of its tables, in bytes, by their paths in the database directory. */
  files: Record<string, number>
}

const fileIn = (directory: string) => join(directory, 'database.index.json')

/** Names the start of the machine; empty where the system has no name for it. */
function readMachineStart(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

export const newIdentity = (): Identity => ({
  format,
  schemaVersion,
  consumer: `local:${crypto.randomUUID()}`,
  unflushed: null,
  files: {},
})

/** @returns null when there is none that can be read. */
export function readIdentity(directory: string): Identity | null {
  try {
    const identity = JSON.parse(readFileSync(fileIn(directory), 'utf8')) as Partial<Identity> | null
    return typeof identity?.consumer === 'string' && typeof identity.files === 'object' ? (identity as Identity) : null
  } catch {
    return null
  }
}

export function writeIdentity(directory: string, identity: Identity): void {
  writeFileSync(`${fileIn(directory)}.new`, JSON.stringify(identity), { mode: 0o600 })
  renameSync(`${fileIn(directory)}.new`, fileIn(directory))
}

/** Records that an index is open. @returns its identity from now on. */
export function markOpen(directory: string, identity: Identity): Identity {
  // Compared with the times of files, so it is by the clock of the machine.
  const unflushed = { since: identity.unflushed?.since ?? Date.now(), machineStart: readMachineStart() }
  const opened = { ...identity, unflushed }
  writeIdentity(directory, opened)
  return opened
}

/** The size of a table in bytes: Postgres divides it into files of 1 GB. */
function sizeOnDisk(path: string): number {
  let size = 0
  for (let part = 0; ; part++) {
    const stats = statSync(part === 0 ? path : `${path}.${part}`, { throwIfNoEntry: false })
    if (stats === undefined) return size
    size += stats.size
  }
}

/**
 * Why an index cannot be used, before it is opened; null when nothing speaks against it. A file that lost its end must be found here: Postgres
 * leaves out rows beyond the end of a file without an error.
 */
export function findDamage(directory: string, identity: Identity | null): string | null {
  const database = databaseIn(directory)
  if (!existsSync(join(database, 'PG_VERSION'))) return 'there is none'
  if (identity === null) return 'its description cannot be read'
  if (identity.format !== format || identity.schemaVersion !== schemaVersion) return 'it is of another version'
  if ((identity.unflushed?.machineStart ?? readMachineStart()) !== readMachineStart())
    return 'the machine ended while it was open'
  const short = Object.entries(identity.files).find(([path, size]) => sizeOnDisk(join(database, path)) < size)
  return short === undefined ? null : `the file ${short[0]} lost its end`
}

/** Deletes an index. A crash leaves a work directory, which the next start deletes. */
export function deleteIndex(directory: string): void {
  rmSync(fileIn(directory), { force: true })
  if (!existsSync(databaseIn(directory))) return
  const work = makeWorkDirectory(directory)
  renameSync(databaseIn(directory), join(work, 'database'))
  rmSync(work, { recursive: true, force: true })
}

async function flushFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}

/** Flushes what a closed index wrote while it was open, and records that. A second of the clock of the files is not too much. */
export async function flushIndex(directory: string, identity: Identity): Promise<void> {
  const since = (identity.unflushed?.since ?? 0) - 1_000
  const entries = await readdir(databaseIn(directory), { recursive: true, withFileTypes: true })
  const flush = async (path: string) => {
    if ((await stat(path)).mtimeMs >= since) await flushFile(path)
  }
  await Promise.all(entries.map(({ name, parentPath }) => flush(join(parentPath, name))))
  writeIdentity(directory, { ...identity, unflushed: null })
}
