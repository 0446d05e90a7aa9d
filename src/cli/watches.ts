import { Command } from 'commander'
import { isBeyondScope } from './answers.ts'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { newsCommand } from './news.ts'
import { environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { formatRows } from './rows.ts'
import { printable } from './text.ts'
import { formatPreview, formatWatch, runRow, watchRow } from './watch-lines.ts'
import { addTelling, addTerms, fieldsOf, type TermsOptions } from './watch-options.ts'

const help = `${environmentHelp}

Exit codes: 0 done; 1 the service refused, or has no such watch; 2 the command line or the environment is wrong; 3 the service
cannot be reached; 5 out of credits, or too many requests.

Examples:
  wishwell watches create "dark mode"
  wishwell watches preview "dark mode" --schedule weekly --credits 40
  wishwell watches create "dark mode" --schedule daily --timezone Europe/Berlin --credits 60
  wishwell watches create "offline sync" --schedule "15 8 * * MON" --source github:owner/repository --credits 10
  wishwell watches update 5f0c… --credits 90 --min-votes 5 --no-goal`

const subcommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError(`(wishwell watches ${name} --help shows every option)`)

const watchId = 'as "wishwell watches list" shows it'

const topic = 'the topic of the requests, 2 to 100 characters; quote it when it has spaces'

const changeSubcommand = () =>
  addTelling(addTerms(subcommand('update', 'change a watch; what is not given stays').argument('<watchId>', watchId)))
    .option('--name <name>', 'how people call it')
    .option('--no-goal', 'remove its goal')
    .option('--no-channels', 'tell no channel of it')
    .option('--no-sources', "collect from the service's own sources")
    .option('--no-reports-quiet', 'send no report without news')
    .option('--no-filters', 'all requests are news; options that filter replace all filters of the watch')

/** `wishwell watches`: topics that are collected by a schedule. */
export function watchesCommand(): Command {
  const commands = [
    addTelling(addTerms(subcommand('create', 'watch a topic (each run costs credits)').argument('<topic>', topic)))
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
    subcommand('runs', 'list the runs of a watch, the last first')
      .argument('<watchId>', watchId)
      .option('--limit <runs>', 'maximum to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(history),
    subcommand('delete', 'delete a watch with its history and news; what it collected stays')
      .argument('<watchId>', watchId)
      .action(remove),
    newsCommand(),
  ]
  const watches = new Command('watches')
    .description('watch topics: collect them by a schedule, within a budget of credits a month')
    .showHelpAfterError('(wishwell watches --help shows every command)')
  for (const command of commands) watches.addCommand(command)
  return watches
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
    watches.length === 0 ? ['No watches.'] : formatRows(watches.map(watchRow)),
  )
}

async function show(id: string, { json }: { json: boolean }): Promise<void> {
  const watches = connect()
  // Who may only read sees the watch, too, but keeps it from nothing.
  await watches.look(id).catch((error: unknown) => {
    if (!isBeyondScope(error)) throw error
  })
  print(json, await watches.read(id), ({ data }) => formatWatch(data))
}

async function pause(id: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().change(id, { state: 'paused' }), ({ data }) => [
    `Paused. It goes on with: wishwell watches resume ${printable(data.watchId)}`,
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
    ...(runs.length === 0 ? ['No runs.'] : formatRows(runs.map(runRow))),
    ...(cursor === null ? [] : [`More: wishwell watches runs ${printable(id)}${limit} --cursor ${printable(cursor)}`]),
  ])
}

async function remove(id: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().remove(id), ({ data }) => [`Deleted: ${printable(data.watchId)}`])
}
