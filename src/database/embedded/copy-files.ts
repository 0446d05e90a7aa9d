import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Queryable } from './client.ts'

/** Uses Node's four file threads. */
const parallelCopies = 8

const walSegment = /^[0-9A-F]{24}$/

/** Fingerprints of the files when copied, by path in the database directory. */
export type CopiedFiles = ReadonlyMap<string, string>

const fingerprintOf = ({ ino, size, ctimeNs }: { ino: bigint; size: bigint; ctimeNs: bigint }) =>
  `${ino} ${size} ${ctimeNs}`

async function list(directory: string): Promise<{ directories: string[]; files: string[] }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => join(relative(directory, entry.parentPath), entry.name))
  return {
    // `readdir` lists a directory before its contents.
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

/** Clones blocks if the file system can. */
const copy = (path: string, from: string, to: string) =>
  copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)

const isLog = (path: string) => walSegment.test(path.slice(-24))

/** A file changed this recently may change again within the same clock tick. */
const defaultSettlingMs = 2_000

/** Copies settled files during writes, so that `copyRemainder` locks only briefly. @param to a new directory */
export async function copyAhead(from: string, to: string, settlingMs = defaultSettlingMs): Promise<CopiedFiles> {
  await mkdir(to, { mode: 0o700 })
  // The file system's clock, which also stamps file changes.
  const settledBefore = (await stat(to, { bigint: true })).ctimeNs - BigInt(settlingMs) * 1_000_000n
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
      // The file was deleted meanwhile, with its table.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  })
  return copied
}

/** First and last log segment needed to start from the latest checkpoint. */
async function neededLog(queries: Queryable): Promise<[first: string, last: string]> {
  const { rows } = await queries.query<{ first: string; last: string }>(
    'select redo_wal_file as first, pg_walfile_name(pg_current_wal_insert_lsn()) as last from pg_control_checkpoint()',
  )
  const [row] = rows
  if (!row) throw new Error('the database reports no checkpoint')
  // At the very end of a segment Postgres still reports that one, although the checkpoint begins the next.
  return row.first < row.last ? [row.first, row.last] : [row.first, row.first]
}

/**
 * Copies files changed since `copyAhead`, and the log segments a start needs: the others are old or preallocated.
 * @param queries the database, locked since its latest checkpoint
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
