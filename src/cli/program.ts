import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { version } from '../runtime/version.ts'
import { CommandError, exitCodes, type Mistake, MistakeError } from './exit-codes.ts'
import { helpEnd, isAdminPath, requireIds, shortFlags } from './options.ts'

const help = `
Environment of serve and admin migrate: PORT, DATA_DIR, DATABASE_URL and more; see docs/configuration.md.
Environment of the commands of an account: WISHWELL_URL, WISHWELL_API_KEY; by default what "wishwell login" saved.
Environment of admin: WISHWELL_URL, ADMIN_API_KEY, else the key in DATA_DIR; most of its commands also work without a running service.
"wishwell complete zsh" (or bash, fish) prints what completes its commands and options in the shell.

Exit codes:
  0  done
  1  failed: the service refused, the job failed, or the database could not be
     opened or was unavailable when serve ended
  2  the command line or the configuration is wrong
  3  the service cannot be reached
  4  the scrape job ended, but a platform failed or was skipped
  5  out of credits, or too many requests
  130  interrupted while waiting; a scrape job continues`

/** Settings that addCommand does not pass on to subcommands. */
function configure(command: Command, path = 'wishwell'): void {
  command.exitOverride()
  if (command.name() !== 'serve') command.showHelpAfterError(`(${path} --help shows every option)`)
  // Without a minimum, descriptions beside long option names would not wrap at 80 columns.
  command.configureHelp({ minWidthToWrap: 20, showGlobalOptions: true })
  for (const option of command.options) {
    const short = shortFlags[option.long ?? '']
    if (short === undefined || option.short) continue
    option.short = short
    option.flags = `${short}, ${option.flags}`
  }
  const refuse = (kind: Mistake['kind'], words: readonly string[]) => {
    throw new MistakeError({ command, kind, words })
  }
  // Overrides commander's methods, whose messages know no synonyms.
  Object.assign(command, {
    unknownCommand: () => refuse('command', command.args),
    unknownOption: (flag: string) => refuse('option', command.args.slice(command.args.indexOf(flag))),
    _excessArguments: (words: readonly string[]) => refuse('arguments', words),
  })
  command.addHelpText('before', (context) => {
    requireKnown(context)
    return ''
  })
  for (const inner of command.commands) configure(inner, inner.name() === 'file' ? path : `${path} ${inner.name()}`)
}

/** An unknown command of a group has no help. */
function requireKnown({ command }: { command: Command }): void {
  const words = command.args[0] === 'help' ? command.args.slice(1) : command.args
  const [name = '-'] = words
  const isKnown = name.startsWith('-') || command.commands.some((one) => one.name() === name)
  // A file may follow "import".
  if (command.commands.length > 0 && !isKnown && command.name() !== 'import')
    throw new MistakeError({ command, kind: 'command', words })
}

const isPlainWord = (word: unknown) =>
  typeof word === 'string' && /^[a-z]+(?:-[a-z]+)*$/.test(word) && !existsSync(word)

/** Runs the command line. @throws CommanderError, CommandError and errors of commands */
export async function runProgram(given: readonly string[]): Promise<void> {
  const [first, ...rest] = given
  const parameters = first === 'help' && rest.length > 0 ? [...rest, '--help'] : given
  const program = await createProgram(parameters)
  let used: Command | undefined
  program.hook('preAction', (_program, command) => {
    used = command
    if (command.name() === 'file' && command.parent?.name() === 'import' && isPlainWord(command.args[0]))
      throw new MistakeError({ command: command.parent, kind: 'command', words: command.args })
  })
  await program.parseAsync(parameters, { from: 'user' }).catch(async (error: unknown) => {
    if (error instanceof MistakeError)
      throw (await explanations()).explainMistake(error.cause as Mistake, await createProgram())
    if (error instanceof CommandError && 'code' in error && used) throw (await explanations()).inWordsOf(used, error)
    throw error
  })
}

const explanations = () => import('./usage-errors.ts')

