import type { Command } from 'commander'
import type { Body, Data } from './api-types.ts'
import { commandGroup, subcommandsOf } from './client-command.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { defined } from './options.ts'
import type { Row } from './output.ts'
import { plain } from './plain-actions.ts'
import { formatDay, printable } from './text.ts'

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
}

function newFeed({ topic, watch: watchId, search: query, name }: AddOptions): Body<'createFeed'> {
  const of = defined({ topic, watchId, query })
  if (Object.keys(of).length !== 1) throw new CommandError('Give one of --topic, --watch, --search.', exitCodes.usage)
  const kind = topic !== undefined ? 'topic' : watchId !== undefined ? 'watch' : 'search'
  return { kind, ...of, ...defined({ name }) }
}

const made = ({ feedId, url, jsonUrl }: Data<'createFeed'>) => [
  `Feed ${printable(feedId)}`,
  `Atom: ${printable(url)}   (shown only once)`,
  `JSON Feed: ${printable(jsonUrl)}`,
]

function rowOf(feed: Data<'listFeeds'>['results'][number]): Row {
  const subject = feed.topic ?? feed.query ?? feed.watchId ?? ''
  const use = feed.lastReadAt === null ? 'never read' : `read ${formatDay(feed.lastReadAt)}`
  return { title: feed.name, facts: [`${feed.kind} ${subject}`, use, `${feed.hint}…`], id: feed.feedId }
}

/** `wishwell feeds`: Atom and JSON feeds of topics, watches and searches. */
export const feedsCommand = (): Command =>
  commandGroup('feeds', 'create, list and delete Atom and JSON feeds of topics, watches and searches (free)', [
    subcommand('create', 'create a feed and print its address, which is shown only once')
      .option('--topic <topic>', 'of the requests of a topic')
      .option('--watch <watchId>', 'of the news of a watch')
      .option('--search <query>', 'of the results of a search, the newest first')
      .option('--name <name>', 'its title')
      .action(plain.call('post', '/api/v1/feeds', made, { body: newFeed, isOnce: true })),
    subcommand('list', 'list the feeds: name, what they are of, use, first characters of the secret, id').action(
      plain.list('/api/v1/feeds', rowOf, 'The account has no feeds.'),
    ),
    subcommand('delete', 'delete a feed: its address opens nothing any more')
      .argument('<feedId>', 'as "wishwell feeds list" shows it')
      .action(
        plain.call('delete', '/api/v1/feeds/{feedId}', (gone) => [
          `Feed ${printable(gone.feedId)} is deleted: its address opens nothing any more.`,
        ]),
      ),
  ])
