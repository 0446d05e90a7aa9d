import { type Command, InvalidArgumentError, Option } from 'commander'
import { disabledReasons } from '../notifications/channels/adapter.ts'
import type { Body, Data, Schemas } from './api-types.ts'
import { commandGroup, type Json, printAnswer, subcommandsOf } from './client-command.ts'
import { exitCodes } from './exit-codes.ts'
import { readInput } from './input-file.ts'
import { changes, commaList, defined, wholeNumber } from './options.ts'
import { formatRow, type Row } from './output.ts'
import { plain } from './plain-actions.ts'
import { count, formatMoment, printable } from './text.ts'
import { muteOption } from './watch-options.ts'

const subcommand = subcommandsOf('channels', {
  notes: `Addresses and tokens are secrets: give them with --field-file, so that no list of processes and no history of a shell has them.`,
  failed: 'the service refused, has no such channel, or a test was not delivered',
})

const types: Schemas['Channel']['type'][] = ['webhook', 'email', 'slack', 'discord', 'ntfy', 'apprise']

const reasons: Readonly<Record<string, string>> = disabledReasons

const channelId = 'as "wishwell channels list" shows it'
const ofChannel = '/api/v1/channels/{channelId}'

/** Collects repeated `name=value` options. */
export function collectField(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([a-zA-Z]+)=(.+)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.')
  return { ...before, [name]: value }
}

const addSettings = (command: Command): Command =>
  command
    .option('--events <types>', 'comma list of the events that it subscribes to, such as credits.low', commaList)
    .addOption(muteOption('of watches that it is not told'))
    .addOption(new Option('--cadence <cadence>', 'at once, or as a digest').choices(['now', 'daily', 'weekly']))
    .option('--timezone <zone>', 'of the reader, for digests, such as Europe/Berlin')
    .option('--hour <hour>', 'the local hour of digests, 0 to 23', wholeNumber(0, 23))

