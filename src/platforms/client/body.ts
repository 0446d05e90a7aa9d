import { promisify } from 'node:util'
import { brotliDecompress, unzip } from 'node:zlib'
import { type AnswerHeaders, headerText } from './headers.ts'
import { JsonTextError, parseJson } from './json-text.ts'

// undici has an interceptor that decompresses, but it is experimental, says so on stderr at every start, and leaves error
// answers compressed, which Stack Exchange always sends compressed.
const decompressors = { gzip: promisify(unzip), deflate: promisify(unzip), br: promisify(brotliDecompress) }

export const acceptEncoding = Object.keys(decompressors).join(', ')

/** Why a received body cannot be used. The message never holds a part of it. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
}

/**
 * Reads a whole body as JSON.
 * @param limitBytes for the bytes on the wire, and again for the decompressed bytes.
 * @throws BodyError when the body is too large, broken, not JSON, or too dear to parse; errors of the connection unchanged.
 */
export async function readJsonBody(
  chunks: AsyncIterable<Uint8Array>,
  headers: AnswerHeaders,
  limitBytes: number,
): Promise<unknown> {
  const bytes = await decompress(await readAll(chunks, limitBytes), headers, limitBytes)
  try {
    return parseJson(bytes)
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    throw new BodyError(`${describe(headers)} that is ${error.message}`)
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
  const received: Uint8Array[] = []
  let size = 0
  // Leaving the loop early closes the connection.
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limitBytes) throw tooLarge(limitBytes)
    received.push(chunk)
  }
  return Buffer.concat(received)
}

async function decompress(
  bytes: Buffer<ArrayBuffer>,
  headers: AnswerHeaders,
  limitBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const encoding = headerText(headers, 'content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return bytes
  const name = encoding.replace(/^x-/, '')
  if (!Object.hasOwn(decompressors, name)) throw new BodyError('a body in an unknown content encoding')
  try {
    return await decompressors[name as keyof typeof decompressors](bytes, { maxOutputLength: limitBytes })
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limitBytes)
    throw new BodyError('a compressed body that is cut off or damaged')
  }
}

function tooLarge(limitBytes: number): BodyError {
  return new BodyError(`a body of more than ${limitBytes} bytes`)
}

function describe(headers: AnswerHeaders): string {
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(headerText(headers, 'content-type') ?? '')
  return type ? `a body of type ${type[0]}` : 'a body'
}
