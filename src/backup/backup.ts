import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Logger } from 'pino'
import { create } from 'tar'
import type { EmbeddedClient } from '../database/embedded/client.ts'
import { copyAhead, copyRemainder } from '../database/embedded/copy-files.ts'
import { databaseIn, makeWorkDirectory } from '../database/embedded/data-directory.ts'
import { ServiceError } from '../http/errors.ts'
import type { Clock } from '../runtime/clock.ts'
import { version } from '../runtime/version.ts'
import { takeCensus } from './census.ts'
import { archiveFormat, databaseName, type Manifest, manifestName } from './manifest.ts'

export interface BackupDependencies {
  /** Null when the data is in a Postgres. */
  embedded: EmbeddedClient | null
  dataDir: string
  clock: Clock
  log: Logger
}

export interface Backups {
  /**
   * Copies the database in one consistent state and gives the copy as a tar.gz. All other work waits while it is copied, not
   * while it is packed. The copy is deleted when the stream ends or is destroyed.
   * @throws ServiceError CONFLICT when another backup is under way or the data is in a Postgres, UNAVAILABLE when there is no
   * room for the copy.
   */
  create(): Promise<Readable>
  /** Gives a backup under way a moment, then cuts it off. */
  stop(): Promise<void>
}

/** How long a backup under way at shutdown may still take. */
const shutdownGraceMs = 5_000

/** The pages of a database shrink well; more would take longer than most disks do. */
const gzipLevel = 3

async function measure(directory: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  let bytes = 0
  for (const file of files) bytes += (await stat(join(file.parentPath, file.name))).size
  return { files: files.length, bytes }
}

/** The bytes of a tar of a work directory. When nobody wants the rest, no further file is read. */
async function* pack(directory: string): AsyncGenerator<Buffer> {
  let state: 'wanted' | 'unwanted' | 'failed' = 'wanted'
  const options = { cwd: directory, portable: true, strict: true, filter: () => state === 'wanted' }
  const archive = create(options, [manifestName, databaseName])
  archive.on('error', () => {
    state = 'failed'
  })
  try {
    yield* archive
  } finally {
    // Its open files are closed by reading them to their end.
    if (state === 'wanted') {
      state = 'unwanted'
      archive.resume()
      await archive.promise().catch(() => {})
    }
  }
}

function explainFailure(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') return error
  return new ServiceError('UNAVAILABLE', 'There is no room in the data directory for the copy that is packed.')
}

/** Backups of the embedded database, one at a time. */
export function createBackups({ embedded, dataDir, clock, log }: BackupDependencies): Backups {
  let underWay: { ended: Promise<void>; cutOff: () => void } | null = null

  async function copyInto(directory: string, client: EmbeddedClient): Promise<Manifest> {
    const createdAt = clock.now().toISOString()
    const files = join(directory, databaseName)
    const ahead = await copyAhead(databaseIn(dataDir), files)
    const { census, heldMs } = await client.alone(async (queries) => {
      const since = performance.now()
      // Writes every page back: now the files alone are the whole database.
      await queries.query('checkpoint')
      const counted = await takeCensus(queries)
      await copyRemainder(queries, databaseIn(dataDir), files, ahead)
      return { census: counted, heldMs: Math.round(performance.now() - since) }
    })
    const size = await measure(files)
    const about = { format: archiveFormat, wishwellVersion: version, createdAt } as const
    const manifest = { ...about, ...size, heldMs, tables: census }
    await writeFile(join(directory, manifestName), JSON.stringify(manifest))
    log.info({ ...size, heldMs }, 'backup: database copied')
    return manifest
  }

  async function begin(client: EmbeddedClient, ended: () => void): Promise<Readable> {
    const directory = makeWorkDirectory(dataDir)
    const remove = () =>
      rm(directory, { recursive: true, force: true }).catch((error) => {
        log.error({ err: error, directory }, 'backup: its copy is left until the next start')
      })
    try {
      await copyInto(directory, client)
    } catch (error) {
      await remove()
      throw error
    }
    const source = Readable.from(pack(directory))
    const archive = createGzip({ level: gzipLevel })
    source.once('close', () => void remove().finally(ended))
    source.once('error', (error) => archive.destroy(error))
    archive.once('close', () => source.destroy())
    finished(archive).catch((error) => log.warn({ err: error }, 'backup: cut off'))
    return source.pipe(archive)
  }

  return {
    create: async () => {
      if (embedded === null) {
        const message = 'The data of this service is in Postgres: back it up with pg_dump.'
        throw new ServiceError('CONFLICT', message)
      }
      if (underWay !== null)
        throw new ServiceError('CONFLICT', 'Another backup is under way. Try again when it has ended.')
      const ending = Promise.withResolvers<void>()
      let isCutOff = false
      let archive: Readable | null = null
      const cutOff = () => {
        isCutOff = true
        archive?.destroy(new Error('the service stops'))
      }
      const end = () => {
        underWay = null
        ending.resolve()
      }
      underWay = { ended: ending.promise, cutOff }
      archive = await begin(embedded, end).catch((error: unknown) => {
        end()
        throw explainFailure(error)
      })
      if (isCutOff) cutOff()
      return archive
    },
    stop: async () => {
      const backup = underWay
      if (backup === null) return
      const timer = setTimeout(backup.cutOff, shutdownGraceMs)
      await backup.ended.finally(() => clearTimeout(timer))
    },
  }
}
