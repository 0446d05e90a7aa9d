import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { schemaVersion } from '../../database/schema-version.ts'
import { version } from '../../runtime/version.ts'
import { dumpFormat, openDump } from './dump-format.ts'

// Holds (Data): a truncated, damaged or altered dump is refused and changes nothing

const header = {
  format: dumpFormat,
  wishwellVersion: version,
  schemaVersion,
  createdAt: '2026-11-23T00:00:00Z',
  tables: [
    { name: 'accounts', rows: 2 },
    { name: 'empty', rows: 0 },
    { name: 'requests', rows: 3 },
  ],
}
const rows = ['{"id":1}', '{"id":2,"name":"ü\\u2028"}', '{"id":3}', '{"id":4}', '{"id":5}']

/** A dump with its right digest, of any lines. */
function makeDump({ head = header as object, lines = rows, end = {} } = {}): Buffer {
  const text = [JSON.stringify(head), ...lines].map((line) => `${line}\n`).join('')
  const sha256 = createHash('sha256').update(text).digest('hex')
  return gzipSync(`${text}${JSON.stringify({ sequences: { ids: 7, others: null }, sha256, ...end })}\n`)
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Reads a whole dump. */
async function read(bytes: Buffer, size = 1_000) {
  const dump = await openDump(inPieces(bytes, size))
  const seen: [string, string][] = []
  for (;;) {
    const { value, done } = await dump.rows.next()
    if (done) return { seen, end: value }
    for (const line of value.lines) seen.push([value.table, line])
  }
}

const dump = makeDump()
const outcomeOf = (bytes: Buffer) =>
  read(bytes).then(
    () => 'read',
    (error: Error) => error.message,
  )

describe('a dump', () => {
  it.each([1, 7, 100_000])('is read from a stream in pieces of %i bytes', async (size) => {
    const { seen, end } = await read(dump, size)
    expect(seen).toEqual(rows.map((row, index) => [index < 2 ? 'accounts' : 'requests', row]))
    expect(end.sequences).toEqual({ ids: 7, others: null })
  })

  it('is a text of one line a row: zcat prints it', () => {
    expect(gunzipSync(dump).toString().trimEnd().split('\n').slice(1, -1)).toEqual(rows)
  })

  it('is found incomplete wherever it is cut off', async () => {
    for (let bytes = 0; bytes < dump.length; bytes++)
      expect(await outcomeOf(dump.subarray(0, bytes)), `${bytes} bytes`).toBe('it is incomplete: it was cut off.')
  })

  it('is found damaged whichever byte differs', async () => {
    // The header of gzip has ten bytes, some of which say only who packed it.
    for (let at = 10; at < dump.length; at++) {
      const damaged = Buffer.from(dump)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x20, at)
      const outcome = await outcomeOf(damaged)
      // Some bits have no meaning, such as those behind the last one of the compressed text.
      if (outcome === 'read') expect(gunzipSync(damaged).equals(gunzipSync(dump)), `byte ${at}`).toBe(true)
      else expect(outcome, `byte ${at}`).toMatch(/^it (is|was|goes) /)
    }
  })

  const changed = (text: string, from: string, to: string) => gzipSync(text.replace(from, to))
  const text = gunzipSync(dump).toString()
  it.each([
    ['a row differs', changed(text, '{"id":4}', '{"id":9}')],
    ['a row is missing', changed(text, '{"id":4}\n', '')],
    ['a row is there twice', changed(text, '{"id":4}\n', '{"id":4}\n{"id":4}\n')],
    ['two rows are exchanged', changed(text, '{"id":3}\n{"id":4}', '{"id":4}\n{"id":3}')],
    ['its end has another form', makeDump({ end: { more: 1 } })],
    ['its header has another form', makeDump({ head: { ...header, more: 1 } })],
    ['its header promises more rows', makeDump({ head: { ...header, tables: [{ name: 'accounts', rows: 7 }] } })],
    ['it was cut off and packed again', gzipSync(text.slice(0, -100))],
  ])('is refused when %s', async (_what, bytes) => {
    expect(await outcomeOf(bytes)).toMatch(/^it is (damaged, or was changed|incomplete: it was cut off)\.$/)
  })

  it.each([
    ['a text', Buffer.from('hello, this is a text of some length'), 'it is not a dump of Wishwell.'],
    ['another gzip file', gzipSync('hello\n'), 'it is not a dump of Wishwell.'],
    ['a gzip file without lines', gzipSync('hello'), 'it is not a dump of Wishwell.'],
    ['two dumps', Buffer.concat([dump, dump]), 'it goes on behind its end: is it several dumps in one file?'],
  ])('is not taken for one: %s', async (_what, bytes, message) => {
    expect(await outcomeOf(bytes)).toBe(message)
  })

  it('with a line of any length is refused before it is in memory', async () => {
    const bomb = gzipSync(Buffer.alloc(80_000_000, 'a'))
    expect(await outcomeOf(bomb)).toBe('it is not a dump of Wishwell.')
  })

  it('of another version is refused in one sentence that says what to do', async () => {
    const ofVersion = (schema: number, format = dumpFormat) =>
      outcomeOf(makeDump({ head: { ...header, schemaVersion: schema, format, unknown: 1 } }))
    expect(await ofVersion(schemaVersion + 1)).toMatch(/with schema version \d+, and this is .*: update this one\.$/)
    expect(await ofVersion(schemaVersion, dumpFormat + 1)).toMatch(/update this one\.$/)
    expect(await ofVersion(schemaVersion - 1)).toMatch(/dump again with this version/)
    expect(await ofVersion(schemaVersion, dumpFormat - 1)).toMatch(/dump again with this version/)
    expect(await ofVersion(schemaVersion)).toBe('it is damaged, or was changed.')
  })
})
