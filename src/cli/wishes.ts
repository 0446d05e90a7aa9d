import { Command, Option } from 'commander'
import { createApi } from './api.ts'
import type { MarkChanges } from './api-types.ts'
import { readClientConfig } from './client-config.ts'
import { correctCommand } from './correct.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { formatRows } from './rows.ts'
import { printable, shellWord } from './text.ts'
import type { WishListQuery } from './wish-calls.ts'
import { correctionRow, formatMark, formatShownWish, wishRow } from './wish-lines.ts'

const help = `${environmentHelp}

What is merged, split or marked holds for the account. It can be undone.

Exit codes: 0 done; 1 the service refused, or has no such wish; 2 the command line or the environment is wrong; 3 the service
cannot be reached; 5 too many requests.`

// Not imported from src/wishes/: clients must start without loading the service.
const orders = ['votes', 'requests', 'growing', 'new']
const marks = ['planned', 'done', 'ignored']

const subcommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError(`(wishwell wishes ${name} --help shows every option)`)

const listCommand = () =>
  subcommand('list', 'list wishes with their numbers')
    .addOption(
      new Option('--sort <order>', 'most voted, most requests, fastest growing or newest first').choices(orders),
    )
    .addOption(new Option('--mark <mark>', 'only wishes with this mark of the account').choices([...marks, 'none']))
    .option('--starred', 'only wishes with a star of the account')
    .option('--topic <topic>', 'only wishes of this topic')
    .option('--limit <wishes>', 'maximum of wishes to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option('--cursor <cursor>', 'continue where an earlier list ended')
    .action(list)

const markCommand = () =>
  subcommand('mark', 'mark a wish, for the account alone; what is not given stays')
    .argument('<wishId>', 'as "wishwell wishes list" shows it')
    .addOption(new Option('--as <mark>', 'its mark; "none" removes it').choices([...marks, 'none']))
    .addOption(new Option('--star', 'add a star').conflicts('unstar'))
    .option('--unstar', 'remove the star')
    .option('--note <text>', 'a note; the empty text removes it')
    .action(mark)

/** `wishwell wishes`: what people ask for, each wish once. */
export function wishesCommand(): Command {
  const commands = [
    listCommand(),
    subcommand('show', 'show a wish, its requests, and when it was asked for')
      .argument('<wishId>', 'as "wishwell wishes list" shows it')
      .option('--limit <requests>', 'maximum of requests to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(show),
    subcommand('merge', 'say that two wishes are the same')
      .argument('<wishId>', 'the wish that stays')
      .argument('<otherWishId>', 'the wish whose requests come into it')
      .action(merge),
    subcommand('split', 'take requests out of a wish: they are not the same as the others')
      .argument('<wishId>', 'the wish')
      .argument('<requestIds...>', 'the _id of each request, as --json shows it')
      .action(split),
    subcommand('corrections', 'list the merges and splits of the account, the last made first')
      .option('--limit <corrections>', 'maximum to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(listCorrections),
    subcommand('undo', 'undo a merge or a split')
      .argument('<correctionId>', 'as "wishwell wishes corrections" shows it')
      .action(undo),
    markCommand(),
    correctCommand(),
  ]
  const wishes = new Command('wishes')
    .description('list, merge, split and mark wishes: each is a set of requests that ask for the same (free)')
    .showHelpAfterError('(wishwell wishes --help shows every command)')
  for (const command of commands) wishes.addCommand(command)
  return wishes
}

const connect = () => {
  exitWhenOutputCloses()
  return createApi(readClientConfig()).wishes
}

/** Prints an answer as JSON, or as lines. */
function print<Answer>(json: boolean, answer: Answer, lines: (answer: Answer) => string[]): void {
  if (json) printJson(answer)
  else printLines(lines(answer))
}

const more = (command: string, options: object, cursor: string | null): string[] => {
  if (cursor === null) return []
  const given = Object.entries(options).map(([name, value]) =>
    value === true ? `--${name}` : `--${name} ${shellWord(printable(String(value)))}`,
  )
  return [`More: ${['wishwell wishes', command, ...given, '--cursor', printable(cursor)].join(' ')}`]
}

interface ListOptions extends Omit<WishListQuery, 'sortBy'> {
  sort?: string
  json: boolean
}

async function list({ json, ...options }: ListOptions): Promise<void> {
  const { sort, ...query } = options
  const answer = await connect().list({ ...query, ...(sort === undefined ? {} : { sortBy: sort }) })
  const { cursor: _, ...shown } = options
  print(json, answer, ({ data: { results, cursor } }) => [
    ...(results.length === 0 ? ['No such wishes.'] : formatRows(results.map(wishRow))),
    ...more('list', shown, cursor),
  ])
}

async function show(wishId: string, { json, ...query }: PageOptions): Promise<void> {
  const { cursor: _, ...shown } = query
  print(json, await connect().read(wishId, query), ({ data }) => [
    ...formatShownWish(data, query.cursor !== undefined),
    ...more(`show ${printable(wishId)}`, shown, data.members.cursor),
  ])
}

const undoHint = (correctionId: string) => `Undo it with: wishwell wishes undo ${printable(correctionId)}`

async function merge(wishId: string, otherWishId: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().merge(wishId, otherWishId), ({ data }) => [
    `Wish ${printable(data.wishId)} has the requests of both now.`,
    undoHint(data.correctionId),
  ])
}

async function split(wishId: string, requestIds: string[], { json }: { json: boolean }): Promise<void> {
  print(json, await connect().split(wishId, requestIds), ({ data }) => [
    `Taken out of wish ${printable(data.wishId)}. The new wish is ${printable(data.newWishId)}.`,
    undoHint(data.correctionId),
  ])
}

interface PageOptions {
  limit?: number
  cursor?: string
  json: boolean
}

async function listCorrections({ json, ...query }: PageOptions): Promise<void> {
  const answer = await connect().listCorrections(query)
  const { cursor: _, ...shown } = query
  print(json, answer, ({ data: { corrections, cursor } }) => [
    ...(corrections.length === 0 ? ['No merges or splits.'] : formatRows(corrections.map(correctionRow))),
    ...more('corrections', shown, cursor),
  ])
}

async function undo(correctionId: string, { json }: { json: boolean }): Promise<void> {
  print(json, await connect().undo(correctionId), ({ data }) => [`Undone: ${printable(data.correctionId)}`])
}

interface MarkOptions {
  as?: string
  star?: true
  unstar?: true
  note?: string
  json: boolean
}

async function mark(wishId: string, { as, star, unstar, note, json }: MarkOptions): Promise<void> {
  const changes: MarkChanges = {
    ...(as === undefined ? {} : { mark: as === 'none' ? null : as }),
    ...(star || unstar ? { starred: star === true } : {}),
    ...(note === undefined ? {} : { note }),
  }
  if (Object.keys(changes).length === 0) {
    throw new CommandError('Give one of --as, --star, --unstar, --note.', exitCodes.usage)
  }
  print(json, await connect().mark(wishId, changes), ({ data }) => [
    `Wish ${printable(data.wishId)}: ${data.mark === null ? 'not marked' : formatMark(data.mark)}`,
  ])
}
