import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { ChannelDescription } from '../channels/store/channels.ts'
import type { DeliveryDescription } from '../channels/store/deliveries.ts'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { commaList, environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { formatRow, formatRows, type Row } from './rows.ts'
import { count, printable } from './text.ts'

const help = `${environmentHelp}

Addresses and tokens are secrets: give them with --field-file, so that no list of processes and no history of a shell has them.

Exit codes: 0 done; 1 the service refused, has no such channel, or a test was not delivered; 2 the command line or the environment is
wrong; 3 the service cannot be reached; 5 too many requests.`

// Not imported from src/channels/: clients must start without loading the service.
const types = ['webhook', 'email', 'slack', 'discord', 'ntfy', 'apprise']

const subcommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError(`(wishwell channels ${name} --help shows every option)`)

/** `name=value` into the values before it. */
function collectField(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([a-zA-Z]+)=(.+)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.')
  return { ...before, [name]: value }
}

/** `wishwell channels`: where the account is told of events. */
export function channelsCommand(): Command {
  const commands = [
    subcommand('create', 'create a channel; the secret of a webhook is shown only once')
      .argument('<type>', types.join(', '))
      .argument('<name>', 'a name for people')
      .option('--field <name=value>', 'a field of the type, such as tag=team; repeat it for several', collectField)
      .option('--field-file <name=file>', 'the same, read from a file; - for stdin, such as url=-', collectField)
      .option('--events <types>', 'comma list of the events that it subscribes to, such as credits.low', commaList)
      .addOption(new Option('--cadence <cadence>', 'at once, or as a digest').choices(['now', 'daily', 'weekly']))
      .option('--timezone <zone>', 'of the reader, for digests, such as Europe/Berlin')
      .option('--hour <hour>', 'the local hour of digests, 0 to 23', wholeNumber(0, 23))
      .action(add),
    subcommand('list', 'list the channels').action(list),
    subcommand('show', 'show a channel').argument('<channelId>', 'as "wishwell channels list" shows it').action(show),
    subcommand('test', 'send a test at once')
      .argument('<channelId>', 'as "wishwell channels list" shows it')
      .action(test),
    subcommand('enable', 'have a disabled channel deliver again')
      .argument('<channelId>', 'as "wishwell channels list" shows it')
      .action(enable),
    subcommand('delete', 'delete a channel with its log')
      .argument('<channelId>', 'as "wishwell channels list" shows it')
      .action(remove),
    subcommand('deliveries', 'list the deliveries on a channel, the newest first')
      .argument('<channelId>', 'as "wishwell channels list" shows it')
      .option('--limit <deliveries>', 'maximum to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(listDeliveries),
    subcommand('replay', 'send an ended delivery again')
      .argument('<channelId>', 'as "wishwell channels list" shows it')
      .argument('<deliveryId>', 'as "wishwell channels deliveries" shows it')
      .action(replay),
  ]
  const channels = new Command('channels')
    .description('create, list, test and delete channels: where the account is told of news and alerts (free)')
    .showHelpAfterError('(wishwell channels --help shows every command)')
  for (const command of commands) channels.addCommand(command)
  return channels
}

const connect = () => {
  exitWhenOutputCloses()
  return createApi(readClientConfig()).channels
}

function print<Answer>(json: boolean, answer: Answer, lines: (answer: Answer) => string[]): void {
  if (json) printJson(answer)
  else printLines(lines(answer))
}

/** What a file holds, without the white space around it. Never part of an error. */
function readFieldFile(name: string, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trim()
  } catch (error) {
    const { code = 'it cannot be read' } = error as NodeJS.ErrnoException
    throw new CommandError(`--field-file ${name}: ${file === '-' ? 'stdin' : file}: ${code}.`, exitCodes.usage)
  }
}

interface AddOptions {
  json: boolean
  field?: Record<string, string>
  fieldFile?: Record<string, string>
  events?: string[]
  cadence?: string
  timezone?: string
  hour?: number
}

async function add(type: string, name: string, { json, field, fieldFile = {}, ...given }: AddOptions): Promise<void> {
  const read = Object.entries(fieldFile).map(([one, file]) => [one, readFieldFile(one, file)])
  const answer = await connect().add({ type, name, ...given, ...field, ...Object.fromEntries(read) })
  print(json, answer, ({ data: { channelId, state, secret } }) => [
    `Channel ${printable(channelId)}`,
    ...(secret === undefined ? [] : [`Secret: ${printable(secret)}   (shown only once)`]),
    ...(state === 'unconfirmed' ? ['It gets nothing until the address is confirmed: see its mail.'] : []),
    `Test it with: wishwell channels test ${printable(channelId)}`,
  ])
}

function rowOf(channel: ChannelDescription): Row {
  const {
    channelId,
    type,
    name,
    target,
    events,
    cadence,
    timezone,
    hour,
    state,
    disabledReason,
    failingSince,
    pending,
    waitsForKey,
  } = channel
  const when = cadence === 'now' ? 'at once' : `${cadence} at ${hour}:00 ${timezone}`
  const notes = [
    state === 'active' ? '' : `${state}${disabledReason === null ? '' : ` (${disabledReason})`}`,
    failingSince === null ? '' : `failing since ${failingSince.slice(0, 16)}Z`,
    pending === 0 ? '' : `${pending} pending`,
    waitsForKey ? 'sealed with a key that the service does not have: nothing is delivered' : '',
  ]
  const facts = [type, target, when, events.length === 0 ? 'no subscriptions' : events.join(', '), ...notes]
  return { title: name, facts, id: channelId }
}

async function list({ json }: { json: boolean }): Promise<void> {
  print(json, await connect().list(), ({ data: { channels } }) =>
    channels.length === 0 ? ['The account has no channels.'] : formatRows(channels.map(rowOf)),
  )
}

async function show(channelId: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().read(channelId), ({ data }) => [formatRow(rowOf(data))])
}

