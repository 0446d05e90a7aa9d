import { Command, Option } from 'commander'
import { readBoardFile } from '../platforms/adapters/board/files.ts'
import { BoardError } from '../platforms/adapters/board/paths.ts'
import { type TriedBoard, tryBoard } from '../platforms/adapters/board/try.ts'
import { createPlatformClient, userAgentFor } from '../platforms/client/client.ts'
import { systemClock } from '../runtime/clock.ts'
import { version } from '../runtime/version.ts'
import { commandGroup, type Json } from './client-command.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { helpEnd } from './options.ts'
import { exitWhenOutputCloses, formatRows, printJson, printLines } from './output.ts'
import { count, firstLine, printable } from './text.ts'

const help = `It reads two pages of the board from this machine, without a service and without a key of Wishwell; nothing is stored. The secret of the
board is the line of the file .secret beside the description. How to write one: docs/platforms/board.md.

Exit codes: 0 it can be read; 1 the board refused, or its second page could not be read; 2 the description is wrong.

Examples:
  wishwell sources try acme.json
  wishwell sources try acme.json --topic "dark mode" --json`

/** `wishwell sources`: boards that a file describes. */
export const sourcesCommand = (): Command =>
  commandGroup('sources', 'try the description of a board that has no adapter', [
    new Command('try')
      .description('read a board as a file describes it, and show what would be stored')
      .argument('<file>', 'the description, JSON')
      .addOption(new Option('--topic <text>', 'what to look for').default('dark mode'))
      .option('--json', 'print one JSON object', false)
      .addHelpText('after', helpEnd(help))
      .showHelpAfterError('(wishwell sources try --help shows every option)')
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
        facts: [count(votes, 'vote'), status ?? '', originalCreatedAt?.toISOString().slice(0, 10) ?? '', sourceUrl],
        id: null,
      })),
    ),
  ]
}
