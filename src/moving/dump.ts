import { hash } from 'node:crypto'
import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { schemaVersion } from '../database/schema-version.ts'
import { closed } from '../http/schemas.ts'
import { version } from '../runtime/version.ts'
import { DumpError } from './moving-error.ts'

/** Counted up when an older Wishwell cannot read what a newer one writes. */
export const dumpFormat = 1

const naturalNumber = Type.Integer({ minimum: 0 })
const checksum = Type.String({ pattern: '^[0-9]{1,40}$' })
const digest = Type.String({ pattern: '^[0-9a-f]{64}$' })

const headerSchema = closed({
  format: Type.Literal(dumpFormat),
  wishwellVersion: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+' }),
  /** Of the tables that the rows are from. */
  schemaVersion: Type.Integer({ minimum: 1 }),
  createdAt: Type.String({ minLength: 1 }),
  /** In the order of the dump, with their numbers of rows. */
  tables: Type.Array(closed({ name: Type.String(), rows: naturalNumber })),
})

const chunkSchema = closed({
  table: Type.String(),
  rows: Type.Integer({ minimum: 1 }),
  checksum,
  /** Of the last row. */
  key: Type.Array(Type.String()),
})

const endSchema = closed({
  chunks: naturalNumber,
  tables: Type.Record(Type.String(), closed({ rows: naturalNumber, checksum })),
  /** The last value that each sequence gave; null for none. */
  sequences: Type.Record(Type.String(), Type.Union([naturalNumber, Type.Null()])),
})

const digestSchema = closed({ digest })

/** The first member of a dump. */
export type DumpHeader = Static<typeof headerSchema>
/** The first line of a chunk: up to some thousand rows of one table. */
export type ChunkHead = Static<typeof chunkSchema>
/** The last member of a dump. */
export type DumpEnd = Static<typeof endSchema>

const ajv = new Ajv()
const isHeader = ajv.compile<DumpHeader>(headerSchema)
const isChunkHead = ajv.compile<ChunkHead>(chunkSchema)
const isEnd = ajv.compile<DumpEnd>(endSchema)
const isDigestLine = ajv.compile<Static<typeof digestSchema>>(digestSchema)

/** The number of rows of all tables. */
export const countTotal = ({ tables }: DumpHeader): number => tables.reduce((sum, { rows }) => sum + rows, 0)

/** The digest before the first chunk. */
export const firstDigest = ''

const lineFeed = 0x0a

/**
 * A member has lines: a kind with a JSON object, the rows of a chunk, and the digest. The digest of a chunk is about its lines and the
 * digest before it, so it says which chunks came before. The header is no part of that: two dumps of the same rows have the same
 * digests.
 */
export interface MemberText {
  kind: 'dump' | 'chunk' | 'end'
  head: unknown
  /** The rows of a chunk, separated by line feeds; empty otherwise. */
  lines: string
  digest: string
}

const digestOf = (previous: string, body: string | Buffer) => hash('sha256', previous + hash('sha256', body))

/** Writes the lines of a member. @param previous the digest of the member before; `firstDigest` for the header. */
export function formatMember(
  kind: MemberText['kind'],
  head: object,
  lines: readonly string[],
  previous: string,
): { content: Buffer; digest: string } {
  const body = [`${kind} ${JSON.stringify(head)}`, ...lines].join('\n')
  const ownDigest = digestOf(previous, body)
  return { content: Buffer.from(`${body}\n${JSON.stringify({ digest: ownDigest })}\n`), digest: ownDigest }
}

const notReadable = () => new DumpError('it is damaged, or was changed.')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notReadable()
  }
}

/** Reads the lines of a member. @throws DumpError when they do not have the digest. */
export function parseMember(content: Buffer, previous: string): MemberText {
  const digestAt = content.lastIndexOf(lineFeed, content.length - 2)
  const body = content.subarray(0, Math.max(0, digestAt))
  const firstLineEnd = body.indexOf(lineFeed)
  const headEnd = firstLineEnd < 0 ? body.length : firstLineEnd
  const [, kind, json] = /^(dump|chunk|end) (\{.*\})$/.exec(body.toString('utf8', 0, headEnd)) ?? []
  const last = parseJson(content.toString('utf8', digestAt + 1))
  if (kind === undefined || json === undefined || !isDigestLine(last)) throw notReadable()
  if (last.digest !== digestOf(previous, body)) throw notReadable()
  return {
    kind: kind as MemberText['kind'],
    head: parseJson(json),
    lines: body.toString('utf8', headEnd + 1),
    digest: last.digest,
  }
}

/** Reads the first line of a dump. @throws DumpError when this Wishwell cannot import it. */
export function readHeader(value: unknown): DumpHeader {
  const { format, wishwellVersion, schemaVersion: schema } = (value ?? {}) as Record<string, unknown>
  const isPrintable = typeof wishwellVersion === 'string' && /^[\w.-]{1,40}$/.test(wishwellVersion)
  if (!isPrintable || typeof schema !== 'number' || typeof format !== 'number') throw notReadable()
  const from = `it was written by Wishwell ${wishwellVersion} with schema version ${schema}, and this is ${version} with ${schemaVersion}`
  if (schema > schemaVersion || format > dumpFormat) throw new DumpError(`${from}: update this one.`)
  if (schema < schemaVersion) {
    throw new DumpError(`${from}: export again with this version, which brings the exported database up to date.`)
  }
  if (!isHeader(value)) throw notReadable()
  return value
}

/** @throws DumpError when it is none. */
export function readChunkHead(value: unknown): ChunkHead {
  if (!isChunkHead(value)) throw notReadable()
  return value
}

/** @throws DumpError when it is none. */
export function readEnd(value: unknown): DumpEnd {
  if (!isEnd(value)) throw notReadable()
  return value
}
