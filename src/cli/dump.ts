import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { Command } from 'commander'
import { type Config, readConfig } from '../app/config.ts'
import { hasDatabase } from '../database/embedded/data-directory.ts'
import { migrate } from '../database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { locationOfDataDirectory, locationOfPostgres } from '../database/schema-version-error.ts'
import { type Dumped, dumpData, hasWishwellTables } from '../operations/moving/dump-data.ts'
import { MovingError, type MovingProgress } from '../operations/moving/moving-error.ts'
import { systemClock } from '../runtime/clock.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { endCommand } from './log.ts'
import { helpEnd } from './options.ts'
import { columnsOf, exitWhenOutputCloses, noteLines, printJson, printLines } from './output.ts'
import { count } from './text.ts'

const maxBarColumns = 40
const redrawMs = 100
/** Share of rows per line, without a terminal. */
const lineShare = 0.1

/** The bar, fitted to the terminal; a narrow one shows none. */
export function formatMovingBar({ rows, totalRows, bytes }: MovingProgress, columns: number): string {
  const share = totalRows === 0 ? 1 : Math.min(1, rows / totalRows)
  const text = `${Math.floor(share * 100)}%  ${rows.toLocaleString('en-US')} of ${count(totalRows, 'row')}, ${(bytes / 1e6).toFixed(1)} MB`
  const room = Math.min(maxBarColumns, columns - text.length - 3)
  if (room < 8) return text.slice(0, Math.max(0, columns - 1))
  return `${'█'.repeat(Math.round(share * room)).padEnd(room, '░')}  ${text}`
}

/** Shows a dump's progress: a bar on a terminal, removed by `clear`; else a line per tenth of the rows. */
export function createMovingMeter(stream: NodeJS.WriteStream, verb: string) {
  let shownAt = Number.NEGATIVE_INFINITY
  let isShown = false
  let nextShare = lineShare
  const clear = () => {
    if (isShown) stream.write('\r\x1b[K')
    isShown = false
  }
  const showLine = ({ rows, totalRows, bytes }: MovingProgress) => {
    const share = rows / totalRows
    if (share < nextShare) return
    nextShare = Math.floor(share / lineShare + 1) * lineShare
    const size = `${(bytes / 1e6).toFixed(1)} MB`
    stream.write(`${verb} ${rows.toLocaleString('en-US')} of ${count(totalRows, 'row')}, ${size}\n`)
  }
  return {
    show: (progress: MovingProgress) => {
      if (!stream.isTTY) return showLine(progress)
      const now = performance.now()
      if (now - shownAt < redrawMs) return
      shownAt = now
      isShown = true
      stream.write(`\r\x1b[K${formatMovingBar(progress, columnsOf(stream) ?? 0)}`)
    },
    clear,
  }
}

const help = `
The service must not run: the command opens the database itself. The dump holds all accounts, requests, wishes and credits, in one state of
the database; "wishwell admin restore-dump" takes it on another machine or in the other kind of database. It is written to a FILE.….partial, which
becomes FILE when it is complete; an existing FILE is replaced.

Environment:
  DATA_DIR       the directory of the embedded database (default ./data)
  DATABASE_URL   a Postgres, instead of the embedded database

Exit codes: 0 complete; 1 another process uses the database, or the file cannot be written; 2 the command line or the environment is wrong.

Example:
  wishwell admin dump wishwell.dump`

/** `wishwell admin dump`: writes all data of the database as a dump. */
export function dumpCommand(): Command {
  return new Command('dump')
    .description('save all data as one file, for "wishwell admin restore-dump"; the service must not run')
    .argument('<file>', 'the file to write; - for stdout')
    .option('--json', 'print only the result, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .action(runDump)
}

/** A dump's output, complete only after `finish`. */
interface DumpTarget {
  write(bytes: Uint8Array): Promise<void>
  finish(): Promise<void>
  close(): Promise<void>
}

const stdoutTarget: DumpTarget = {
  write: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) =>
        error ? reject(new CommandError(`Cannot write to stdout: ${error.message}`)) : resolve(),
      )
    }),
  finish: async () => {},
  close: async () => {},
}

/** Writes to `FILE.….partial`, renamed when complete. */
async function openFile(file: string): Promise<DumpTarget> {
  // Per process, for concurrent dumps into the same file.
  const partial = `${file}.${process.pid}.partial`
  const attempt = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: Error) => {
      throw new CommandError(`Cannot write ${partial}: ${error.message}`)
    })
  // Contains every account's data: readable only by its owner from the first byte on.
  await attempt(rm(partial, { force: true }))
  const handle: FileHandle = await attempt(open(partial, 'wx', 0o600))
  let isFinished = false
  return {
    write: async (bytes) => void (await attempt(handle.appendFile(bytes))),
    finish: async () => {
      await attempt(handle.sync())
      await attempt(rename(partial, file))
      isFinished = true
    },
    close: async () => {
      await handle.close()
      if (!isFinished) await rm(partial, { force: true })
    },
  }
}

/** Opens and migrates the database to dump. @throws MovingError if there is none. */
async function openSource({ databaseUrl, dataDir }: Config): Promise<OpenDatabase> {
  const isEmbedded = databaseUrl === undefined
  if (isEmbedded && !hasDatabase(dataDir))
    throw new MovingError(`There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL.`)
  const opened = await openDatabase({ databaseUrl, dataDir, poolSize: 2, statementTimeoutMs: 0, onCrash: endCommand })
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

/** The main numbers of a dump. */
export const describeRows = (rows: Record<string, number>, totalRows: number): string =>
  `${count(rows.accounts ?? 0, 'account')}, ${count(rows.requests ?? 0, 'request')}, ${count(totalRows, 'row')} in all`

function report(file: string, dumped: Dumped, json: boolean): void {
  const lines = [
    `Saved ${file}: ${describeRows(dumped.rows, dumped.totalRows)}, ${(dumped.bytes / 1e6).toFixed(1)} MB.`,
    'It holds the data of all accounts, and hashes of their keys: protect it.',
  ]
  if (json) printJson({ file, ...dumped })
  else if (file === '-') noteLines(lines)
  else printLines(lines)
}

async function runDump(file: string, { json }: { json: boolean }): Promise<void> {
  const toStdout = file === '-'
  exitWhenOutputCloses(toStdout ? [process.stderr] : undefined)
  // Each write reports its own error.
  if (toStdout) process.stdout.on('error', () => {})
  if (toStdout && json) throw new CommandError('--json prints on stdout, so the dump needs a file.', exitCodes.usage)
  if (toStdout && process.stdout.isTTY) {
    throw new CommandError(
      'A dump is not text: name a file, or pipe it into "wishwell admin restore-dump -".',
      exitCodes.usage,
    )
  }
  const opened = await openSource(readConfig())
  const meter = createMovingMeter(process.stderr, 'Dumped')
  try {
    const target = toStdout ? stdoutTarget : await openFile(file)
    try {
      const { write } = target
      const dumped = await dumpData(opened.database, { write, now: systemClock.now(), onProgress: meter.show })
      await target.finish()
      meter.clear()
      report(file, dumped, json)
    } finally {
      await target.close()
    }
  } finally {
    meter.clear()
    await opened.close()
  }
}
