import {
  type ChunkHead,
  countTotal,
  type DumpEnd,
  type DumpHeader,
  firstDigest,
  parseMember,
  readChunkHead,
  readEnd,
  readHeader,
} from './dump.ts'
import { readMembers } from './member.ts'
import { DumpError } from './moving-error.ts'
import type { MovingProgress } from './progress.ts'

/** A chunk of a dump. */
export interface Chunk extends ChunkHead {
  /** From 1. */
  number: number
  /** Its rows as JSON, separated by line feeds. */
  lines: string
  /** It depends on this chunk and all before. */
  digest: string
  /** Where it ends in the dump, in bytes. */
  endsAt: number
}

/** A dump whose header was read and accepted. */
export interface OpenDump {
  header: DumpHeader
  /** Where the header ends in the dump, in bytes. */
  headerEndsAt: number
  /** The chunks, then the end with the digest of the whole dump. @throws DumpError when the dump is incomplete, damaged or changed. */
  chunks: AsyncGenerator<Chunk, DumpEnd & { digest: string }>
}

type Members = ReturnType<typeof readMembers>

function countLines(lines: string): number {
  let count = 1
  for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', at + 1)) count++
  return count
}

async function* readChunks(members: Members, tables: readonly string[]): OpenDump['chunks'] {
  let tableIndex = 0
  let digest = firstDigest
  try {
    for (let number = 1; ; number++) {
      const { value: member, done } = await members.next()
      if (done) throw new DumpError('it is incomplete: it was cut off.')
      const { kind, head, lines, digest: own } = parseMember(member.content, digest)
      digest = own
      if (kind === 'end') return { ...(await finish(members, readEnd(head), number - 1)), digest }
      if (kind !== 'chunk') throw new DumpError('it has a second beginning: is it several dumps in one file?')
      const chunk = readChunkHead(head)
      tableIndex = tables.indexOf(chunk.table, tableIndex)
      if (tableIndex < 0 || countLines(lines) !== chunk.rows) throw new DumpError('it is damaged, or was changed.')
      yield { ...chunk, number, lines, digest, endsAt: member.endsAt }
    }
  } finally {
    await members.return(undefined)
  }
}

async function finish(members: Members, end: DumpEnd, chunks: number): Promise<DumpEnd> {
  if (end.chunks !== chunks) throw new DumpError('it is damaged, or was changed.')
  const { done } = await members.next()
  if (!done) throw new DumpError('it goes on behind its end: is it several dumps in one file?')
  return end
}

/** Begins to read a dump. @throws DumpError when it is none, or this Wishwell cannot import it. */
export async function openDump(bytes: AsyncIterable<Uint8Array>): Promise<OpenDump> {
  const members = readMembers(bytes)
  const { value: first, done } = await members.next()
  if (done) throw new DumpError('it is empty.')
  const { kind, head } = parseMember(first.content, firstDigest)
  if (kind !== 'dump') throw new DumpError('it is not a dump of Wishwell.')
  const header = readHeader(head)
  const names = header.tables.map(({ name }) => name)
  return { header, headerEndsAt: first.endsAt, chunks: readChunks(members, names) }
}

/** Adds the name of a dump to what is wrong with it; any other error stays as it is. */
export const nameDump = (name: string, error: unknown): unknown =>
  error instanceof DumpError ? new DumpError(`${name}: ${error.message}`) : error

/** Reads a whole dump and checks it. @throws DumpError */
export async function checkDump(
  bytes: AsyncIterable<Uint8Array>,
  onProgress: (progress: MovingProgress, chunk: Chunk) => void,
): Promise<DumpHeader> {
  const { header, chunks } = await openDump(bytes)
  const totalRows = countTotal(header)
  let rows = 0
  for await (const chunk of chunks) {
    rows += chunk.rows
    onProgress({ rows, totalRows, bytes: chunk.endsAt }, chunk)
  }
  return header
}
