import { Command, Option } from 'commander'
import { platformNames } from '../platforms/registry.ts'
import type { Body } from './api-types.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { operate, operatorCommand } from './operator-command.ts'
import { defined } from './options.ts'
import { formatRows } from './rows.ts'

const hashes = (amount: number) => (amount === 1 ? '1 hash' : `${amount.toLocaleString('en-US')} hashes`)

const list = () =>
  operatorCommand(
    'list',
    'count the suppressed requests, and list the latest purges; only hashes of their ids are stored',
  ).action((options: { json: boolean }) =>
    operate(
      options,
      ({ api }) => api.GET('/api/admin/suppressions'),
      ({ entries, purges }) => [
        `${hashes(entries)} of what may not be stored again.`,
        ...formatRows(
          purges.map(({ purgeId, kinds, entries: own, createdAt }) => ({
            title: kinds.length === 0 ? 'platform or age' : kinds.join(', '),
            facts: [createdAt.slice(0, 10), hashes(own)],
            id: purgeId,
          })),
        ),
      ],
    ),
  )

interface LiftOptions {
  purge?: string
  platform?: Body<'liftSuppression'>['platform']
  id?: string
  sourceUrl?: string
  author?: string
  json: boolean
}

const lift = () =>
  operatorCommand(
    'lift',
    'let later collections store suppressed requests again; give the same option as for the purge',
  )
    .option('--purge <purgeId>', 'everything of one purge, as "wishwell admin suppressions list" shows it')
    .addOption(new Option('--platform <platform>', 'only there').choices(platformNames))
    .option('--id <id>', 'its id on the platform; needs --platform')
    .option('--source-url <url>', 'the request at this address')
    .option('--author <author>', 'every request of this author')
    .action(({ purge: purgeId, platform, id, sourceUrl: url, author, json }: LiftOptions) => {
      if ([purgeId, id, url, author].filter((given) => given !== undefined).length !== 1) {
        throw new CommandError('Give one of --purge, --id, --source-url, --author.', exitCodes.usage)
      }
      return operate(
        { json },
        ({ api }) =>
          api.POST('/api/admin/suppressions/lift', { body: defined({ purgeId, platform, id, url, author }) }),
        () => ['Lifted: the requests may be collected again.'],
      )
    })

/** `wishwell admin suppressions`: the requests that are never stored again. */
export function suppressionsCommand(): Command {
  const suppressions = new Command('suppressions').description('show and lift the suppressions of purges (admin key)')
  for (const command of [list(), lift()]) suppressions.addCommand(command)
  return suppressions
}
