import { type Command, Option } from 'commander'
import { platformNames } from '../platforms/registry.ts'
import { confirm, requireSomebodyToAsk } from './confirm.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import type { Envelope, Operator } from './operator.ts'
import { operate, operatorCommand } from './operator-command.ts'
import { wholeNumber } from './options.ts'
import { noteLines } from './output.ts'
import { count, printable, shorten } from './text.ts'

interface Purged {
  purgeId: string | null
  dryRun: boolean
  matched: number
  matchedByPlatform: Record<string, number>
  deleted: number
  samples: { title: string; sourcePlatform: string; sourceUrl: string }[]
}

interface Selection {
  platform?: string
  olderThan?: number
  id?: string
  url?: string
  author?: string
}

interface PurgeOptions extends Selection {
  suppress?: boolean
  dryRun: boolean
  yes: boolean
  json: boolean
}

/** Every row of a large cache is looked at. */
const timeoutMs = 10 * 60_000
const sampleColumns = 60

const help = `
Everything that is given must fit; at most one of --older-than, --id, --url, --author. Nothing but an exact match fits:
  --id       the _id of a request, or with --platform the id that it has there; upper and lower case count
  --url      http or https, www., a closing slash, a #fragment and the order of parameters do not matter; a link with parameters
             also fits the page without any
  --author   a handle (ada, @ada: only a handle), a whole name, upper or lower case, or the address of a profile

What is purged by --id, --url or --author is suppressed: no later collection stores it again ("wishwell suppression").
Purging by --platform or --older-than is housekeeping and suppresses nothing. --suppress and --no-suppress say otherwise.
Credits, and what finished jobs counted, stay as they are. Backups made before still hold what is deleted.
`

/** What would be deleted, for people. */
function describeMatches({ matched, matchedByPlatform, samples }: Purged): string[] {
  if (matched === 0) return ['Nothing in the cache fits.']
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

function describePurged({ deleted, purgeId }: Purged): string[] {
  const suppressed = purgeId === null ? [] : [`What was named is suppressed (purge ${purgeId}).`]
  return [`${count(deleted, 'request')} deleted.`, ...suppressed]
}

/** @throws CommandError when the options say nothing, or contradict each other. */
function toBody({ platform, olderThan, id, url, author, suppress }: PurgeOptions) {
  const exclusive = Object.entries({ '--older-than': olderThan, '--id': id, '--url': url, '--author': author })
  const given = exclusive.filter(([, value]) => value !== undefined).map(([option]) => option)
  if (given.length > 1) throw new CommandError(`${given.join(' and ')} cannot be combined.`, exitCodes.usage)
  if (given.length === 0 && platform === undefined) {
    const message = 'Say what to purge: --platform, --older-than, --id, --url or --author.'
    throw new CommandError(message, exitCodes.usage)
  }
  return { platform, olderThanDays: olderThan, id, url, author, suppress }
}

/** Shows what fits, asks, and deletes it. With `--dry-run` it only looks. */
async function purge(operator: Operator, options: PurgeOptions): Promise<Envelope<Purged>> {
  const body = toBody(options)
  const send = (dryRun: boolean) =>
    operator.call<Purged>('/api/admin/purge', { method: 'POST', body: { ...body, dryRun }, timeoutMs })
  const preview = await send(true)
  if (options.dryRun) return preview
  noteLines(describeMatches(preview.data))
  const isNamed = (options.id ?? options.url ?? options.author) !== undefined
  const ending = (options.suppress ?? isNamed) ? 'and nothing of it is stored again.' : 'and may be collected again.'
  await confirm(`It is deleted for good, ${ending}`, options)
  return send(false)
}

/** `wishwell purge`: takes requests out of the cache. */
export function purgeCommand(): Command {
  return operatorCommand('purge', 'delete requests from the cache, and keep out what was deleted for a person', help)
    .addOption(new Option('--platform <platform>', 'only what is from there').choices(platformNames))
    .option('--older-than <days>', 'what was not refreshed for so many days', wholeNumber(1, 36_500))
    .option('--id <id>', 'one request')
    .option('--url <url>', 'what was asked there')
    .option('--author <author>', 'what somebody asked')
    .option('--suppress', 'never store it again (default with --id, --url, --author)')
    .option('--no-suppress', 'a later collection may store it again (default with --platform, --older-than)')
    .option('--dry-run', 'only show what would be deleted, and how many', false)
    .option('--yes', 'do not ask; required when nobody can be asked', false)
    .action((options: PurgeOptions) => {
      toBody(options)
      if (!options.dryRun) requireSomebodyToAsk(options)
      return operate<Purged>(
        options,
        (operator) => purge(operator, options),
        (data) => (data.dryRun ? describeMatches(data) : describePurged(data)),
      )
    })
}
