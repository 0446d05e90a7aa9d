import { createReadStream } from 'node:fs'
import { Command } from 'commander'
import { pino } from 'pino'
import { readConfig } from '../app/config.ts'
import { prepareDatabase } from '../app/prepare-database.ts'
import { queueOpenTasks } from '../collecting/scraping/tasks.ts'
import { openDatabase } from '../database/open.ts'
import { openDump } from '../operations/moving/dump-format.ts'
import { DumpError, nameDump } from '../operations/moving/moving-error.ts'
import { restoreDump } from '../operations/moving/restore-dump.ts'
import { copyAllRequests } from '../requests/store/copies.ts'
import { createMovingMeter, describeRows } from './dump.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { endCommand } from './log.ts'
import { helpEnd } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'

const help = `
The database must be new: one that no service has used. It is made in DATA_DIR, or its tables are made at DATABASE_URL. The dump has the rows of
every account; the admin key is not in it.
Everything is stored in one transaction, which ends when the whole dump was read and found undamaged: a command that is refused or killed leaves
the database empty, and can be run again.

Environment:
  DATA_DIR       the directory of the embedded database (default ./data)
  DATABASE_URL   a Postgres, instead of the embedded database

Exit codes: 0 done; 1 the dump is incomplete, damaged or of another version, the database is not empty, or another process holds it;
2 the command line or the environment is wrong.

Example, from the embedded database to a Postgres, while the service is stopped:
  wishwell admin dump wishwell.dump
  DATABASE_URL=postgres://… wishwell admin restore-dump wishwell.dump`

/** `wishwell admin restore-dump`: stores a dump in an empty database. */
export function restoreDumpCommand(): Command {
  return new Command('restore-dump')
    .description('store a dump, made by "wishwell admin dump", in an empty database; the service must not run')
    .argument('<file>', 'the dump; - for stdin')
    .option('--json', 'print only the result, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .action(runRestore)
}

/** @throws DumpError if it is unreadable. */
async function openInput(file: string): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') {
    if (process.stdin.isTTY) throw new CommandError('stdin is a terminal: name a file.', exitCodes.usage)
    return process.stdin
  }
  const stream = createReadStream(file)
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve())
    stream.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(new DumpError(code === 'ENOENT' ? 'there is no such file.' : `it cannot be read (${message}).`)),
    )
  })
  return stream
}

async function runRestore(file: string, { json }: { json: boolean }): Promise<void> {
  exitWhenOutputCloses()
  const config = readConfig()
  const meter = createMovingMeter(process.stderr, 'Stored')
  const log = pino({ level: 'error', base: null }, pino.destination({ fd: 2, sync: true }))
  try {
    // Fails before a database is created.
    const dump = await openDump(await openInput(file))
    const unhurried: typeof openDatabase = (options) => openDatabase({ ...options, poolSize: 2, statementTimeoutMs: 0 })
    const { opened, queue } = await prepareDatabase(config, log, endCommand, { offline: true, open: unhurried })
    try {
      const restored = await restoreDump(opened, {
        dump,
        onProgress: meter.show,
        derive: copyAllRequests,
        startQueue: () => queue.start(),
        queueWork: async (transaction) => void (await queueOpenTasks(transaction, queue)),
      })
      meter.clear()
      if (json) printJson({ file, ...restored })
      else {
        printLines([
          `Restored ${describeRows(restored.rows, restored.totalRows)}.`,
          'Start the service with the same environment, and check it with "wishwell admin verify".',
        ])
      }
    } finally {
      await queue.stop()
      await opened.close()
    }
  } catch (error) {
    throw nameDump(file === '-' ? 'stdin' : file, error)
  } finally {
    meter.clear()
  }
}