async function test(channelId: string, { json }: { json: boolean }): Promise<void> {
  const answer = await connect().test(channelId)
  if (!answer.data.delivered) process.exitCode = exitCodes.failed
  print(json, answer, ({ data: { delivered, error } }) => [
    delivered ? 'Delivered.' : `Not delivered. ${printable(error ?? '')}`,
  ])
}

async function enable(channelId: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().enable(channelId), ({ data }) => [formatRow(rowOf(data))])
}

async function remove(channelId: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().remove(channelId), ({ data }) => [`Channel ${printable(data.channelId)} is deleted.`])
}

const rowOfDelivery = (delivery: DeliveryDescription): Row => {
  const { deliveryId, type, state, attempts, createdAt, dueAt, status, error } = delivery
  const next = dueAt === null ? '' : `next ${dueAt.slice(0, 19)}Z`
  const made = `${createdAt.slice(0, 19)}Z`
  const facts = [made, state, count(attempts, 'attempt'), status === null ? '' : String(status), next, error ?? '']
  return { title: type, facts, id: deliveryId }
}

async function listDeliveries(
  channelId: string,
  { json, ...query }: { json: boolean; limit?: number; cursor?: string },
): Promise<void> {
  print(json, await connect().listDeliveries(channelId, query), ({ data: { deliveries, cursor } }) => [
    ...(deliveries.length === 0 ? ['No deliveries.'] : formatRows(deliveries.map(rowOfDelivery))),
    ...(cursor === null
      ? []
      : [`More: wishwell channels deliveries ${printable(channelId)} --cursor ${printable(cursor)}`]),
  ])
}

async function replay(channelId: string, deliveryId: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().replay(channelId, deliveryId), ({ data }) => [
    `Delivery ${printable(data.deliveryId)} will be sent again.`,
  ])
}
