import { Command, CommanderError } from 'commander'
import { BackupError } from './backup/manifest.ts'
import { accountCommand } from './cli/account.ts'
import { backupCommand } from './cli/backup.ts'
import { CommandError, exitCodes } from './cli/exit-codes.ts'
import { exportCommand } from './cli/export.ts'
import { jobsCommand } from './cli/jobs.ts'
import { keyCommand } from './cli/key.ts'
import { platformsCommand } from './cli/platforms.ts'
import { purgeCommand } from './cli/purge.ts'
import { restoreCommand } from './cli/restore.ts'
import { scrapeCommand } from './cli/scrape.ts'
import { searchCommand } from './cli/search.ts'
import { suppressionCommand } from './cli/suppression.ts'
import { topicsCommand } from './cli/topics.ts'
import { usageCommand } from './cli/usage.ts'
import { verifyCommand } from './cli/verify.ts'
import { ConfigError } from './config.ts'
import { DataDirectoryInUseError } from './database/embedded/lock.ts'
import { version } from './version.ts'

const help = `
Environment of serve and migrate: PORT, DATA_DIR, DATABASE_URL and more; the README has the whole table.
Environment of scrape, jobs, search, topics, export, platforms and usage: WISHWELL_URL (default http://127.0.0.1:4680), WISHWELL_API_KEY (required).
Environment of account, key, purge, suppression, backup and verify: WISHWELL_URL, ADMIN_API_KEY, else the one in DATA_DIR;
they work without a service, too.
Environment of restore: DATA_DIR.

Exit codes:
  0  done
  1  it failed: the service refused, the job failed, or the database could not be opened
  2  the command line or the configuration is wrong
  3  the service cannot be reached
  4  the scrape job ended, but a platform failed or was skipped
  5  out of credits, or too many requests
  130  interrupted while waiting; a scrape job goes on`

/** Subcommands do not inherit it when they are added ready-made. */
function overrideExit(command: Command): void {
  command.exitOverride()
  for (const inner of command.commands) overrideExit(inner)
}

// `serve` and `migrate` bring the whole service along; the clients start without it.
function createProgram(): Command {
  const program = new Command('wishwell')
    .description(
      'Collects feature requests from public platforms, lets people search them, and meters live collection.',
    )
    .version(version)
    .addHelpText('after', help)
    .showHelpAfterError('(wishwell --help shows every command and option)')
  program
    .command('serve')
    .description('run the service until it is told to stop')
    .action(async () => (await import('./cli/serve.ts')).serve())
  program
    .command('migrate')
    .description('bring the database up to date and end (serve does it by itself)')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: { json: boolean }) => (await import('./cli/serve.ts')).migrateDatabase(options))
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
  overrideExit(program)
  return program
}

/** What an error means for whoever called the command: what is printed, and the exit code. */
function explain(error: unknown): { message: string | null; exitCode: number } {
  if (error instanceof CommanderError) return { message: null, exitCode: error.exitCode === 0 ? 0 : exitCodes.usage }
  if (error instanceof CommandError) return { message: error.message, exitCode: error.exitCode }
  if (error instanceof ConfigError) return { message: error.message, exitCode: exitCodes.usage }
  if (error instanceof BackupError) return { message: error.message, exitCode: exitCodes.failed }
  if (error instanceof DataDirectoryInUseError) return { message: error.message, exitCode: exitCodes.failed }
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
    return {
      message: 'The port is in use already: stop what uses it, or set PORT to another.',
      exitCode: exitCodes.failed,
    }
  }
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    exitCode: exitCodes.failed,
  }
}

try {
  await createProgram().parseAsync()
} catch (error) {
  const { message, exitCode } = explain(error)
  if (message !== null) console.error(`wishwell: ${message}`)
  process.exit(exitCode)
}
