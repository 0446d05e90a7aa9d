import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Parser, type ReadEntry, Unpack } from 'tar'
import { BackupError } from './backup-error.ts'
import { databaseName, type Manifest, manifestName, parseManifest } from './manifest.ts'

/** A database of a million requests has four thousand. */
const maxEntries = 100_000
const maxManifestBytes = 1024 * 1024

/** Names of database files; no path can leave the directory. */
const allowedPath = new RegExp(`^${databaseName}(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*/?$`)

/** Longer than any name in a database, short enough for every file system. */
const maxPathLength = 200

/** The end of a sentence on why an entry is refused; null if accepted. */
function faultOf(entry: ReadEntry): string | null {
  if (entry.type !== 'File' && entry.type !== 'Directory') return `holds a ${entry.type}`
  if (entry.path === manifestName && entry.type === 'File') return null
  return allowedPath.test(entry.path) && entry.path.length <= maxPathLength ? null : 'holds a file of a foreign name'
}

type Target = InstanceType<typeof Parser> | InstanceType<typeof Unpack>

/** Reads an archive to its very end, to detect truncation and changes. */
async function read(file: string, target: Target): Promise<void> {
  const ended = once(target, target instanceof Unpack ? 'close' : 'end')
  // Handled below; prevents an unhandled rejection until then.
  ended.catch(() => {})
  await pipeline(createReadStream(file), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) if (!target.write(chunk)) await Promise.race([once(target, 'drain'), ended])
    target.end()
    await ended
  })
}

function explain(file: string, error: unknown): Error {
  if (error instanceof BackupError) return new BackupError(`${file}: ${error.message}`)
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return new BackupError(`${file}: there is no such file.`)
  if (code === 'EISDIR') return new BackupError(`${file}: is a directory.`)
  if (code === 'Z_BUF_ERROR') return new BackupError(`${file}: it is incomplete; it was cut off while it was written.`)
  if (code?.startsWith('Z_') || code?.startsWith('TAR_')) {
    return new BackupError(`${file}: it is damaged, or not a backup of Wishwell (${(error as Error).message}).`)
  }
  if (code === 'ENAMETOOLONG') return new BackupError(`${file}: its name, or that of a file in it, is too long.`)
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BackupError(`${file}: there is no room to unpack it.`)
  if (code !== undefined && /^E[A-Z]+$/.test(code)) {
    return new BackupError(`${file}: it cannot be read or unpacked (${(error as Error).message}).`)
  }
  return error as Error
}

interface Contents {
  manifestText: string
  paths: Set<string>
  files: number
  bytes: number
  fault: string | null
}

function note(contents: Contents, entry: ReadEntry): void {
  const { paths } = contents
  const many = paths.size >= maxEntries ? 'holds too many files' : null
  contents.fault ??= faultOf(entry) ?? (paths.has(entry.path) ? 'holds a file twice' : many)
  if (many === null) paths.add(entry.path)
  if (entry.path !== manifestName) {
    contents.files += entry.type === 'File' ? 1 : 0
    contents.bytes += entry.size
  } else if (entry.size <= maxManifestBytes) {
    entry.on('data', (chunk: Buffer) => {
      contents.manifestText += chunk.toString('latin1')
    })
  }
  entry.resume()
}

/** Checks a whole archive. @throws BackupError: none, incomplete, damaged, hostile or of another version. */
export async function inspectArchive(file: string): Promise<Manifest> {
  const contents: Contents = { manifestText: '', paths: new Set(), files: 0, bytes: 0, fault: null }
  const parser = new Parser({ strict: true, onReadEntry: (entry) => note(contents, entry) })
  try {
    await read(file, parser)
    if (contents.fault !== null) throw new BackupError(`It is not a backup of Wishwell: it ${contents.fault}.`)
    const manifest = parseManifest(contents.manifestText)
    if (manifest.files !== contents.files || manifest.bytes !== contents.bytes) {
      throw new BackupError('It is incomplete: files of the database are missing.')
    }
    if (!contents.paths.has(`${databaseName}/PG_VERSION`)) throw new BackupError('It holds no database.')
    return manifest
  } catch (error) {
    throw explain(file, error)
  }
}

/** Unpacks an inspected archive into a work directory. @throws BackupError as `inspectArchive` */
export async function unpackArchive(file: string, directory: string): Promise<void> {
  // The file may have changed since its inspection.
  const filter = (_path: string, entry: unknown) => {
    const read = entry as ReadEntry
    read.mode = read.type === 'Directory' ? 0o700 : 0o600
    return faultOf(read) === null
  }
  const unpack = new Unpack({ cwd: directory, strict: true, filter, preserveOwner: false, dmode: 0o700 })
  await read(file, unpack).catch((error: unknown) => {
    throw explain(file, error)
  })
}
