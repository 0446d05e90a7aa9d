import { createReadStream } from 'node:fs'
import { Command } from 'commander'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import { type Imported, importData } from '../moving/import-data.ts'
import { nameDump } from '../moving/read-dump.ts'
import { prepareDatabase } from '../prepare-database.ts'
import { copyAllRequests } from '../requests/store/copies.ts'
import { systemClock } from '../runtime/clock.ts'
import { recoverTasks } from '../scraping/tasks.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { describeRows } from './export-all.ts'
import { checkFile, createMovingMeter } from './moving-progress.ts'
import { helpEnd } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'

const help = `
The database must be new: one that no service has used. It is made in DATA_DIR, or its tables are made at DATABASE_URL. The dump has the rows of
every account; the admin key is not in it.
Every row is compared with the dump at the end. An import that broke off goes on with the same command, and the service does not start before
it is complete. A file is read completely before anything is changed; "-" reads stdin.

Environment:
  DATA_DIR       the directory of the embedded database (default ./data)
  DATABASE_URL   a Postgres, instead of the embedded database

Exit codes: 0 done, or this dump was imported before; 1 the dump is incomplete, damaged or of another version, the database is not empty, or
another process holds it; 2 the command line or the environment is wrong.

Example, from the embedded database to a Postgres, while the service is stopped:
  wishwell export --all wishwell.dump
  DATABASE_URL=postgres://… wishwell import wishwell.dump`

/** `wishwell import`: stores a dump in an empty database. */
export function importCommand(): Command {
  return new Command('import')
    .description('import a dump, made by "wishwell export --all", into an empty database; the service must not run')
    .argument('<file>', 'the dump; - for stdin')
    .option('--json', 'print only the result, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(add --help to see every option)')
    .action(runImport)
}

function linesOf({ rows, totalRows, digest, wasComplete }: Imported): string[] {
  const what = describeRows(rows, totalRows)
  if (wasComplete) return [`This dump was imported before (${what}); nothing was changed.`]
  return [
    `Imported ${what}; each row is as in the dump.`,
    `Digest ${digest}. Start the service with the same environment, and check it with "wishwell verify".`,
  ]
}

async function runImport(file: string, { json }: { json: boolean }): Promise<void> {
  exitWhenOutputCloses()
  const isStdin = file === '-'
  if (isStdin && process.stdin.isTTY) throw new CommandError('stdin is a terminal: name a file.', exitCodes.usage)
  const config = readConfig()
  const meter = createMovingMeter(process.stderr, 'Imported')
  // stdin can be read only once: it is checked while it is imported.
  if (!isStdin) await checkFile(file)
  const log = pino({ level: 'error', base: null }, pino.destination({ fd: 2, sync: true }))
  const crash = (error: Error) => {
    log.fatal({ err: error }, 'cannot go on')
    process.exit(exitCodes.failed)
  }
  const unhurried: typeof openDatabase = (options) => openDatabase({ ...options, poolSize: 2, statementTimeoutMs: 0 })
  const prepared = await prepareDatabase(config, log, crash, { offline: true, importing: true, open: unhurried })
  try {
    const imported = await importData(prepared.opened, {
      dump: isStdin ? process.stdin : createReadStream(file),
      now: systemClock.now,
      onProgress: meter.show,
      onComparing: () => meter.note('All rows are stored; they are compared with the dump.'),
      derive: copyAllRequests,
      queueWork: async (database) => {
        await prepared.queue.start()
        await recoverTasks(database, prepared.queue)
      },
    })
    meter.clear()
    if (json) printJson({ file, ...imported })
    else printLines(linesOf(imported))
  } catch (error) {
    throw nameDump(isStdin ? 'stdin' : file, error)
  } finally {
    meter.clear()
    await prepared.queue.stop()
    await prepared.opened.close()
  }
}
