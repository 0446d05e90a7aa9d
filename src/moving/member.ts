import { promisify } from 'node:util'
import { crc32, deflateRaw, gunzip } from 'node:zlib'
import { DumpError } from './moving-error.ts'

// A dump is a sequence of gzip members (RFC 1952), so zcat reads all of it. Each names its own size in an extra field, as in BGZF
// (SAM/BAM format specification, section 4.1): it can be read alone, and what is behind the last complete one can be cut off.

const deflate = promisify(deflateRaw)
const inflate = promisify(gunzip)

/** The header of gzip, and the extra field: two letters, its length, and the size of the member. */
const header = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 8, 0, 0x57, 0x57, 4, 0, 0, 0, 0, 0])
const sizeAt = 16
/** CRC-32 and length of the content. */
const trailerBytes = 8
/** Rows as JSON are repetitive: higher levels are slower and save little. */
const level = 3

/** More than any chunk has: a damaged size must not fill the memory. */
const maxMemberBytes = 64 * 1024 * 1024
const maxContentBytes = 64 * 1024 * 1024

/** Compresses a content into a member. */
export async function packMember(content: Buffer): Promise<Buffer> {
  const compressed = await deflate(content, { level })
  const trailer = Buffer.alloc(trailerBytes)
  trailer.writeUInt32LE(crc32(content), 0)
  trailer.writeUInt32LE(content.length, 4)
  const member = Buffer.concat([header, compressed, trailer])
  member.writeUInt32LE(member.length, sizeAt)
  return member
}

/** Takes exact numbers of bytes from a stream. */
function createByteReader(bytes: AsyncIterable<Uint8Array>) {
  const source = bytes[Symbol.asyncIterator]()
  let chunks: Uint8Array[] = []
  let buffered = 0
  return {
    /** @returns fewer bytes at the end of the stream. */
    take: async (amount: number): Promise<Buffer> => {
      while (buffered < amount) {
        const { value, done } = await source.next()
        if (done) break
        chunks.push(value)
        buffered += value.length
      }
      const all = Buffer.concat(chunks)
      chunks = all.length > amount ? [all.subarray(amount)] : []
      buffered = all.length - Math.min(amount, all.length)
      return all.subarray(0, amount)
    },
    end: async () => void (await source.return?.()),
  }
}

const incomplete = () => new DumpError('it is incomplete: it was cut off.')

/** The content of a member, with where the member ends in the stream. */
export interface Member {
  content: Buffer
  endsAt: number
}

/**
 * Reads member after member.
 * @throws DumpError when the stream is no dump, or it ends within a member, or a member is damaged.
 */
export async function* readMembers(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Member> {
  const reader = createByteReader(bytes)
  let position = 0
  try {
    for (;;) {
      const start = await reader.take(header.length)
      if (start.length === 0) return
      if (!start.subarray(0, sizeAt).equals(header.subarray(0, Math.min(sizeAt, start.length)))) {
        throw new DumpError(position === 0 ? 'it is not a dump of Wishwell.' : 'it is damaged.')
      }
      if (start.length < header.length) throw incomplete()
      const size = start.readUInt32LE(sizeAt)
      if (size < header.length + trailerBytes || size > maxMemberBytes) throw new DumpError('it is damaged.')
      const remainder = await reader.take(size - header.length)
      if (remainder.length < size - header.length) throw incomplete()
      const content = await inflate(Buffer.concat([start, remainder]), { maxOutputLength: maxContentBytes }).catch(
        () => {
          throw new DumpError('it is damaged.')
        },
      )
      position += size
      yield { content, endsAt: position }
    }
  } finally {
    await reader.end()
  }
}