/** `wishwell channels`: where the account is told of events. */
export const channelsCommand = (): Command =>
  commandGroup(
    'channels',
    'create, list, test and delete channels: where the account is told of news and alerts (free)',
    [
      addSettings(
        subcommand('create', 'create a channel; the secret of a webhook is shown only once')
          .argument('<type>', types.join(', '))
          .argument('<name>', 'a name for people')
          .option('--field <name=value>', 'a field of the type, such as tag=team; repeat it for several', collectField)
          .option('--field-file <name=file>', 'the same, read from a file; - for stdin, such as url=-', collectField),
      ).action(plain.call('post', '/api/v1/channels', made, { body: newChannel, isOnce: true })),
      addSettings(
        subcommand('update', 'change what a channel is told, and when; what is not given stays')
          .argument('<channelId>', channelId)
          .option('--name <name>', 'a name for people')
          .option('--no-events', 'subscribe to no events')
          .option('--no-mute', 'be told every kind of news'),
      ).action(plain.call('patch', ofChannel, lineOf, { body: (options: Settings) => changes(settingsOf(options)) })),
      subcommand('list', 'list the channels').action(
        plain.list('/api/v1/channels', rowOf, 'The account has no channels.'),
      ),
      subcommand('show', 'show a channel')
        .argument('<channelId>', channelId)
        .action(plain.call('get', ofChannel, lineOf)),
      subcommand('test', 'send a test at once').argument('<channelId>', channelId).action(test),
      subcommand('enable', 'have a disabled channel deliver again')
        .argument('<channelId>', channelId)
        .action(plain.call('patch', ofChannel, lineOf, { body: () => ({ state: 'active' as const }) })),
      subcommand('delete', 'delete a channel with its log')
        .argument('<channelId>', channelId)
        .action(plain.call('delete', ofChannel, (gone) => [`Channel ${printable(gone.channelId)} is deleted.`])),
      subcommand('deliveries', 'list the deliveries on a channel, the newest first')
        .argument('<channelId>', channelId)
        .option('--limit <deliveries>', 'maximum to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
        .option('--cursor <cursor>', 'continue where an earlier list ended')
        .action(plain.page(`${ofChannel}/deliveries`, rowOfDelivery, 'No deliveries.', 'channels deliveries')),
      subcommand('replay', 'send an ended delivery again')
        .argument('<channelId>', channelId)
        .argument('<deliveryId>', 'as "wishwell channels deliveries" shows it')
        .action(plain.call('post', `${ofChannel}/deliveries/{deliveryId}/replay`, replayed, { isOnce: true })),
    ],
  )

/** A file's content, trimmed. */
export const readFieldFile = (name: string, file: string): string =>
  readInput(file, `--field-file ${name}`).toString().trim()

export interface GivenFields {
  field?: Record<string, string>
  fieldFile?: Record<string, string>
}

/** A type's fields, including those read from files. */
export const fieldsOf = ({ field, fieldFile = {} }: GivenFields): Record<string, string> => ({
  ...field,
  ...Object.fromEntries(Object.entries(fieldFile).map(([name, file]) => [name, readFieldFile(name, file)])),
})

type Made = Body<'createChannel'>

/** The `--no-` options are false if given. */
interface Settings extends Json, Pick<Made, 'cadence' | 'timezone' | 'hour'> {
  name?: string
  events?: Made['events'] | boolean
  mute?: Made['mutedNews'] | boolean
}

/** The given settings in the API's form. */
const settingsOf = ({ json: _, events, mute, ...given }: Settings) => ({
  ...given,
  ...defined({ events: listOf(events), mutedNews: listOf(mute) }),
})
const listOf = <T>(given: T[] | boolean | undefined) => (given === false ? [] : given === true ? undefined : given)

type AddOptions = Settings & GivenFields

const newChannel = (
  type: Made['type'],
  name: string,
  { field = {}, fieldFile = {}, ...settings }: AddOptions,
): Made => ({
  type,
  ...settingsOf(settings),
  name,
  ...fieldsOf({ field, fieldFile }),
})

const made = ({ channelId, state, secret }: Data<'createChannel'>) => [
  `Channel ${printable(channelId)}`,
  ...(secret === undefined ? [] : [`Secret: ${printable(secret)}   (shown only once)`]),
  ...(state === 'unconfirmed' ? ['It gets nothing until the address is confirmed: see its mail.'] : []),
  `Test it with: wishwell channels test ${printable(channelId)}`,
]

function rowOf(channel: Schemas['Channel']): Row {
  const { events, mutedNews, cadence, state, disabledReason, failingSince, pending } = channel
  const when = cadence === 'now' ? 'at once' : `${cadence} at ${channel.hour}:00 ${channel.timezone}`
  const notes = [
    mutedNews.length === 0 ? '' : `muted: ${mutedNews.join(', ')}`,
    state === 'active'
      ? ''
      : disabledReason === null
        ? state
        : `disabled: ${reasons[disabledReason] ?? disabledReason}`,
    failingSince === null ? '' : `failing since ${formatMoment(failingSince)}`,
    pending === 0 ? '' : `${pending} pending`,
    channel.waitsForKey ? 'sealed with a key that the service does not have: nothing is delivered' : '',
  ]
  const subscriptions = events.length === 0 ? 'no subscriptions' : events.join(', ')
  return {
    title: channel.name,
    facts: [channel.type, channel.target, when, subscriptions, ...notes],
    id: channel.channelId,
  }
}

const test = (channelId: string, options: Json) =>
  printAnswer(
    options,
    async (api) => {
      const answer = await api.POST('/api/v1/channels/{channelId}/test', { params: { path: { channelId } } })
      if (!answer.data?.data.delivered) process.exitCode = exitCodes.failed
      return answer
    },
    ({ data: { delivered, error } }) => [delivered ? 'Delivered.' : `Not delivered. ${printable(error ?? '')}`],
  )

const lineOf = (channel: Schemas['Channel']) => [formatRow(rowOf(channel))]

const replayed = ({ deliveryId }: Data<'replayDelivery'>) => [`Delivery ${printable(deliveryId)} will be sent again.`]

const rowOfDelivery = (delivery: Data<'listDeliveries'>['results'][number]): Row => {
  const { deliveryId, type, state, attempts, createdAt, dueAt, status, error } = delivery
  const next = dueAt === null ? '' : `next ${formatMoment(dueAt)}`
  const made = formatMoment(createdAt)
  const facts = [made, state, count(attempts, 'attempt'), status === null ? '' : String(status), next, error ?? '']
  return { title: type, facts, id: deliveryId }
}
