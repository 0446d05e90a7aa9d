import { createHash, type Hash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { schemaVersion } from '../../database/schema-version.ts'
import { closed } from '../../http/schemas.ts'
import { parsedJson } from '../../runtime/foreign/json.ts'
import { version } from '../../runtime/version.ts'
import { DumpError } from './moving-error.ts'

/** Increase when older versions cannot read what newer ones write. */
export const dumpFormat = 2

const naturalNumber = Type.Integer({ minimum: 0 })

const headerSchema = closed({
  format: Type.Literal(dumpFormat),
  wishwellVersion: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+' }),
  /** Of the dumped tables. */
  schemaVersion: Type.Integer({ minimum: 1 }),
  createdAt: Type.String({ minLength: 1 }),
  tables: Type.Array(closed({ name: Type.String(), rows: naturalNumber })),
})

const endSchema = closed({
  /** Each sequence's last value; null if it gave none. */
  sequences: Type.Record(Type.String(), Type.Union([naturalNumber, Type.Null()])),
  /** Of all previous lines, in hex. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})

export type DumpHeader = Static<typeof headerSchema>
export type DumpEnd = Static<typeof endSchema>

const ajv = new Ajv()
const isHeader = ajv.compile<DumpHeader>(headerSchema)
const isEnd = ajv.compile<DumpEnd>(endSchema)

/** The number of rows of all tables. */
export const countTotal = ({ tables }: DumpHeader): number => tables.reduce((sum, { rows }) => sum + rows, 0)

/** Bytes of rows in memory at once, roughly. */
export const batchBytes = 1_000_000

/** Longer than any row of a dump. */
export const maxLineBytes = 64_000_000

const lineFeed = 0x0a

const damaged = () => new DumpError('it is damaged, or was changed.')
const cutOff = () => new DumpError('it is incomplete: it was cut off.')
const notADump = () => new DumpError('it is not a dump of Wishwell.')

/** Rewords gunzip's errors. @param isBegun whether a line was read before */
function explain(error: unknown, isBegun: boolean): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'Z_BUF_ERROR') return cutOff()
  if (code?.startsWith('Z_')) return isBegun ? damaged() : notADump()
  // An error of the dump's source.
  if (/^E[A-Z]+$/.test(code ?? '')) return new DumpError(`it cannot be read (${(error as Error).message}).`)
  return error
}

/** The lines of compressed text, without line feeds; all but the last update the digest. */
async function* readLines(bytes: AsyncIterable<Uint8Array>, digest: Hash): AsyncGenerator<Buffer> {
  // The loop throws either stream's error.
  const text = pipeline(Readable.from(bytes, { objectMode: false }), createGunzip(), () => {})
  let parts: Buffer[] = []
  let length = 0
  let previous: Buffer | null = null
  const isBegun = () => previous !== null
  try {
    for await (const piece of text as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, from)) {
        if (previous) digest.update(previous).update('\n')
        previous = Buffer.concat([...parts, piece.subarray(from, at)])
        yield previous
        parts = []
        length = 0
        from = at + 1
      }
      parts.push(piece.subarray(from))
      length += piece.length - from
      if (length > maxLineBytes) throw isBegun() ? damaged() : notADump()
    }
  } catch (error) {
    throw explain(error, isBegun())
  } finally {
    text.destroy()
  }
  if (length > 0) throw isBegun() ? cutOff() : notADump()
}

/** @throws DumpError if this version cannot restore it. */
function readHeader(line: Buffer): DumpHeader {
  const value = parsedJson(line)
  const { format, wishwellVersion, schemaVersion: schema } = (value ?? {}) as Record<string, unknown>
  const isPrintable = typeof wishwellVersion === 'string' && /^[\w.-]{1,40}$/.test(wishwellVersion)
  if (!isPrintable || typeof schema !== 'number' || typeof format !== 'number') throw notADump()
  const from = `it was written by Wishwell ${wishwellVersion} with schema version ${schema}, and this is ${version} with ${schemaVersion}`
  if (schema > schemaVersion || format > dumpFormat) throw new DumpError(`${from}: update this one.`)
  if (schema < schemaVersion || format < dumpFormat) {
    throw new DumpError(`${from}: dump again with this version, which brings the database up to date first.`)
  }
  if (!isHeader(value)) throw damaged()
  return value
}

interface DumpedRows {
  table: string
  lines: readonly string[]
}

/** A dump with an accepted header. */
export interface OpenDump {
  header: DumpHeader
  /** In the header's order. @throws DumpError if cut off, damaged or changed, perhaps only at the end. */
  rows: AsyncGenerator<DumpedRows, DumpEnd>
}

/** Starts reading a dump. @throws DumpError if it is none, or this version cannot restore it. */
export async function openDump(bytes: AsyncIterable<Uint8Array>): Promise<OpenDump> {
  const digest = createHash('sha256')
  const lines = readLines(bytes, digest)
  const first = await lines.next()
  if (first.done) throw cutOff()
  const header = readHeader(first.value)
  return { header, rows: readRows(header, lines, digest) }
}

async function* readRows({ tables }: DumpHeader, lines: AsyncGenerator<Buffer>, digest: Hash): OpenDump['rows'] {
  const next = async () => {
    const { value, done } = await lines.next()
    if (done) throw cutOff()
    return value
  }
  try {
    for (const { name, rows } of tables) {
      let batch: string[] = []
      let bytes = 0
      for (let left = rows; left > 0; left--) {
        const line = await next()
        batch.push(line.toString())
        bytes += line.length
        if (left > 1 && bytes < batchBytes) continue
        yield { table: name, lines: batch }
        batch = []
        bytes = 0
      }
    }
    const end = parsedJson(await next())
    if (!isEnd(end)) throw damaged()
    if (!(await lines.next()).done) throw new DumpError('it goes on behind its end: is it several dumps in one file?')
    if (end.sha256 !== digest.digest('hex')) throw damaged()
    return end
  } finally {
    await lines.return(undefined)
  }
}
