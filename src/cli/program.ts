import { Command } from 'commander'
import { version } from '../runtime/version.ts'
import { accountCommand } from './account.ts'
import { backupCommand } from './backup.ts'
import { exportCommand } from './export.ts'
import { jobsCommand } from './jobs.ts'
import { keyCommand } from './key.ts'
import { helpEnd } from './options.ts'
import { platformsCommand } from './platforms.ts'
import { purgeCommand } from './purge.ts'
import { restoreCommand } from './restore.ts'
import { scrapeCommand } from './scrape.ts'
import { searchCommand } from './search.ts'
import { suppressionCommand } from './suppression.ts'
import { topicsCommand } from './topics.ts'
import { usageCommand } from './usage.ts'
import { verifyCommand } from './verify.ts'

const help = `
Environment of serve and migrate: PORT, DATA_DIR, DATABASE_URL and more; see docs/configuration.md.
Environment of scrape, jobs, search, topics, export, platforms and usage: WISHWELL_URL (default http://127.0.0.1:4680), WISHWELL_API_KEY (required).
Environment of account, key, purge, suppression, backup and verify: WISHWELL_URL, ADMIN_API_KEY, else the one in DATA_DIR;
they also work without a running service.
Environment of restore: DATA_DIR.

Exit codes:
  0  done
  1  failed: the service refused, the job failed, or the database could not be
     opened or was unavailable when serve ended
  2  the command line or the configuration is wrong
  3  the service cannot be reached
  4  the scrape job ended, but a platform failed or was skipped
  5  out of credits, or too many requests
  130  interrupted while waiting; a scrape job continues`

/** Settings that subcommands do not inherit when they are added with addCommand. */
function configure(command: Command): void {
  command.exitOverride()
  // Without it, descriptions beside long option names are not wrapped at all on 80 columns.
  command.configureHelp({ minWidthToWrap: 20 })
  for (const inner of command.commands) configure(inner)
}

/** Every command. `serve` and `migrate` import the service when they run; clients start without loading it. */
export function createProgram(): Command {
  const program = new Command('wishwell')
    .description('Collects feature requests from public platforms, searches them, and meters live collection.')
    .version(version)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell --help shows every command and option)')
  program
    .command('serve')
    .description('run the service until it is stopped')
    .action(async () => (await import('./serve.ts')).serve())
  program
    .command('migrate')
    .description('bring the database up to date and exit (serve does so, too)')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: { json: boolean }) => (await import('./serve.ts')).migrateDatabase(options))
  program.addCommand(scrapeCommand())
  program.addCommand(jobsCommand())
  program.addCommand(searchCommand())
  program.addCommand(topicsCommand())
  program.addCommand(exportCommand())
  program.addCommand(platformsCommand())
  program.addCommand(usageCommand())
  program.addCommand(accountCommand())
  program.addCommand(keyCommand())
  program.addCommand(purgeCommand())
  program.addCommand(suppressionCommand())
  program.addCommand(backupCommand())
  program.addCommand(restoreCommand())
  program.addCommand(verifyCommand())
  configure(program)
  return program
}
