import { Command } from 'commander'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { collectSource, collectValues, commaList, dateHelp, environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines, terminalColumns } from './output.ts'
import { defined, includeOption, statusHelp } from './search-options.ts'
import { printable } from './text.ts'
import type { WatchFields } from './watch-calls.ts'
import { formatPreview, formatRuns, formatWatch, formatWatches } from './watch-lines.ts'

const help = `${environmentHelp}

Exit codes: 0 done; 1 the service refused, or has no such watch; 2 the command line or the environment is wrong; 3 the service
cannot be reached; 5 out of credits, or too many requests.

Examples:
  wishwell watch add "dark mode"
  wishwell watch preview "dark mode" --schedule weekly --credits 40
  wishwell watch add "dark mode" --schedule daily --timezone Europe/Berlin --credits 60
  wishwell watch add "offline sync" --schedule "15 8 * * MON" --source github:owner/repository --credits 10
  wishwell watch change 5f0c… --credits 90 --min-votes 5 --no-goal`

const subcommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError(`(wishwell watch ${name} --help shows every option)`)

const watchId = 'as "watch list" shows it'

/** The options that say when a watch runs and what it collects. */
const addTerms = (command: Command): Command =>
  command
    .option('--schedule <schedule>', 'hourly, daily, weekly, monthly or a cron expression of five fields (new: daily)')
    .option('--timezone <name>', 'the time zone of the schedule, such as Europe/Berlin (new: UTC)')
    .option('--platforms <names>', "comma list of platforms (new: the service's own list)", commaList)
    .option(
      '--source <platform:source>',
      'collect only from this public source of a platform, such as a repository; may be repeated',
      collectSource,
    )
    .option(
      '--depth <pages>',
      'pages per platform and run, 1 to 40; each page costs 1 credit (new: 1)',
      wholeNumber(1, 40),
    )
    .option(
      '--credits <credits>',
      'the most credits that all runs of a UTC month cost; what they cannot pay is skipped (new: what the runs of 31 days cost at most, within the plan)',
      wholeNumber(1, maxCredits),
    )

/** The options that say what is told, and to whom. */
const addTelling = (command: Command): Command =>
  command
    .option('--goal <text>', 'what fits, in your words; other news are on a second list')
    .option('--channel <channelId>', 'a channel that is told of its news; may be repeated', collectValues)
    .option('--reports-quiet', 'send a report without news, too')
    .option('--tag <tag>', 'only requests with this tag are news; may be repeated', collectValues)
    .option('--min-votes <votes>', 'only requests with at least so many votes are news', wholeNumber(0, 2_147_483_647))
    .option('--since <date>', dateHelp.since)
    .option('--until <date>', dateHelp.until)
    .addOption(includeOption())
    .option('--status <statuses>', statusHelp, commaList)

const maxCredits = 1_000_000_000
const topic = 'the topic of the requests, 2 to 100 characters; quote it when it has spaces'

const changeSubcommand = () =>
  addTelling(addTerms(subcommand('change', 'change a watch; what is not given stays').argument('<watchId>', watchId)))
    .option('--name <name>', 'how people call it')
    .option('--no-goal', 'remove its goal')
    .option('--no-channels', 'tell no channel of it')
    .option('--no-sources', "collect from the service's own sources")
    .option('--no-reports-quiet', 'send no report without news')
    .option('--no-filters', 'all requests are news; options that filter replace all filters of the watch')

