import { printable } from './text.ts'

export type ExportFormat = 'jsonl' | 'csv'

/** A complete record of an export, unchanged, and the cursor behind it; null for the header of a CSV. */
export interface ExportedText {
  text: string
  cursor: string | null
}

/** Longer than any record of the service. */
const maxRecordLength = 4 * 1024 * 1024

export class BrokenExportError extends Error {
  override readonly name = 'BrokenExportError'
}

/** Finds the end of the next record; -1 until it has arrived. Each call goes on where the last one stopped. */
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
  // A line break between quotes is part of a text (RFC 4180).
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

/**
 * Splits an export into complete records. An incomplete record at the end of a broken stream is dropped: it is sent again.
 * @throws BrokenExportError when the stream is not an export, or ends within a record.
 */
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
