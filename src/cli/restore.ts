import { Command } from 'commander'
import { inspectArchive } from '../backup/archive.ts'
import type { Manifest } from '../backup/manifest.ts'
import { restoreBackup } from '../backup/restore.ts'
import { type Config, readConfig } from '../config.ts'
import { hasDatabase } from '../database/embedded/data-directory.ts'
import { systemClock } from '../runtime/clock.ts'
import { ConfigError } from '../runtime/config-error.ts'
import { confirm, requireSomebodyToAsk } from './confirm.ts'
import { helpEnd } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { count } from './text.ts'

const help = `
The service must not run. The file is read whole before anything is touched, its database is opened once to prove that it starts,
and only then does it take the place of the old one, which is kept as DATA_DIR/database.before-restore-<time>. Killed at any
step, the next start finds either the old or the new one. The admin key stays as it is.

Environment:
  DATA_DIR   where the database goes (default ./data); it is made when it is missing

Exit codes: 0 done; 1 the file is no good, a process has the data directory, or the answer was no; 2 the command line or the
environment is wrong.`

interface RestoreOptions {
  yes: boolean
  json: boolean
}

/** `wishwell restore`: puts a backup in the place of the embedded database. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('put a backup in the place of the embedded database; the service must not run')
    .argument('<file>', 'what "wishwell backup" saved')
    .option('--yes', 'do not ask; required when nobody can be asked', false)
    .option('--json', 'print only the result, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(add --help to see every option)')
    .action(restore)
}

async function restore(file: string, options: RestoreOptions): Promise<void> {
  exitWhenOutputCloses()
  const { databaseUrl, dataDir } = readConfig()
  if (databaseUrl !== undefined) {
    throw new ConfigError(
      'DATABASE_URL: is set, but only the embedded database is restored so; use pg_restore or psql.',
    )
  }
  requireSomebodyToAsk(options)
  const { manifest, previous } = await run(file, dataDir, options)
  const { createdAt, tables } = manifest
  if (options.json) return printJson({ dataDir, previous, createdAt, tables })
  const kept =
    previous === null ? [] : [`The database that was there is kept in ${previous}; delete it when all is well.`]
  const accounts = count(tables.accounts?.rows ?? 0, 'account')
  printLines([`Restored the backup of ${createdAt} (${accounts}) to ${dataDir}.`, ...kept])
}

async function run(file: string, dataDir: Config['dataDir'], { yes }: RestoreOptions) {
  const manifest: Manifest = await inspectArchive(file)
  const now = systemClock.now()
  const ask = async () => {
    if (!hasDatabase(dataDir)) return
    await confirm(`The database in ${dataDir} is replaced by the backup of ${manifest.createdAt}.`, { yes })
  }
  return { manifest, previous: await restoreBackup({ file, manifest, dataDir, now, confirm: ask }) }
}
