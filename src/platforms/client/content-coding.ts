import { promisify } from 'node:util'
import { brotliDecompress, constants, inflateRaw, unzip, zstdDecompress } from 'node:zlib'

// As lenient as browsers, for which servers are written. undici's experimental decompression warns on stderr at every
// start, and skips error answers, which Stack Exchange always compresses.

type Decoder = (bytes: Buffer, maxOutputLength: number) => Promise<Buffer>

const zlib = [promisify(unzip), promisify(inflateRaw)] as const
// Reads truncated bodies as far as they go: many lack only the checksum, and the parser notices the rest.
const finishFlush = constants.Z_SYNC_FLUSH

/** Length of a gzip member's header (RFC 1952, 2.3.1). */
function gzipHeader(bytes: Buffer): number {
  const flags = bytes[3] ?? 0
  let at = 10
  if (flags & 4) at += 2 + bytes.subarray(at).readUInt16LE()
  for (const isNamed of [flags & 8, flags & 16]) if (isNamed) at = bytes.indexOf(0, at) + 1
  return flags & 2 ? at + 2 : at
}

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b

/** gzip and deflate, whichever is named; else only the raw data: no header, a bad checksum or trailing data. */
const inflate: Decoder = async (bytes, maxOutputLength) => {
  const [whole, raw] = zlib
  try {
    return await whole(bytes, { maxOutputLength, finishFlush })
  } catch (error) {
    if (error instanceof RangeError) throw error
    // A zlib header is a multiple of 31 (RFC 1950).
    const isZlib = bytes.length > 1 && bytes.readUInt16BE() % 31 === 0 && (bytes[0]! & 15) === 8
    const start = isGzip(bytes) ? gzipHeader(bytes) : isZlib ? 2 : 0
    return raw(bytes.subarray(start), { maxOutputLength, finishFlush })
  }
}

const brotli: Decoder = (bytes, maxOutputLength) =>
  promisify(brotliDecompress)(bytes, { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH })

/** Larger windows are no content coding (RFC 9659). */
const zstdParams = { [constants.ZSTD_d_windowLogMax]: 23 }
const maxFrames = 1_000

/** Decodes all frames of a body, which Node reads one by one; ignores data after the last. */
const zstd: Decoder = async (bytes, maxOutputLength) => {
  const parts: Buffer[] = []
  let room = maxOutputLength
  for (let [at, frames] = [0, 0]; at < bytes.length && frames < maxFrames; frames++) {
    const options = {
      maxOutputLength: Math.max(1, room),
      params: zstdParams,
      finishFlush: constants.ZSTD_e_flush,
      info: true,
    }
    const frame = promisify(zstdDecompress)(bytes.subarray(at), options) as unknown as Promise<Frame>
    const { buffer, engine } = await frame.catch((error) => {
      if (at === 0 || error instanceof RangeError) throw error
      return { buffer: Buffer.alloc(0), engine: { bytesWritten: bytes.length } }
    })
    parts.push(buffer)
    room -= buffer.length
    at += engine.bytesWritten || bytes.length
  }
  return Buffer.concat(parts)
}

interface Frame {
  buffer: Buffer
  /** Input bytes consumed by the frame. */
  engine: { bytesWritten: number }
}

const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', inflate],
  ['deflate', inflate],
  ['br', brotli],
  ['zstd', zstd],
])

export const acceptEncoding = [...decoders.keys()].join(', ')

/** No server encodes a body more often. */
const maxCodings = 5

/** Last coding first. Unknown words are ignored, as in browsers: some servers name a charset there. */
function decodersOf(contentEncoding: string, bytes: Buffer): Decoder[] | null {
  const words = contentEncoding.split(',').map((word) => word.trim().toLowerCase().replace(/^x-/, ''))
  const codings = words.filter((word) => word !== '' && word !== 'identity')
  const known = codings.flatMap((word) => decoders.get(word) ?? [])
  if (known.length > maxCodings) return null
  if (known.length < codings.length || known.length === 0) return isGzip(bytes) ? [inflate] : []
  return known.reverse()
}

/**
 * @param contentEncoding the header, or empty
 * @param limitBytes of each decoding step
 * @returns null if the body is cut off, damaged, or encoded too often
 * @throws RangeError if it is larger
 */
export async function decodeContent(
  bytes: Buffer,
  contentEncoding: string,
  limitBytes: number,
): Promise<Buffer | null> {
  const steps = decodersOf(contentEncoding, bytes)
  if (steps === null) return null
  let decoded = bytes
  try {
    for (const decode of decoded.length === 0 ? [] : steps) decoded = await decode(decoded, limitBytes)
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw error
    return null
  }
  return decoded
}
