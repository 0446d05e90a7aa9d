import { Command } from 'commander'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import type { ListedFeed, NewFeedBody } from './news-calls.ts'
import { environmentHelp, helpEnd } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { formatRows, type Row } from './rows.ts'
import { printable } from './text.ts'

const help = `${environmentHelp}

The key needs the scope "manage". Who has the address of a feed can read it without a key, until it is removed.

Exit codes: 0 done; 1 the service refused, or has no such feed; 2 the command line or the environment is wrong; 3 the service
cannot be reached; 5 too many requests.`

const subcommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError(`(wishwell feeds ${name} --help shows every option)`)

const connect = () => {
  exitWhenOutputCloses()
  return createApi(readClientConfig()).news
}

interface AddOptions {
  topic?: string
  watch?: string
  search?: string
  name?: string
  json: boolean
}

function bodyOf({ topic, watch, search, name }: AddOptions): NewFeedBody {
  const bodies: NewFeedBody[] = [
    ...(topic === undefined ? [] : [{ kind: 'topic' as const, topic }]),
    ...(watch === undefined ? [] : [{ kind: 'watch' as const, watchId: watch }]),
    ...(search === undefined ? [] : [{ kind: 'search' as const, query: search }]),
  ]
  const [body] = bodies
  if (body === undefined || bodies.length > 1) {
    throw new CommandError('Give one of --topic, --watch, --search.', exitCodes.usage)
  }
  return name === undefined ? body : { ...body, name }
}

async function add(options: AddOptions): Promise<void> {
  const body = bodyOf(options)
  const answer = await connect().addFeed(body)
  const { feedId, url, jsonUrl } = answer.data
  if (options.json) printJson(answer)
  else {
    printLines([
      `Feed ${printable(feedId)}`,
      `Atom: ${printable(url)}   (shown only once)`,
      `JSON Feed: ${printable(jsonUrl)}`,
    ])
  }
}

function rowOf({ feedId, kind, name, topic, watchId, query, hint, lastReadAt }: ListedFeed): Row {
  const use = lastReadAt === null ? 'never read' : `read ${lastReadAt.slice(0, 10)}`
  return { title: name, facts: [`${kind} ${topic ?? query ?? watchId ?? ''}`, use, `${hint}…`], id: feedId }
}

async function list({ json }: { json: boolean }): Promise<void> {
  const answer = await connect().listFeeds()
  const { feeds } = answer.data
  if (json) printJson(answer)
  else printLines(feeds.length === 0 ? ['The account has no feeds.'] : formatRows(feeds.map(rowOf)))
}

async function remove(feedId: string, { json }: { json: boolean }): Promise<void> {
  const answer = await connect().removeFeed(feedId)
  if (json) printJson(answer)
  else printLines([`Feed ${printable(answer.data.feedId)} is deleted: its address opens nothing any more.`])
}

/** `wishwell feeds`: Atom and JSON feeds of topics, watches and searches. */
export function feedsCommand(): Command {
  const commands = [
    subcommand('create', 'create a feed and print its address, which is shown only once')
      .option('--topic <topic>', 'of the requests of a topic')
      .option('--watch <watchId>', 'of the news of a watch')
      .option('--search <query>', 'of the results of a search, the newest first')
      .option('--name <name>', 'its title')
      .action(add),
    subcommand('list', 'list the feeds: name, what they are of, use, first characters of the secret, id').action(list),
    subcommand('delete', 'delete a feed: its address opens nothing any more')
      .argument('<feedId>', 'as "wishwell feeds list" shows it')
      .action(remove),
  ]
  const feeds = new Command('feeds')
    .description('create, list and delete Atom and JSON feeds of topics, watches and searches (free)')
    .showHelpAfterError('(wishwell feeds --help shows every command)')
  for (const command of commands) feeds.addCommand(command)
  return feeds
}