/** `wishwell watch`: topics that are collected by a schedule. */
export function watchCommand(): Command {
  const commands = [
    addTelling(addTerms(subcommand('add', 'watch a topic (each run costs credits)').argument('<topic>', topic)))
      .option('--name <name>', 'how people call it (default: the topic)')
      .action(add),
    addTerms(
      subcommand('preview', 'show when a watch would run, and what that costs at most').argument('<topic>', topic),
    ).action(preview),
    changeSubcommand().action(change),
    subcommand('list', 'list the watches of the account').action(list),
    subcommand('show', 'show a watch and its next runs; counts as a look').argument('<watchId>', watchId).action(show),
    subcommand('pause', 'pause a watch').argument('<watchId>', watchId).action(pause),
    subcommand('resume', 'have a watch go on that is paused or asks').argument('<watchId>', watchId).action(resume),
    subcommand('run', 'run a watch now (costs credits)').argument('<watchId>', watchId).action(run),
    subcommand('history', 'list the runs of a watch, the last first')
      .argument('<watchId>', watchId)
      .option('--limit <runs>', 'maximum to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(history),
    subcommand('remove', 'remove a watch with its history and news; what it collected stays')
      .argument('<watchId>', watchId)
      .action(remove),
  ]
  const watch = new Command('watch')
    .description('watch topics: collect them by a schedule, within a budget of credits a month')
    .showHelpAfterError('(wishwell watch --help shows every command)')
  for (const command of commands) watch.addCommand(command)
  return watch
}

const connect = () => {
  exitWhenOutputCloses()
  return createApi(readClientConfig()).watches
}

/** Prints an answer as JSON, or as lines. */
function print<Answer>(json: boolean, answer: Answer, lines: (answer: Answer) => string[]): void {
  if (json) printJson(answer)
  else printLines(lines(answer))
}

/** The `--no-` options are true unless they are given, or false. */
interface TermsOptions {
  schedule?: string
  timezone?: string
  platforms?: string[]
  source?: Record<string, string[]>
  depth?: number
  credits?: number
  name?: string
  goal?: string | boolean
  channel?: string[]
  channels?: boolean
  sources?: boolean
  filters?: boolean
  reportsQuiet?: boolean
  tag?: string[]
  minVotes?: number
  since?: string
  until?: string
  include?: string
  status?: string[]
  json: boolean
}

const isGiven = (value: unknown): boolean => value !== undefined

/** The options in the form of the API: only what was given. */
function fieldsOf(options: TermsOptions): WatchFields {
  const { schedule, timezone, platforms, source, depth, credits: monthlyCredits, name, channel, reportsQuiet } = options
  const { tag: tags, minVotes, since, until, include, status } = options
  const filters = defined({ tags, minVotes, since, until, include, status })
  const goal = options.goal === false ? null : options.goal === true ? undefined : options.goal
  return {
    ...defined({ name, schedule, timezone, platforms, depth, monthlyCredits, goal, reportsQuiet }),
    ...(options.sources === false ? { sources: null } : source ? { sources: source } : {}),
    ...(options.channels === false ? { channels: [] } : channel ? { channels: channel } : {}),
    ...(options.filters === false || Object.values(filters).some(isGiven) ? { filters } : {}),
  }
}

async function add(topic: string, options: TermsOptions): Promise<void> {
  print(options.json, await connect().add({ topic, ...fieldsOf(options) }), ({ data }) => formatWatch(data))
}

async function change(id: string, options: TermsOptions): Promise<void> {
  const fields = fieldsOf(options)
  if (Object.keys(fields).length === 0) {
    throw new CommandError('Give at least one option that says what changes.', exitCodes.usage)
  }
  print(options.json, await connect().change(id, fields), ({ data }) => formatWatch(data))
}

async function preview(topic: string, options: TermsOptions): Promise<void> {
  print(options.json, await connect().preview({ topic, ...fieldsOf(options) }), ({ data }) => formatPreview(data))
}

async function list({ json }: { json: boolean }): Promise<void> {
  print(json, await connect().list(), ({ data: { watches } }) =>
    watches.length === 0 ? ['No watches.'] : formatWatches(watches, terminalColumns()),
  )
}

async function show(id: string, { json }: { json: boolean }): Promise<void> {
  const watches = connect()
  await watches.look(id)
  print(json, await watches.read(id), ({ data }) => formatWatch(data))
}

async function pause(id: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().change(id, { state: 'paused' }), ({ data }) => [
    `Paused. It goes on with: wishwell watch resume ${printable(data.watchId)}`,
  ])
}

async function resume(id: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().resume(id), ({ data }) => formatWatch(data))
}

async function run(id: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().run(id), ({ data }) => [
    `Started job ${printable(data.jobId)}. See it with: wishwell jobs show ${printable(data.jobId)}`,
  ])
}

async function history(
  id: string,
  { json, ...query }: { limit?: number; cursor?: string; json: boolean },
): Promise<void> {
  const answer = await connect().history(id, query)
  const limit = query.limit === undefined ? '' : ` --limit ${query.limit}`
  print(json, answer, ({ data: { runs, cursor } }) => [
    ...(runs.length === 0 ? ['No runs.'] : formatRuns(runs)),
    ...(cursor === null ? [] : [`More: wishwell watch history ${printable(id)}${limit} --cursor ${printable(cursor)}`]),
  ])
}

async function remove(id: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().remove(id), ({ data }) => [`Removed: ${printable(data.watchId)}`])
}
