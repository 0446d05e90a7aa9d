import { type Command, Option } from 'commander'
import { searchOrders } from '../search/orders.ts'
import { createApi } from './api.ts'
import type { Query } from './api-types.ts'
import { clientCommand } from './client-command.ts'
import { readClientConfig } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { BrokenExportError, type ExportFormat, openTarget, transferRecords, type Written } from './export-transfer.ts'
import { defined, sortOption } from './options.ts'
import { exitWhenOutputCloses } from './output.ts'
import { addFilterOptions } from './search-options.ts'
import { count } from './text.ts'

const help = {
  notes: `Without --out, complete records are written to stdout. With it they are written to FILE.partial, which becomes FILE when it is
complete. After a broken connection the export continues where it stopped; when that fails, too, the error says how to continue later.
The file holds the author and the licence of every request: name both where you publish its texts.
In a CSV, texts that a spreadsheet could interpret as a formula begin with a '.

All data of a database, to move it: wishwell admin dump.`,
  ok: 'complete',
  failed: 'the service refused, or the export could not be completed',
  examples: `  wishwell export --topic 'dark mode' --format csv --out dark-mode.csv
  wishwell export --query 'offline maps' --format csv --out offline-maps.csv
  wishwell export --platforms github,gitlab --min-votes 100 | jq -r .title`,
}

interface ExportOptions extends Omit<Query<'exportRequests'>, 'jobId' | 'sortBy'> {
  format: ExportFormat
  out?: string
  job?: string
  sort?: Query<'exportRequests'>['sortBy']
}

/** `wishwell export`: the stored requests, or a part of them, as a file. */
export function exportCommand(): Command {
  const command = clientCommand('export', 'save collected requests as JSON Lines or CSV (free)', help)
    .addOption(new Option('--format <format>', 'the format of the records').choices(['jsonl', 'csv']).default('jsonl'))
    .option('--out <file>', 'the file to write; an existing file is replaced when the new one is complete')
    .option('--query <words>', 'only what a search for these words finds with all of them, the best 100')
  return addFilterOptions(command, '')
    .option('--job <jobId>', 'only requests that this job found')
    .addOption(
      sortOption(
        searchOrders,
        'best match (the default with --query), most voted (also top) or newest (the default without)',
      ),
    )
    .option('--bom', 'begin a CSV with a byte order mark, for old spreadsheets')
    .option('--cursor <cursor>', 'continue behind the record with this cursor')
    .action(runExport)
}

function queryOf({ platforms, tag, status, job, sort, out: _, ...same }: ExportOptions): Query<'exportRequests'> {
  // Lists are sent as one text, so that the service sees empty ones, too.
  const lists = { platforms: platforms && [platforms.join(',')], status: status && [status.join(',')] }
  return defined({ ...same, ...lists, tag, jobId: job, sortBy: sort })
}

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

async function runExport(options: ExportOptions): Promise<void> {
  exitWhenOutputCloses()
  const { format, out, cursor = null } = options
  const api = createApi(readClientConfig())
  const query = queryOf(options)
  const open = (after: string | null) => api.openExport(after === null ? query : { ...query, cursor: after })
  // A wrong call is refused here, before touching a file.
  const { bytes, inPart, beyond } = await open(cursor)
  let first: AsyncIterable<Uint8Array> | null = bytes
  const target = await openTarget(out, cursor !== null)
  const written: Written = { records: 0, bytes: 0, cursor, hasHeader: cursor !== null }
  const meter = createMeter(process.stderr)
  try {
    await transferRecords({
      format,
      open: async (after) => {
        const opened = first ?? (await open(after)).bytes
        first = null
        return opened
      },
      write: async (text) => {
        await target.write(text)
        meter.show(written)
      },
      written,
    })
    await target.finish()
    meter.clear()
    const size = `${count(written.records, 'request')}, ${(written.bytes / 1e6).toFixed(1)} MB`
    console.error(out === undefined ? `${size}.` : `Saved ${out}: ${size}.`)
    if (beyond > 0)
      console.error(`Not in it: ${count(beyond, 'more request')} that match: it has the best 100. Filters narrow it.`)
    if (inPart > 0) console.error(`Not in it: ${count(inPart, 'request')} with some of the words, but not all.`)
  } catch (error) {
    meter.clear()
    await target.close()
    throw explain(error, written)
  }
}

function explain(error: unknown, { records, cursor }: Written): unknown {
  const known = error instanceof CommandError || error instanceof BrokenExportError
  if (!known) return error
  const advice = cursor === null ? '' : `\nContinue with the same command and --cursor ${cursor}`
  const reason =
    error instanceof BrokenExportError ? `The answer is not a complete export: ${error.message}.` : error.message
  const exitCode = error instanceof CommandError ? error.exitCode : exitCodes.failed
  return new CommandError(`${reason}\nThe export broke off after ${count(records, 'request')}.${advice}`, exitCode)
}
