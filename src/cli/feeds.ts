import type { Command } from 'commander'
import { once, wholeList } from './api.ts'
import type { Body, Data } from './api-types.ts'
import { commandGroup, type Json, printAnswer, subcommandsOf } from './client-command.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { defined } from './options.ts'
import { formatList, type Row } from './output.ts'
import { printable } from './text.ts'

const subcommand = subcommandsOf('feeds', {
  notes:
    'The key needs the scope "manage". Who has the address of a feed can read it without a key, until it is removed.',
  failed: 'the service refused, or has no such feed',
})

interface AddOptions {
  topic?: string
  watch?: string
  search?: string
  name?: string
  json: boolean
}

async function add({ topic, watch: watchId, search: query, name, json }: AddOptions): Promise<void> {
  const of = defined({ topic, watchId, query })
  if (Object.keys(of).length !== 1) throw new CommandError('Give one of --topic, --watch, --search.', exitCodes.usage)
  const kind = topic !== undefined ? 'topic' : watchId !== undefined ? 'watch' : 'search'
  const body = { kind, ...of, ...defined({ name }) } satisfies Body<'createFeed'>
  await printAnswer(
    { json },
    (api) => api.POST('/api/v1/feeds', { params: { header: once() }, body }),
    ({ data }) => [
      `Feed ${printable(data.feedId)}`,
      `Atom: ${printable(data.url)}   (shown only once)`,
      `JSON Feed: ${printable(data.jsonUrl)}`,
    ],
  )
}

function rowOf({
  feedId,
  kind,
  name,
  topic,
  watchId,
  query,
  hint,
  lastReadAt,
}: Data<'listFeeds'>['results'][number]): Row {
  const use = lastReadAt === null ? 'never read' : `read ${lastReadAt.slice(0, 10)}`
  return { title: name, facts: [`${kind} ${topic ?? query ?? watchId ?? ''}`, use, `${hint}…`], id: feedId }
}

const list = (options: Json) =>
  printAnswer(
    options,
    (api) => wholeList((query) => api.GET('/api/v1/feeds', { params: { query } })),
    ({ data: { results } }) => formatList(results, rowOf, 'The account has no feeds.'),
  )

const remove = (feedId: string, options: Json) =>
  printAnswer(
    options,
    (api) => api.DELETE('/api/v1/feeds/{feedId}', { params: { path: { feedId } } }),
    ({ data }) => [`Feed ${printable(data.feedId)} is deleted: its address opens nothing any more.`],
  )

/** `wishwell feeds`: Atom and JSON feeds of topics, watches and searches. */
export const feedsCommand = (): Command =>
  commandGroup('feeds', 'create, list and delete Atom and JSON feeds of topics, watches and searches (free)', [
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
  ])
