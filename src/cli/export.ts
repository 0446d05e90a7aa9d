import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { searchOrders } from '../requests/search/page.ts'
import { ApiError } from './answers.ts'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { BrokenExportError, type ExportFormat, readRecords } from './export-records.ts'
import { collectValues, commaList, dateHelp, environmentHelp, helpEnd, sortOption } from './options.ts'
import { exitWhenOutputCloses } from './output.ts'
import { count } from './text.ts'

const help = `${environmentHelp}

Without --out the records go to stdout, whole ones only. With it they go to FILE.partial, which becomes FILE when it is complete.
A connection that breaks is taken up again where it was; when that fails too, the error says how to go on later.
The author and the licence of every request are in the file: name both where you pass its texts on.
In a CSV, a ' stands before texts that a spreadsheet could take for a formula.

Exit codes: 0 complete; 1 the service refused, or the export could not be completed; 2 the command line or the environment is
wrong; 3 the service cannot be reached; 5 too many requests.

Examples:
  wishwell export --topic 'dark mode' --format csv --out dark-mode.csv
  wishwell export --query 'offline maps' --format csv --out offline-maps.csv
  wishwell export --platforms github,gitlab --min-votes 100 | jq -r .title`

interface ExportOptions {
  format: ExportFormat
  out?: string
  query?: string
  topic?: string
  platforms?: string[]
  tag?: string[]
  minVotes?: string
  since?: string
  until?: string
  job?: string
  sort?: string
  bom?: boolean
  cursor?: string
}

/** `wishwell export`: the cache, or a part of it, as a file. */
export function exportCommand(): Command {
  return new Command('export')
    .description('save the requests that were collected as JSON Lines or CSV (free)')
    .addOption(new Option('--format <format>', 'the form of the records').choices(['jsonl', 'csv']).default('jsonl'))
    .option('--out <file>', 'where to; an older file of that name is replaced when the new one is complete')
    .option('--query <words>', 'only what a search of these words finds, the best 100 at most')
    .option('--topic <topic>', 'only requests of this topic')
    .option('--platforms <names>', 'only requests of these, a comma list', commaList)
    .option('--tag <tag>', 'only requests with this tag; repeated: with all of them', collectValues)
    .option('--min-votes <votes>', 'only requests with so many votes')
    .option('--since <date>', dateHelp.since)
    .option('--until <date>', dateHelp.until)
    .option('--job <jobId>', 'only what this job found')
    .addOption(
      sortOption(
        searchOrders,
        'best match (the default with --query), most voted (also top) or newest (the default without)',
      ),
    )
    .option('--bom', 'begin a CSV with a byte order mark, for old spreadsheets')
    .option('--cursor <cursor>', 'go on after the record that has it')
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell export --help shows every option)')
    .action(runExport)
}

function queryOf({
  format,
  query: words,
  topic,
  platforms,
  tag,
  minVotes,
  since,
  until,
  job,
  sort,
  bom,
}: ExportOptions) {
  const query = new URLSearchParams({ format })
  const set = (name: string, value: string | undefined) => value !== undefined && query.set(name, value)
  set('query', words)
  set('topic', topic)
  set('platforms', platforms?.join(','))
  for (const one of tag ?? []) query.append('tag', one)
  set('minVotes', minVotes)
  set('since', since)
  set('until', until)
  set('jobId', job)
  set('sortBy', sort)
  set('bom', bom ? 'true' : undefined)
  return query
}

/** How often it is tried again without a single record in between, and how long before the first time. */
const maxTries = 6
const firstPauseMs = 500

/** What was written so far. */
interface Written {
  records: number
  bytes: number
  cursor: string | null
  hasHeader: boolean
}

/** Whether another try may do better. */
const isPassing = (error: unknown) => error instanceof ApiError && error.temporary

/**
 * Writes every record once, however often the connection breaks in between.
 * @throws what the last try failed with; `written` tells how far it came.
 */
