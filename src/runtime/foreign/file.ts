import { isUtf8 } from 'node:buffer'

/** A foreign file; each call reads it from the start, in chunks of some ten thousand bytes. */
export type ForeignFile = () => AsyncIterable<Buffer>

/** An unreadable file. The message names the place, for people. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}

/** Per row, list item, or value next to it. Larger ones are no feedback. */
export const maxRowBytes = 256 * 1024

/** @throws UnreadableFileError if what was read of a row is too long */
export function requireRowSize(bytes: number, at: string): void {
  if (bytes > maxRowBytes) throw new UnreadableFileError(`${at}: it is longer than ${maxRowBytes / 1024} KiB.`)
}

const utf8Mark = Buffer.from('\ufeff')

const encodingOf = ([first, second]: Buffer) =>
  first === 0xff && second === 0xfe ? 'UTF-16LE' : first === 0xfe && second === 0xff ? 'UTF-16BE' : 'UTF-8'

/** The file as UTF-8, without a byte order mark. @throws UnreadableFileError unless valid UTF-8 or UTF-16 */
export async function* readText(file: ForeignFile): AsyncGenerator<Buffer> {
  let encoding: ReturnType<typeof encodingOf> | null = null
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of file()) {
      const isMarked = encoding === null && utf8Mark.equals(chunk.subarray(0, 3))
      encoding ??= encodingOf(chunk)
      if (encoding !== 'UTF-8') {
        decoder ??= new TextDecoder(encoding, { fatal: true })
        yield Buffer.from(decoder.decode(chunk, { stream: true }))
        continue
      }
      const bytes = Buffer.concat([rest, isMarked ? chunk.subarray(3) : chunk])
      // A chunk may end within a character, but each row ends with an ASCII one.
      let end = bytes.length
      while (end > 0 && (bytes[end - 1] as number) >= 0x80) end--
      if (!isUtf8(bytes.subarray(0, end))) throw new TypeError()
      rest = bytes.subarray(end)
      requireRowSize(rest.length, 'a row')
      yield bytes.subarray(0, end)
    }
    if (!isUtf8(rest)) throw new TypeError()
    yield rest
    decoder?.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UnreadableFileError(`It is not ${encoding}. Save it as UTF-8 ("CSV UTF-8" in Excel).`)
  }
}
