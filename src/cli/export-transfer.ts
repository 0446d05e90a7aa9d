import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from './answers.ts'
import { CommandError } from './exit-codes.ts'
import { fileError } from './input-file.ts'
import { printable } from './text.ts'

export type ExportFormat = 'jsonl' | 'csv'

/** A complete record of an export, unchanged, and the cursor after it; null for a CSV header. */
interface ExportedText {
  text: string
  cursor: string | null
}

/** Longer than any record. */
const maxRecordLength = 4 * 1024 * 1024

export class BrokenExportError extends Error {
  override readonly name = 'BrokenExportError'
}

/** Finds the end of the next record, resuming where the last call stopped; -1 until it has arrived. */
const ends = {
  jsonl: () => {
    let from = 0
    return {
      next(text: string): number {
        const end = text.indexOf('\n', from)
        from = end === -1 ? text.length : 0
        return end === -1 ? -1 : end + 1
      },
    }
  },
  // A quoted line break belongs to the text (RFC 4180).
  csv: () => {
    let from = 0
    let isQuoted = false
    return {
      next(text: string): number {
        for (; from < text.length; from++) {
          const character = text[from]
          if (character === '"') isQuoted = !isQuoted
          if (character === '\n' && !isQuoted) {
            const end = from + 1
            from = 0
            return end
          }
        }
        return -1
      },
    }
  },
} as const

const cursorOf = {
  jsonl: (text: string): string | null => {
    const { cursor } = JSON.parse(text) as { cursor?: unknown }
    if (typeof cursor !== 'string') throw new BrokenExportError('a record has no cursor')
    return cursor
  },
  csv: (text: string): string | null => /,"([\w-]+)"\r\n$/.exec(text)?.[1] ?? null,
} as const

/** Splits an export into complete records; an incomplete last one is resent. @throws BrokenExportError */
export async function* readRecords(
  format: ExportFormat,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ExportedText[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const end = ends[format]()
  let rest = ''
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    const records: ExportedText[] = []
    for (let length = end.next(rest); length !== -1; length = end.next(rest)) {
      const text = rest.slice(0, length)
      rest = rest.slice(length)
      try {
        records.push({ text, cursor: cursorOf[format](text) })
      } catch (error) {
        if (error instanceof BrokenExportError) throw error
        throw new BrokenExportError(`a line is not JSON: ${printable(text).slice(0, 80)}`)
      }
    }
    if (rest.length > maxRecordLength) throw new BrokenExportError('a record does not end')
    if (records.length > 0) yield records
  }
  if (rest !== '') throw new BrokenExportError('it ends in the middle of a record')
}

const maxTries = 6
/** The first pause between tries, doubling each time. */
const firstPauseMs = 500

export interface Written {
  records: number
  bytes: number
  cursor: string | null
  hasHeader: boolean
}

interface Transfer {
  format: ExportFormat
  open(cursor: string | null): Promise<AsyncIterable<Uint8Array>>
  write(text: string): Promise<void>
  /** Updated after every write. */
  written: Written
}

/** Writes every record once, through broken connections. @throws the last try's error */
export async function transferRecords({ format, open, write, written }: Transfer): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      for await (const records of readRecords(format, await open(written.cursor))) {
        // Without a cursor, the export restarts and resends its header.
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
      if (!(error instanceof ApiError && error.temporary) || tries >= maxTries) throw error
      await sleep(error.retryAfterMs ?? firstPauseMs * 2 ** (tries - 1))
    }
  }
}

interface ExportTarget {
  write(text: string): Promise<void>
  finish(): Promise<void>
  close(): Promise<void>
}

const stdoutTarget: ExportTarget = {
  write: async (text) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  },
  finish: async () => {},
  close: async () => {},
}

/** Writes to `FILE.partial`, renamed to FILE when complete. @throws CommandError if it cannot be written. */
async function openFile(file: string, append: boolean): Promise<ExportTarget> {
  const partial = `${file}.partial`
  const stream = createWriteStream(partial, { flags: append ? 'a' : 'w' })
  await once(stream, 'open').catch((error: unknown) => {
    throw fileError(error, partial, '--out')
  })
  const failure = Promise.withResolvers<never>()
  stream.once('error', (error) => failure.reject(new CommandError(`Cannot write ${partial}: ${error.message}`)))
  // Prevents an unhandled rejection until the next wait for the stream.
  failure.promise.catch(() => {})
  const orFailure = (event: 'drain' | 'close') => Promise.race([failure.promise, once(stream, event)])
  const end = async () => {
    // The last write may fail after its call returned: a full disk.
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

/** Opens the export's file, or stdout. @param append whether to continue an earlier export */
export const openTarget = async (file: string | undefined, append: boolean): Promise<ExportTarget> =>
  file === undefined ? stdoutTarget : openFile(file, append)
