import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Logger } from 'pino'
import { create } from 'tar'
import type { EmbeddedClient } from '../../database/embedded/client.ts'
import { copyAhead, copyRemainder } from '../../database/embedded/copy-files.ts'
import { databaseIn, makeWorkDirectory } from '../../database/embedded/data-directory.ts'
import { freeBytes, neededBytes } from '../../database/embedded/free-space.ts'
import { schemaVersion } from '../../database/schema-version.ts'
import { ServiceError } from '../../http/errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import { version } from '../../runtime/version.ts'
import { type KeyFile, keyFilesIn, noteBackup, readLastBackup } from './last-backup.ts'
import { archiveFormat, databaseName, type Manifest, manifestName, takeCensus } from './manifest.ts'

interface BackupDependencies {
  /** Null on Postgres. */
  embedded: EmbeddedClient | null
  dataDir: string
  clock: Clock
  log: Logger
}

export interface LastBackup {
  /** ISO 8601; null if this data directory had none. */
  at: string | null
  /** Keys to keep elsewhere, as no backup contains them. */
  missingKeys: KeyFile[]
}

export interface Backups {
  /**
   * Copies the database in a consistent state and streams the copy as tar.gz. Other statements wait while changed files
   * are copied, but not while packing. The copy is deleted when the stream ends or is destroyed.
   * @throws ServiceError CONFLICT during another backup or on Postgres, UNAVAILABLE without room for the copy.
   */
  create(): Promise<Readable>
  /** The last backup read to its end, and what it lacks; null on Postgres, whose backups are unknown here. */
  last(): Promise<LastBackup | null>
  /** Waits a moment for a running backup, then aborts it. */
  stop(): Promise<void>
}

const shutdownGraceMs = 5_000

/** Database pages compress well at this level; higher ones would be slower than most disks. */
const gzipLevel = 3

async function measure(directory: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  let bytes = 0
  for (const file of files) bytes += (await stat(join(file.parentPath, file.name))).size
  return { files: files.length, bytes }
}

/** The tar of a work directory. Reads no further file once the reader is gone. */
async function* pack(directory: string): AsyncGenerator<Buffer> {
  let state: 'read' | 'abandoned' | 'failed' = 'read'
  const options = { cwd: directory, portable: true, strict: true, filter: () => state === 'read' }
  const archive = create(options, [manifestName, databaseName])
  archive.on('error', () => {
    state = 'failed'
  })
  try {
    yield* archive
  } finally {
    // Reading them to the end is the only way to close their files.
    if (state === 'read') {
      state = 'abandoned'
      archive.resume()
      await archive.promise().catch(() => {})
    }
  }
}

const noRoom = () =>
  new ServiceError('UNAVAILABLE', 'There is no room in the data directory for the copy that is packed.')

type Source = Omit<BackupDependencies, 'embedded'> & { client: EmbeddedClient }

/** Copies database and manifest into a work directory. @returns the copy's moment, ISO 8601. */
async function copyInto(directory: string, { client, dataDir, clock, log }: Source): Promise<string> {
  const { bytes: needed } = await measure(databaseIn(dataDir))
  if ((await freeBytes(dataDir)) < needed + neededBytes) throw noRoom()
  const createdAt = clock.now().toISOString()
  const target = join(directory, databaseName)
  const ahead = await copyAhead(databaseIn(dataDir), target)
  const { tables, heldMs } = await client.alone(async (queries) => {
    const since = performance.now()
    // Writes all pages back, so that the files alone are the whole database.
    await queries.query('checkpoint')
    const census = await takeCensus(queries)
    await copyRemainder(queries, databaseIn(dataDir), target, ahead)
    return { tables: census, heldMs: Math.round(performance.now() - since) }
  })
  const { files, bytes } = await measure(target)
  const manifest: Manifest = {
    format: archiveFormat,
    wishwellVersion: version,
    schemaVersion,
    createdAt,
    files,
    bytes,
    heldMs,
    tables,
  }
  await writeFile(join(directory, manifestName), JSON.stringify(manifest))
  log.info({ files, bytes, heldMs }, 'backup: database copied')
  return createdAt
}

/** Gives a copy of the database as a compressed archive. @param onEnd called after its deletion; not on error */
async function openArchive(source: Source, onEnd: () => void): Promise<Readable> {
  const directory = makeWorkDirectory(source.dataDir)
  const remove = () =>
    rm(directory, { recursive: true, force: true }).catch((error) => {
      source.log.error({ err: error, directory }, 'backup: its copy is left until the next start')
    })
  let createdAt: string
  try {
    createdAt = await copyInto(directory, source)
  } catch (error) {
    await remove()
    throw error
  }
  const packed = Readable.from(pack(directory))
  const archive = createGzip({ level: gzipLevel })
  packed.once('close', () => void remove().finally(onEnd))
  packed.once('error', (error) => archive.destroy(error))
  archive.once('close', () => packed.destroy())
  const note = () =>
    noteBackup(source.dataDir, createdAt).catch((error) =>
      source.log.warn({ err: error }, 'backup: that it was made could not be noted'),
    )
  finished(archive).then(note, (error) => source.log.warn({ err: error }, 'backup: cut off'))
  return packed.pipe(archive)
}

interface RunningBackup {
  ended: Promise<void>
  cutOff(): void
}

/** Runs one backup. @param onEnd called once, when it ends or fails */
function runBackup(source: Source, onEnd: () => void): { running: RunningBackup; archive: Promise<Readable> } {
  const ending = Promise.withResolvers<void>()
  let isCutOff = false
  let opened: Readable | null = null
  const cutOff = () => {
    isCutOff = true
    opened?.destroy(new Error('the service stops'))
  }
  const end = () => {
    onEnd()
    ending.resolve()
  }
  const open = async () => {
    try {
      opened = await openArchive(source, end)
    } catch (error) {
      end()
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? noRoom() : error
    }
    if (isCutOff) cutOff()
    return opened
  }
  return { running: { ended: ending.promise, cutOff }, archive: open() }
}

/** Creates backups of the embedded database, one at a time. */
export function createBackups({ embedded, ...dependencies }: BackupDependencies): Backups {
  let current: RunningBackup | null = null
  return {
    create: async () => {
      if (embedded === null) {
        throw new ServiceError('CONFLICT', 'The data of this service is in Postgres: back it up with pg_dump.')
      }
      if (current !== null) {
        throw new ServiceError('CONFLICT', 'Another backup is under way. Try again when it has ended.')
      }
      const { running, archive } = runBackup({ ...dependencies, client: embedded }, () => {
        current = null
      })
      current = running
      return archive
    },
    last: async () => {
      const { dataDir } = dependencies
      return embedded === null ? null : { at: await readLastBackup(dataDir), missingKeys: keyFilesIn(dataDir) }
    },
    stop: async () => {
      if (current === null) return
      const { ended, cutOff } = current
      const timer = setTimeout(cutOff, shutdownGraceMs)
      await ended.finally(() => clearTimeout(timer))
    },
  }
}