/** Loaded only when used, or when the help lists all commands. */
const commands: Record<string, (inner?: string) => Promise<Command>> = {
  demo: async () => demoCommand(),
  login: async () => (await import('./login.ts')).loginCommand(),
  search: async () => (await import('./search.ts')).searchCommand(),
  scrape: async () => (await import('./scrape.ts')).scrapeCommand(),
  jobs: async () => (await import('./jobs.ts')).jobsCommand(),
  topics: async () => (await import('./topics.ts')).topicsCommand(),
  wishes: async () => (await import('./wishes.ts')).wishesCommand(),
  watches: async () => (await import('./watches.ts')).watchesCommand(),
  channels: async () => (await import('./channels.ts')).channelsCommand(),
  trackers: async () => (await import('./trackers.ts')).trackersCommand(),
  feeds: async () => (await import('./feeds.ts')).feedsCommand(),
  brief: async () => (await import('./brief.ts')).briefCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  sources: async () => (await import('./sources.ts')).sourcesCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  usage: async () => (await import('./usage.ts')).usageCommand(),
  accuracy: async () => (await import('./accuracy.ts')).accuracyCommand(),
  mcp: async () => (await import('./mcp.ts')).mcpCommand(),
  api: async () => (await import('./call.ts')).apiCommand(),
  admin: async (inner) => (await import('./admin.ts')).adminCommand(inner),
}

/** Turns options into the environment variables of this call. */
function applyGlobalOptions(program: Command, command: Command): void {
  const { url, key } = program.opts<{ url?: string; key?: string }>()
  const isOf = (group: string, one: Command | null): boolean =>
    one !== null && (one.name() === group || isOf(group, one.parent))
  for (const [name, value] of Object.entries({ url, key })) {
    if (value?.trim() === '') throw new CommandError(`--${name}: it is empty.`, exitCodes.usage)
  }
  const isAdmin = isOf('admin', command) || (command.name() === 'api' && isAdminPath(command.processedArgs[1]))
  if (url !== undefined) process.env.WISHWELL_URL = url
  if (key === undefined) return
  process.env[isAdmin ? 'ADMIN_API_KEY' : 'WISHWELL_API_KEY'] = key
  // The option outranks a file named by the environment.
  if (isAdmin) delete process.env.ADMIN_API_KEY_FILE
}

/** Builds all commands, or just `serve` and the one in `parameters`, which starts several times faster. */
export async function createProgram([name, inner]: readonly string[] = []): Promise<Command> {
  const program = new Command('wishwell')
    .description('Collects feature requests from public platforms, searches them, and meters live collection.')
    .version(version)
    .option('-u, --url <url>', 'the address of the service')
    .option(
      '-k, --key <key>',
      'your API key, or the admin key; other users of the machine may see it: rather "wishwell login"',
    )
    .addHelpText('after', helpEnd(help))
  program
    .command('serve')
    .description('run the service until it is stopped (also without a command)')
    .showHelpAfterError('(its settings are variables of the environment: PORT=8080 wishwell serve)')
    .action(async () => (await import('./serve.ts')).serve())
  const isOne = name !== undefined && (Object.hasOwn(commands, name) || name === 'serve')
  // Shells that load their completion on every start wait for this.
  const isNone = name === '--version' || (name === 'complete' && inner !== undefined && inner !== '--')
  for (const [other, load] of Object.entries(commands)) {
    if (isOne ? other === name : !isNone) program.addCommand(await load(isOne ? inner : undefined))
  }
  program.hook('preAction', (_program, command) => {
    requireIds(command)
    applyGlobalOptions(program, command)
  })
  configure(program)
  if (!isOne) {
    ;(await import('@bomb.sh/tab/commander')).default(program)
    const complete = program.commands.find((command) => command.name() === 'complete')
    complete?.description('print the completion script of a shell').usage('bash|zsh|fish|powershell')
  }
  return program
}

const demoHelp = `
It needs no platforms, no credentials and no internet, uses a temporary directory, and removes everything at its end. Every setting of
the service holds for it, too, but those of platforms: with DATA_DIR or DATABASE_URL, which must be empty, the data stay there; with
SMTP_URL mails are sent, and not shown in the mailbox of the demo.`

/** `wishwell demo`: the service with simulated platforms. */
function demoCommand(): Command {
  return new Command('demo')
    .description('run the service with sample data of simulated platforms, until it is stopped')
    .option('--exit', 'end after the first collection and a search', false)
    .addHelpText('after', helpEnd(demoHelp))
    .action(async (options: { exit: boolean }) => (await import('./demo/demo.ts')).runDemo(options))
}
