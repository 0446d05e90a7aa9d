import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Queryable } from './client.ts'

/** Enough to keep Node's four file threads busy. */
const parallelCopies = 8

const walSegment = /^[0-9A-F]{24}$/

/** By the path in the database directory: what a file was when it was copied. */
export type CopiedFiles = ReadonlyMap<string, string>

const fingerprintOf = ({ ino, size, ctimeNs }: { ino: bigint; size: bigint; ctimeNs: bigint }) =>
  `${ino} ${size} ${ctimeNs}`

async function list(directory: string): Promise<{ directories: string[]; files: string[] }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => join(relative(directory, entry.parentPath), entry.name))
  return {
    // A directory is listed before what is in it.
    directories: paths.filter((_path, index) => entries[index]?.isDirectory()),
    files: paths.filter((_path, index) => entries[index]?.isFile()),
  }
}

async function forEachFile(files: readonly string[], run: (path: string) => Promise<void>): Promise<void> {
  const rest = files.values()
  const copyRemaining = async () => {
    for (const path of rest) await run(path)
  }
  await Promise.all(Array.from({ length: parallelCopies }, copyRemaining))
}

/** As a clone that shares its blocks where the file system can do that. */
const copy = (path: string, from: string, to: string) =>
  copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)

const isLog = (path: string) => walSegment.test(path.slice(-24))

/** A file that was written to later than this before the copy may be written to again within the same tick of the clock. */
const settlingNs = 2_000_000_000n

/**
 * Copies, while others go on writing, the files that have not changed for a moment, so that little is left to copy when
 * everybody must wait. A copy that turns out old is made anew by `copyRemainder`.
 * @param to a directory that is made now.
 */
export async function copyAhead(from: string, to: string): Promise<CopiedFiles> {
  await mkdir(to, { mode: 0o700 })
  // The file system's own clock, which is the one that changes are stamped by.
  const settledBefore = (await stat(to, { bigint: true })).ctimeNs - settlingNs
  const { directories, files } = await list(from)
  for (const path of directories) await mkdir(join(to, path), { recursive: true })
  const copied = new Map<string, string>()
  await forEachFile(files, async (path) => {
    try {
      const before = await stat(join(from, path), { bigint: true })
      if (isLog(path) || before.ctimeNs >= settledBefore) return
      await copy(path, from, to)
      copied.set(path, fingerprintOf(before))
    } catch (error) {
      // The file went meanwhile, with its table.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  })
  return copied
}

/** The names of the first and the last segment of the log that a start from the latest checkpoint reads. */
async function neededLog(queries: Queryable): Promise<[first: string, last: string]> {
  const { rows } = await queries.query<{ first: string; last: string }>(
    'select redo_wal_file as first, pg_walfile_name(pg_current_wal_insert_lsn()) as last from pg_control_checkpoint()',
  )
  const [row] = rows
  if (!row) throw new Error('the database does not tell its latest checkpoint')
  // At the very end of a segment Postgres still names that one, while the checkpoint begins the next.
  return row.first < row.last ? [row.first, row.last] : [row.first, row.first]
}

/**
 * Completes a copy: what has changed since `copyAhead`, and of the log only what a start needs; the rest of it is old, or made
 * ready for later, and often the larger part.
 * @param queries the database itself, held by the caller since its latest checkpoint.
 */
export async function copyRemainder(queries: Queryable, from: string, to: string, ahead: CopiedFiles): Promise<void> {
  const [firstLog, lastLog] = await neededLog(queries)
  const { directories, files } = await list(from)
  for (const path of directories) await mkdir(join(to, path), { recursive: true })
  await forEachFile(files, async (path) => {
    const name = path.slice(-24)
    if (isLog(path) && (name < firstLog || name > lastLog)) return
    const known = ahead.get(path)
    if (known === undefined || known !== fingerprintOf(await stat(join(from, path), { bigint: true }))) {
      await copy(path, from, to)
    }
  })
  const present = new Set(files)
  for (const path of ahead.keys()) if (!present.has(path)) await rm(join(to, path))
}
