import { Command } from 'commander'

/** `wishwell admin migrate`: brings the database up to date. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database up to date and exit (serve does so, too)')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: { json: boolean }) => (await import('./serve.ts')).migrateDatabase(options))
}
