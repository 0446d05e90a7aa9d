import { Command, Option } from 'commander'
import { storedPlatformNames } from '../platforms/registry.ts'
import { wholeList } from './api.ts'
import type { Body, Data } from './api-types.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import type { Operator } from './operator.ts'
import { confirm, operate, operatorCommand, plainly, requireSomebodyToAsk } from './operator-command.ts'
import { defined, wholeNumber } from './options.ts'
import { formatRows, noteLines } from './output.ts'
import { count, formatDay, printable, shorten } from './text.ts'

type Purged = Data<'purgeRequests'>

interface PurgeOptions {
  platform?: Body<'purgeRequests'>['platform']
  olderThan?: number
  id?: string
  sourceUrl?: string
  author?: string
  suppress?: boolean
  dryRun: boolean
  yes: boolean
  json: boolean
}

/** A purge reads every stored request. */
const timeoutMs = 10 * 60_000
const sampleColumns = 60

const help = `
A request must match every given option; at most one of --older-than, --id, --source-url, --author. Only an exact match counts:
  --id       the _id of a request, or with --platform its id on that platform; case-sensitive
  --source-url   http or https, www., a trailing slash, a #fragment and the order of parameters do not matter; an address with
             parameters also matches the same page without them
  --author   a handle (ada; @ada matches handles only), a full name in any case, or the address of a profile

Requests purged by --id, --source-url or --author are suppressed: no later collection stores them again ("wishwell admin suppressions").
A purge by --platform or --older-than suppresses nothing. --suppress and --no-suppress override this.
Credits and the counts of finished jobs do not change. Backups made earlier still contain the deleted requests.
`

/** Describes the requests that would be deleted. */
function describeMatches({ matched, matchedByPlatform, samples }: Purged): string[] {
  if (matched === 0) return ['No stored request matches.']
  const byPlatform = Object.entries(matchedByPlatform).map(
    ([name, amount]) => `${name} ${amount.toLocaleString('en-US')}`,
  )
  const lines = samples.map(
    ({ title, sourceUrl }) => `  ${shorten(printable(title), sampleColumns)}  ${printable(sourceUrl)}`,
  )
  const rest = matched - samples.length
  return [
    `${count(matched, 'request')} to delete (${byPlatform.join(', ')}):`,
    ...lines,
    ...(rest > 0 ? [`  … and ${rest.toLocaleString('en-US')} more`] : []),
  ]
}

/** @throws CommandError without a selection, or with two exclusive ones. */
function toBody({ platform, olderThan, id, sourceUrl: url, author, suppress }: PurgeOptions) {
  const exclusive = Object.entries({ '--older-than': olderThan, '--id': id, '--source-url': url, '--author': author })
  const given = exclusive.filter(([, value]) => value !== undefined).map(([option]) => option)
  if (given.length > 1) throw new CommandError(`${given.join(' and ')} cannot be combined.`, exitCodes.usage)
  if (given.length === 0 && platform === undefined) {
    const message = 'Say what to purge: --platform, --older-than, --id, --source-url or --author.'
    throw new CommandError(message, exitCodes.usage)
  }
  return defined({ platform, olderThanDays: olderThan, id, url, author, suppress })
}

/** Shows the matching requests, asks, and deletes them; with `--dry-run` it only shows them. */
async function purge({ api }: Operator, options: PurgeOptions) {
  const body = toBody(options)
  const send = (dryRun: boolean) => api.POST('/api/admin/purge', { body: { ...body, dryRun } })
  const preview = await send(true)
  if (options.dryRun) return preview
  noteLines(describeMatches(preview.data!.data))
  const isNamed = (options.id ?? options.sourceUrl ?? options.author) !== undefined
  const ending = (options.suppress ?? isNamed) ? 'and never stored again.' : 'and may be collected again.'
  await confirm(`They are deleted for good ${ending}`, options)
  return send(false)
}

/** `wishwell admin purge`: deletes stored requests. */
export function purgeCommand(): Command {
  return operatorCommand(
    'purge',
    'delete stored requests; those named by id, address or author are never stored again',
    help,
  )
    .addOption(new Option('--platform <platform>', 'only what is from there').choices(storedPlatformNames))
    .option('--older-than <days>', 'requests that were not refreshed for so many days', wholeNumber(1, 36_500))
    .option('--id <id>', 'the request with this id')
    .option('--source-url <url>', 'the request at this address')
    .option('--author <author>', 'every request of this author')
    .option('--suppress', 'never store it again (default with --id, --source-url, --author)')
    .option('--no-suppress', 'a later collection may store it again (default with --platform, --older-than)')
    .option('--dry-run', 'only show what would be deleted, and how many', false)
    .option('--yes', 'do not ask for confirmation; required without a terminal', false)
    .action((options: PurgeOptions) => {
      toBody(options)
      if (!options.dryRun) requireSomebodyToAsk(options)
      return operate(
        options,
        (operator) => purge(operator, options),
        (data) => {
          if (data.dryRun) return describeMatches(data)
          const suppressed = data.purgeId === null ? [] : [`They are suppressed (purge ${data.purgeId}).`]
          return [`${count(data.deleted, 'request')} deleted.`, ...suppressed]
        },
        { timeoutMs },
      )
    })
}

const hashes = (amount: number) => (amount === 1 ? '1 hash' : `${amount.toLocaleString('en-US')} hashes`)

const list = () =>
  operatorCommand(
    'list',
    'count the suppressed requests, and list the latest purges; only hashes of their ids are stored',
  ).action((options: { json: boolean }) =>
    operate(
      options,
      ({ api }) => wholeList((query) => api.GET('/api/admin/suppressions', { params: { query } })),
      ({ entries, results }) => [
        `${hashes(entries)} of what may not be stored again.`,
        ...formatRows(
          results.map(({ purgeId, kinds, entries: own, createdAt }) => ({
            title: kinds.length === 0 ? 'platform or age' : kinds.join(', '),
            facts: [formatDay(createdAt), hashes(own)],
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
}

/** @throws CommandError unless exactly one selection is given. */
function lifted({ purge: purgeId, platform, id, sourceUrl: url, author }: LiftOptions) {
  if ([purgeId, id, url, author].filter((given) => given !== undefined).length !== 1) {
    throw new CommandError('Give one of --purge, --id, --source-url, --author.', exitCodes.usage)
  }
  return defined({ purgeId, platform, id, url, author })
}

const lift = () =>
  operatorCommand(
    'lift',
    'let later collections store suppressed requests again; give the same option as for the purge',
  )
    .option('--purge <purgeId>', 'everything of one purge, as "wishwell admin suppressions list" shows it')
    .addOption(new Option('--platform <platform>', 'only there').choices(storedPlatformNames))
    .option('--id <id>', 'its id on the platform; needs --platform')
    .option('--source-url <url>', 'the request at this address')
    .option('--author <author>', 'every request of this author')
    .action(
      plainly.call('post', '/api/admin/suppressions/lift', () => ['Lifted: the requests may be collected again.'], {
        body: lifted,
      }),
    )

/** `wishwell admin suppressions`: requests that are never stored again. */
export function suppressionsCommand(): Command {
  const suppressions = new Command('suppressions').description('show and lift the suppressions of purges (admin key)')
  for (const command of [list(), lift()]) suppressions.addCommand(command)
  return suppressions
}
