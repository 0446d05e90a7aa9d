import { Command, InvalidArgumentError, Option } from 'commander'
import { type AppFacts, searchApps, storeWindows } from '../platforms/adapters/appstore/lookup.ts'
import { storeUrl } from '../platforms/adapters/appstore/source.ts'
import { readBoardFile } from '../platforms/adapters/board/files.ts'
import { BoardError } from '../platforms/adapters/board/paths.ts'
import { type TriedBoard, tryBoard } from '../platforms/adapters/board/try.ts'
import { createBudget } from '../platforms/budget/budget.ts'
import { createMemoryQuotas } from '../platforms/budget/quota.ts'
import { createPlatformClient, userAgentFor } from '../platforms/client/client.ts'
import { isWebAddress } from '../platforms/definition.ts'
import { PlatformError } from '../platforms/platform.ts'
import { systemClock } from '../runtime/clock.ts'
import { version } from '../runtime/version.ts'
import { commandGroup, type Json } from './client-command.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, formatRows, printJson, printLines } from './output.ts'
import { count, firstLine, formatDay, printable } from './text.ts'

const help = `It reads two pages of the board from this machine, without a service and without a key of Wishwell; nothing is stored. The secret of the
board is the line of the file .secret beside the description. How to write one: docs/platforms/board.md.

Exit codes: 0 it can be read; 1 the board refused, or its second page could not be read; 2 the description is wrong.

Examples:
  wishwell sources try acme.json
  wishwell sources try acme.json --topic "dark mode" --json`

const appsHelp = `It asks the App Store from this machine, without a service and without a key. Each country has reviews of its own. What to do with a
source: docs/platforms/appstore.md.

Exit codes: 0 there is one; 1 there is none, or the App Store refused.

Examples:
  wishwell sources apps "plant diary"
  wishwell sources apps "plant diary" --country de --json`

function country(text: string): string {
  if (!/^[a-z]{2}$/i.test(text)) throw new InvalidArgumentError('It must be a country in two letters, such as us.')
  return text.toLowerCase()
}

function webAddress(text: string): string {
  if (!isWebAddress(text)) throw new InvalidArgumentError('It must be a web address.')
  return text
}

/** `wishwell sources`: what platforms can be told to read. */
export const sourcesCommand = (): Command =>
  commandGroup('sources', 'find apps, and try the description of a board that has no adapter', [
    new Command('apps')
      .description('find apps of the App Store, and how a source names them')
      .argument('<term>', 'words of the name or of the seller')
      .addOption(new Option('--country <code>', 'the store of a country').argParser(country).default('us'))
      .addOption(new Option('--limit <number>', 'at most so many').argParser(wholeNumber(1, 200)).default(10))
      .addOption(
        new Option('--api-url <address>', 'another address of the App Store').argParser(webAddress).default(storeUrl),
      )
      .option('--json', 'print one JSON object', false)
      .addHelpText('after', helpEnd(appsHelp))
      .action(findApps),
    new Command('try')
      .description('read a board as a file describes it, and show what would be stored')
      .argument('<file>', 'the description, JSON')
      .addOption(new Option('--topic <text>', 'what to look for').default('dark mode'))
      .option('--json', 'print one JSON object', false)
      .addHelpText('after', helpEnd(help))
      .action(tryFile),
  ])

async function tryFile(path: string, { topic, json }: Json & { topic: string }): Promise<void> {
  exitWhenOutputCloses()
  const board = await readBoardFile(path).catch((error: unknown) => {
    if (error instanceof BoardError) throw new CommandError(`${path}: ${error.message}`, exitCodes.usage)
    throw error
  })
  const client = createPlatformClient({ clock: systemClock, userAgent: userAgentFor(version) })
  const tried = await tryBoard(board, topic, { client, signal: AbortSignal.timeout(60_000) }).finally(() =>
    client.close(),
  )
  if (json) printJson(tried)
  else printLines(triedLines(tried))
  if (tried.error !== null) throw new CommandError(tried.error, exitCodes.failed)
}

interface AppsOptions extends Json {
  country: string
  limit: number
  apiUrl: string
}

async function findApps(term: string, { json, country, limit, apiUrl }: AppsOptions): Promise<void> {
  exitWhenOutputCloses()
  const client = createPlatformClient({ clock: systemClock, userAgent: userAgentFor(version) })
  const budget = createBudget({
    ...{ name: new URL(apiUrl).host, windows: storeWindows, concurrency: 1 },
    ...{ platform: 'appstore', quotas: createMemoryQuotas() },
  })
  const call = { client, budget, baseUrl: apiUrl, signal: AbortSignal.timeout(60_000) }
  const apps = await searchApps(call, { term, country, limit })
    .catch((error: unknown) => {
      throw error instanceof PlatformError ? new CommandError(error.message, exitCodes.failed) : error
    })
    .finally(() => client.close())
  if (json) printJson({ apps })
  else printLines(appLines(apps))
  if (apps.length === 0) throw new CommandError('There is no such app in that country.', exitCodes.failed)
}

const appLines = (apps: readonly AppFacts[]): string[] =>
  formatRows(
    apps.map(({ source, name, seller, ratings }) => ({
      title: name ?? source,
      facts: [seller ?? '', count(ratings, 'rating')],
      id: source,
    })),
  )

function triedLines({ name, pages, items, fields, requests, notes }: TriedBoard): string[] {
  if (pages.length === 0) return []
  const width = Math.max(...fields.map(({ field }) => field.length))
  return [
    `${name}: ${pages.map((page, index) => `page ${index + 1} has ${count(page.items, 'item')}, of which ${page.stored} would be stored`).join('; ')}.`,
    pages.at(-1)!.hasNext ? 'There are more pages.' : 'There is no further page.',
    '',
    ...fields.map(
      ({ field, found, example }) =>
        `${field.padEnd(width)}  in ${found} of ${items}${example === null ? '' : `: ${printable(example)}`}`,
    ),
    ...notes.map((note) => `! ${printable(note)}`),
    '',
    ...formatRows(
      requests.map(({ title, votes, status, originalCreatedAt, sourceUrl }) => ({
        title: firstLine(title),
        facts: [count(votes, 'vote'), status ?? '', originalCreatedAt ? formatDay(originalCreatedAt) : '', sourceUrl],
        id: null,
      })),
    ),
  ]
}
