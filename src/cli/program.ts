import { Command } from 'commander'
import { version } from '../runtime/version.ts'
import { helpEnd, requireIds } from './options.ts'

const help = `
Environment of serve and migrate: PORT, DATA_DIR, DATABASE_URL and more; see docs/configuration.md.
Environment of scrape, jobs, search, topics, wishes, watch, news, channel, feed, export, correct, platforms and usage: WISHWELL_URL (default http://127.0.0.1:4680), WISHWELL_API_KEY (required).
Environment of account, key, purge, suppression, detection, search-index, backup and verify: WISHWELL_URL, ADMIN_API_KEY, else the one in DATA_DIR;
they also work without a running service.
Environment of healthcheck: WISHWELL_URL, else HOST and PORT; of a worker METRICS_HOST and METRICS_PORT.
Environment of restore: DATA_DIR; of dump and restore-dump: DATA_DIR or DATABASE_URL.

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

/** What each command needs is loaded when the command is used, or when the help lists all of them. */
const commands: Record<string, () => Promise<Command>> = {
  scrape: async () => (await import('./scrape.ts')).scrapeCommand(),
  jobs: async () => (await import('./jobs.ts')).jobsCommand(),
  search: async () => (await import('./search.ts')).searchCommand(),
  topics: async () => (await import('./topics.ts')).topicsCommand(),
  wishes: async () => (await import('./wishes.ts')).wishesCommand(),
  watch: async () => (await import('./watch.ts')).watchCommand(),
  news: async () => (await import('./news.ts')).newsCommand(),
  feed: async () => (await import('./feed.ts')).feedCommand(),
  channel: async () => (await import('./channel.ts')).channelCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  correct: async () => (await import('./correct.ts')).correctCommand(),
  platforms: async () => (await import('./platforms.ts')).platformsCommand(),
  usage: async () => (await import('./usage.ts')).usageCommand(),
  account: async () => (await import('./account.ts')).accountCommand(),
  key: async () => (await import('./key.ts')).keyCommand(),
  purge: async () => (await import('./purge.ts')).purgeCommand(),
  suppression: async () => (await import('./suppression.ts')).suppressionCommand(),
  detection: async () => (await import('./detection.ts')).detectionCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./restore.ts')).restoreCommand(),
  dump: async () => (await import('./dump.ts')).dumpCommand(),
  'restore-dump': async () => (await import('./restore-dump.ts')).restoreDumpCommand(),
  'search-index': async () => (await import('./search-index.ts')).searchIndexCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  healthcheck: async () => (await import('./healthcheck.ts')).healthcheckCommand(),
  demo: async () => (await import('./demo/command.ts')).demoCommand(),
}

/**
 * The program with every command, or with `serve`, `migrate` and the named one only: a client starts several times as fast without
 * the modules of the others.
 */
export async function createProgram(name?: string): Promise<Command> {
  const program = new Command('wishwell')
    .description('Collects feature requests from public platforms, searches them, and meters live collection.')
    .version(version)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell --help shows every command and option)')
  program
    .command('serve')
    .description('run the service until it is stopped (also without a command)')
    .action(async () => (await import('./serve.ts')).serve())
  program
    .command('migrate')
    .description('bring the database up to date and exit (serve does so, too)')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: { json: boolean }) => (await import('./serve.ts')).migrateDatabase(options))
  const isOne = name !== undefined && (Object.hasOwn(commands, name) || name === 'serve' || name === 'migrate')
  for (const [other, load] of Object.entries(commands)) {
    if (!isOne || other === name) program.addCommand(await load())
  }
  program.hook('preAction', (_program, command) => requireIds(command))
  configure(program)
  return program
}
