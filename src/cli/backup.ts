import { open, rename, rm } from 'node:fs/promises'
import { Command } from 'commander'
import { type Config, readConfig } from '../app/config.ts'
import { hasDatabase } from '../database/embedded/data-directory.ts'
import { inspectArchive } from '../operations/backup/archive.ts'
import { keyFiles, keyFilesIn } from '../operations/backup/last-backup.ts'
import type { Manifest } from '../operations/backup/manifest.ts'
import { restoreBackup } from '../operations/backup/restore.ts'
import { systemClock } from '../runtime/clock.ts'
import { ConfigError } from '../runtime/config-error.ts'
import type { Operator } from './operator.ts'
import { confirm, download, operate, operatorCommand, requireSomebodyToAsk } from './operator-command.ts'
import { helpEnd } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { count, formatMoment } from './text.ts'

/** Saves a complete backup, or no file. @throws ApiError on refusal or breaking off; BackupError if incomplete. */
async function save(operator: Operator, file: string): Promise<Manifest> {
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  // Contains every account's data: readable only by its owner from the first byte on.
  const handle = await open(partial, 'wx', 0o600)
  try {
    try {
      for await (const chunk of await download(operator, '/api/admin/backup')) await handle.write(chunk)
      await handle.sync()
    } finally {
      await handle.close()
    }
    const manifest = await inspectArchive(partial)
    await rename(partial, file)
    return manifest
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

const backupHelp = `
The backup holds the whole embedded database; the service may run and write meanwhile. It holds neither admin-key nor secrets-key:
without secrets-key no channel can send after a restore. It holds hashes of every API key: protect it like the data directory. Test it with "wishwell admin restore" and another DATA_DIR.
With DATABASE_URL, use pg_dump instead.`

/** `wishwell admin backup`: saves the embedded database to a file. */
export function backupCommand(): Command {
  return operatorCommand(
    'backup',
    'save the embedded database to a file, also while the service runs (admin key)',
    backupHelp,
  )
    .argument(
      '<file>',
      'the file to write, like wishwell.tar.gz; an existing file is replaced when the new one is complete',
    )
    .action((file: string, options: { json: boolean }) =>
      operate(
        options,
        async (operator) => ({ data: { data: { file, ...(await save(operator, file)) } } }),
        ({ bytes, tables, heldMs }) => [
          `Saved ${file}: ${count(tables.accounts?.rows ?? 0, 'account')}, ${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB unpacked.`,
          `All other work waited ${heldMs} ms for it. The files admin-key and secrets-key of the data directory are not in it: keep a copy of them elsewhere.`,
        ],
      ),
    )
}

const restoreHelp = `
The service must not run. The backup is unpacked and its database is opened once to prove that it starts. Only then does it replace
the old database, which is renamed to DATA_DIR/database.before-restore-<time>. After a kill at any step, the next start finds the
old database or the new one. No backup holds the files admin-key and secrets-key: those in DATA_DIR stay.

Environment:
  DATA_DIR   the directory of the database (default ./data); it is created when it is missing

Exit codes: 0 done; 1 the file is not a complete backup, another process holds the data directory, or the answer was no; 2 the command line or the
environment is wrong.`

interface RestoreOptions {
  yes: boolean
  json: boolean
}

/** `wishwell admin restore`: replaces the embedded database by a backup. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('replace the embedded database by a backup; the service must not run')
    .argument('<file>', 'a backup, made by "wishwell admin backup"')
    .option('--yes', 'do not ask for confirmation; required without a terminal', false)
    .option('--json', 'print only the result, as one JSON object', false)
    .addHelpText('after', helpEnd(restoreHelp))
    .action(restore)
}

async function restore(file: string, options: RestoreOptions): Promise<void> {
  exitWhenOutputCloses()
  const { databaseUrl, dataDir } = readConfig()
  if (databaseUrl !== undefined) {
    throw new ConfigError(
      'DATABASE_URL: is set, but only the embedded database can be restored by this command; use pg_restore or psql.',
    )
  }
  requireSomebodyToAsk(options)
  const { manifest, previous } = await run(file, dataDir, options)
  const { createdAt, tables } = manifest
  if (options.json) return printJson({ dataDir, previous, createdAt, tables })
  const kept =
    previous === null ? [] : [`The old database is in ${previous}; delete it when it is not needed any more.`]
  const what = `${formatMoment(createdAt)} (${count(tables.accounts?.rows ?? 0, 'account')})`
  printLines([`Restored the backup of ${what} to ${dataDir}.`, ...kept, ...missingKeys(dataDir)])
}

/** Names the keys that the directory lacks. The next start makes new ones, but a new secrets-key opens no channel. */
function missingKeys(dataDir: string): string[] {
  const present = keyFilesIn(dataDir)
  const missing = keyFiles.filter((name) => !present.includes(name))
  if (missing.length === 0) return []
  const what = missing.includes('secrets-key') ? ' Without its secrets-key no channel can send.' : ''
  return [
    `No backup holds ${missing.join(' and ')}: copy what you kept to ${dataDir} before the service starts.${what}`,
  ]
}

async function run(file: string, dataDir: Config['dataDir'], { yes }: RestoreOptions) {
  const manifest: Manifest = await inspectArchive(file)
  const now = systemClock.now()
  const ask = async () => {
    if (!hasDatabase(dataDir)) return
    const made = formatMoment(manifest.createdAt)
    await confirm(`The database in ${dataDir} is replaced by the backup of ${made}.`, { yes })
  }
  return { manifest, previous: await restoreBackup({ file, manifest, dataDir, now, confirm: ask }) }
}
