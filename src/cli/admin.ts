import { Command } from 'commander'

/** Loaded only when used, or when a help lists all commands. */
const commands: Record<string, () => Promise<Command>> = {
  accounts: async () => (await import('./accounts.ts')).accountsCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  platforms: async () => (await import('./platforms.ts')).platformsCommand(),
  purge: async () => (await import('./purge.ts')).purgeCommand(),
  suppressions: async () => (await import('./purge.ts')).suppressionsCommand(),
  detection: async () => (await import('./detection.ts')).detectionCommand(),
  'search-index': async () => (await import('./search-index.ts')).searchIndexCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./backup.ts')).restoreCommand(),
  dump: async () => (await import('./dump.ts')).dumpCommand(),
  'restore-dump': async () => (await import('./restore-dump.ts')).restoreDumpCommand(),
  migrate: async () => migrateCommand(),
  healthcheck: async () => (await import('./healthcheck.ts')).healthcheckCommand(),
}

/** `wishwell admin`: the operator's commands. @param name the one in use; by default all are loaded */
export async function adminCommand(name?: string): Promise<Command> {
  const admin = new Command('admin').description(
    'accounts, keys, purges, backups and checks: the commands of the operator',
  )
  const isOne = name !== undefined && Object.hasOwn(commands, name)
  for (const [other, load] of Object.entries(commands)) {
    if (!isOne || other === name) admin.addCommand(await load())
  }
  return admin
}

/** `wishwell admin migrate`: brings the database up to date. */
function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database up to date and exit (serve does so, too)')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: { json: boolean }) => (await import('./serve.ts')).migrateDatabase(options))
}