async function writeAll(
  open: (cursor: string | null) => Promise<AsyncIterable<Uint8Array>>,
  { format, write, written }: { format: ExportFormat; write(text: string): Promise<void>; written: Written },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      for await (const records of readRecords(format, await open(written.cursor))) {
        // A try that came no further than the header begins with it once more.
        const fresh = records.filter(({ cursor }) => cursor !== null || !written.hasHeader)
        const text = fresh.map((record) => record.text).join('')
        await write(text)
        written.hasHeader ||= format === 'csv'
        written.records += fresh.filter(({ cursor }) => cursor !== null).length
        written.bytes += Buffer.byteLength(text)
        written.cursor = fresh.at(-1)?.cursor ?? written.cursor
        if (written.cursor !== null) tries = 1
      }
      return
    } catch (error) {
      if (!isPassing(error) || tries >= maxTries) throw error
      await sleep((error as ApiError).retryAfterMs ?? firstPauseMs * 2 ** (tries - 1))
    }
  }
}

/** Shows on a terminal how far it is; nothing elsewhere. */
function createMeter(stream: NodeJS.WriteStream) {
  let shownAt = 0
  let isShown = false
  return {
    show({ records, bytes }: Written): void {
      const now = performance.now()
      if (!stream.isTTY || now - shownAt < 100) return
      shownAt = now
      isShown = true
      stream.write(`\r\x1b[K${count(records, 'request')}, ${(bytes / 1e6).toFixed(1)} MB`)
    },
    clear(): void {
      if (isShown) stream.write('\r\x1b[K')
      isShown = false
    },
  }
}

/** A place to write to that waits for who reads it. */
async function openTarget(file: string | undefined, append: boolean) {
  if (file === undefined) {
    const write = async (text: string) => {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain')
    }
    return { write, finish: async () => {}, close: async () => {} }
  }
  const partial = `${file}.partial`
  const stream = createWriteStream(partial, { flags: append ? 'a' : 'w' })
  await once(stream, 'open').catch((error: Error) => {
    throw new CommandError(`Cannot write ${partial}: ${error.message}`)
  })
  const failure = Promise.withResolvers<never>()
  stream.once('error', (error) => failure.reject(new CommandError(`Cannot write ${partial}: ${error.message}`)))
  // Whoever waits for the stream hears of it; nobody may be waiting just then.
  failure.promise.catch(() => {})
  const orFailure = (event: 'drain' | 'close') => Promise.race([failure.promise, once(stream, event)])
  const end = async () => {
    // The last write may have failed with nobody waiting: a full disk.
    if (stream.errored) await failure.promise
    if (stream.closed) return
    stream.end()
    await orFailure('close')
  }
  return {
    write: async (text: string) => {
      if (!stream.write(text)) await orFailure('drain')
    },
    finish: async () => {
      await end()
      await rename(partial, file)
    },
    close: () => end().catch(() => {}),
  }
}

async function runExport(options: ExportOptions): Promise<void> {
  exitWhenOutputCloses()
  const { format, out, cursor = null } = options
  const api = createApi(readClientConfig())
  const query = queryOf(options)
  const open = async (after: string | null) => {
    if (after !== null) query.set('cursor', after)
    return api.openExport(query)
  }
  // What is wrong with the call is found before a file is touched.
  let first: AsyncIterable<Uint8Array> | null = await open(cursor)
  const target = await openTarget(out, cursor !== null)
  const written: Written = { records: 0, bytes: 0, cursor, hasHeader: cursor !== null }
  const meter = createMeter(process.stderr)
  try {
    await writeAll(
      async (after) => {
        const opened = first ?? (await open(after))
        first = null
        return opened
      },
      {
        ...{ format, written },
        write: async (text) => {
          await target.write(text)
          meter.show(written)
        },
      },
    )
    await target.finish()
    meter.clear()
    const size = `${count(written.records, 'request')}, ${(written.bytes / 1e6).toFixed(1)} MB`
    console.error(out === undefined ? `${size}.` : `Saved ${out}: ${size}.`)
  } catch (error) {
    meter.clear()
    await target.close()
    throw explain(error, written)
  }
}

function explain(error: unknown, { records, cursor }: Written): unknown {
  const known = error instanceof CommandError || error instanceof BrokenExportError
  if (!known) return error
  const place = cursor === null ? '' : `\nGo on with the same command and --cursor ${cursor}`
  const reason =
    error instanceof BrokenExportError ? `The answer is not a whole export: ${error.message}.` : error.message
  const exitCode = error instanceof CommandError ? error.exitCode : exitCodes.failed
  return new CommandError(`${reason}\nThe export broke off after ${count(records, 'request')}.${place}`, exitCode)
}
