import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { type Config, readConfig } from '../config.ts'
import { hasDatabase } from '../database/embedded/data-directory.ts'
import { migrate } from '../database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { locationOfDataDirectory, locationOfPostgres } from '../database/schema-version-error.ts'
import { hasWishwellTables } from '../moving/dumped-database.ts'
import { type Dumped, type DumpTarget, exportData } from '../moving/export-data.ts'
import { MovingError } from '../moving/moving-error.ts'
import { systemClock } from '../runtime/clock.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { checkFile, createMovingMeter } from './moving-progress.ts'
import { exitWhenOutputCloses, noteLines, printJson, printLines } from './output.ts'
import { count } from './text.ts'

/** A target that is complete only after `finish`. */
interface ClosableTarget extends DumpTarget {
  finish(): Promise<void>
  close(): Promise<void>
}

const stdoutTarget: ClosableTarget = {
  written: () => null,
  begin: async () => {},
  write: async (bytes) => {
    if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
  },
  finish: async () => {},
  close: async () => {},
}

/** Writes to `FILE.partial`, which gets its name when it is complete and was read back. */
function fileTarget(file: string): ClosableTarget {
  const partial = `${file}.partial`
  let handle: FileHandle | null = null
  let position = 0
  const close = async () => {
    await handle?.close()
    handle = null
  }
  return {
    written: () => (existsSync(partial) ? createReadStream(partial) : null),
    begin: async (reusedBytes) => {
      // It holds the data of every account, so only its owner may read it, from the first byte on.
      handle = await open(partial, reusedBytes === 0 ? 'w' : 'r+', 0o600).catch((error: Error) => {
        throw new CommandError(`Cannot write ${partial}: ${error.message}`)
      })
      await handle.truncate(reusedBytes)
      position = reusedBytes
    },
    write: async (bytes) => {
      try {
        await handle?.write(bytes, 0, bytes.length, position)
      } catch (error) {
        throw new CommandError(`Cannot write ${partial}: ${(error as Error).message}`)
      }
      position += bytes.length
    },
    finish: async () => {
      await handle?.sync()
      await close()
      await checkFile(partial)
      await rename(partial, file)
    },
    close,
  }
}

/** Opens the database that is exported, and brings its tables up to date. @throws MovingError when there is none. */
async function openSource({ databaseUrl, dataDir }: Config): Promise<OpenDatabase> {
  const isEmbedded = databaseUrl === undefined
  if (isEmbedded && !hasDatabase(dataDir))
    throw new MovingError(`There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL.`)
  const onCrash = (error: Error) => {
    throw error
  }
  const opened = await openDatabase({ databaseUrl, dataDir, poolSize: 2, statementTimeoutMs: 0, onCrash })
  try {
    if (!isEmbedded && !(await hasWishwellTables(opened.database))) {
      throw new MovingError('The database at DATABASE_URL holds no data of Wishwell.')
    }
    await migrate(opened.database, isEmbedded ? locationOfDataDirectory(dataDir) : locationOfPostgres)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** The main numbers of a dump, for people. */
export const describeRows = (rows: Record<string, number>, totalRows: number): string =>
  `${count(rows.accounts ?? 0, 'account')}, ${count(rows.requests ?? 0, 'request')}, ${count(totalRows, 'row')} in all`

function report(file: string, dumped: Dumped, json: boolean): void {
  const lines = [
    `Saved ${file}: ${describeRows(dumped.rows, dumped.totalRows)}, ${(dumped.bytes / 1e6).toFixed(1)} MB.`,
    `Digest ${dumped.digest}. It holds the data of all accounts, and hashes of their keys: protect it.`,
  ]
  if (json) printJson({ file, ...dumped })
  else if (file === '-') noteLines(lines)
  else printLines(lines)
}

/** `wishwell export --all`: writes all data of the database as a dump. */
export async function exportAll(file: string, { json }: { json: boolean }): Promise<void> {
  exitWhenOutputCloses()
  const toStdout = file === '-'
  if (toStdout && json) throw new CommandError('--json prints on stdout, so the dump needs a file.', exitCodes.usage)
  if (toStdout && process.stdout.isTTY) {
    throw new CommandError('A dump is not text: name a file, or pipe it into "wishwell import -".', exitCodes.usage)
  }
  const config = readConfig()
  const opened = await openSource(config)
  const target = toStdout ? stdoutTarget : fileTarget(file)
  const meter = createMovingMeter(process.stderr, 'Exported')
  try {
    const begin = async (reusedBytes: number) => {
      if (reusedBytes > 0)
        meter.note(`${file}.partial is continued: ${(reusedBytes / 1e6).toFixed(1)} MB of it are still right.`)
      await target.begin(reusedBytes)
    }
    const dumped = await exportData(opened.database, {
      target: { ...target, begin },
      now: systemClock.now(),
      onProgress: meter.show,
    })
    await target.finish()
    meter.clear()
    report(file, dumped, json)
  } finally {
    meter.clear()
    await target.close()
    await opened.close()
  }
}
