import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from './answers.ts'
import { type ExportFormat, readRecords } from './export-records.ts'

/** How many tries in a row may deliver no record. */
const maxTries = 6
/** The pause before the second try; it doubles with every further one. */
const firstPauseMs = 500

/** What an export has written so far. */
export interface Written {
  records: number
  bytes: number
  cursor: string | null
  hasHeader: boolean
}

/** Whether another try may succeed. */
const isTemporary = (error: unknown) => error instanceof ApiError && error.temporary

export interface Transfer {
  format: ExportFormat
  /** Opens the export behind the record that has this cursor. */
  open(cursor: string | null): Promise<AsyncIterable<Uint8Array>>
  write(text: string): Promise<void>
  /** Updated after every write. */
  written: Written
}

/**
 * Writes every record once, however often the connection breaks.
 * @throws the error of the last try; `written` says how many records are complete.
 */
export async function transferRecords({ format, open, write, written }: Transfer): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      for await (const records of readRecords(format, await open(written.cursor))) {
        // Without a cursor to go on from, the export is opened at its start, and its header is sent again.
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
      if (!isTemporary(error) || tries >= maxTries) throw error
      await sleep((error as ApiError).retryAfterMs ?? firstPauseMs * 2 ** (tries - 1))
    }
  }
}
