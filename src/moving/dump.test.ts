import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { schemaVersion } from '../database/schema-version.ts'
import { version } from '../runtime/version.ts'
import { dumpFormat, firstDigest, formatMember } from './dump.ts'
import { packMember, readMembers } from './member.ts'
import { checkDump } from './read-dump.ts'

const header = {
  format: dumpFormat,
  wishwellVersion: version,
  schemaVersion,
  createdAt: '2026-11-23T00:00:00Z',
  tables: [
    { name: 'accounts', rows: 2 },
    { name: 'requests', rows: 3 },
  ],
}

const chunkOf = (table: string, lines: string[]) => ({
  head: { table, rows: lines.length, checksum: '1', key: [lines.at(-1) ?? ''] },
  lines,
})
const chunks = [
  chunkOf('accounts', ['{"id":1}', '{"id":2}']),
  chunkOf('requests', ['{"id":3}', '{"id":4}']),
  chunkOf('requests', ['{"id":5}']),
]

/** The members of a dump of three chunks. */
async function makeMembers({ head = header as object, end = {} } = {}): Promise<Buffer[]> {
  const members = [await packMember(formatMember('dump', head, [], firstDigest).content)]
  let digest = firstDigest
  for (const { head: of, lines } of chunks) {
    const { content, digest: own } = formatMember('chunk', of, lines, digest)
    members.push(await packMember(content))
    digest = own
  }
  const last = {
    chunks: 3,
    tables: { accounts: { rows: 2, checksum: '1' } },
    sequences: { ids: 7, others: null },
    ...end,
  }
  return [...members, await packMember(formatMember('end', last, [], digest).content)]
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const check = (bytes: Buffer, size = 1_000) => checkDump(inPieces(bytes, size), () => {})

const members = await makeMembers()
const dump = Buffer.concat(members)

describe('a dump', () => {
  it.each([1, 7, 100_000])('is read from a stream in pieces of %i bytes', async (size) => {
    const seen: unknown[] = []
    await checkDump(inPieces(dump, size), (_progress, chunk) =>
      seen.push([chunk.number, chunk.table, chunk.rows, chunk.lines]),
    )
    expect(seen).toEqual([
      [1, 'accounts', 2, '{"id":1}\n{"id":2}'],
      [2, 'requests', 2, '{"id":3}\n{"id":4}'],
      [3, 'requests', 1, '{"id":5}'],
    ])
  })

  it('is a gzip file, as text: zcat prints it', () => {
    const text = gunzipSync(dump).toString()
    expect(text).toMatch(/^dump \{"format":1,/)
    expect(text.trimEnd().split('\n')).toHaveLength(2 + 4 + 4 + 3 + 2)
  })

  it('is found incomplete wherever it is cut off', async () => {
    for (let bytes = 0; bytes < dump.length; bytes++) {
      const message = /^it is (empty|incomplete|not a dump of Wishwell)/
      await expect(check(dump.subarray(0, bytes)), `${bytes} bytes`).rejects.toThrow(message)
    }
  })

  it('is found damaged whichever byte differs', async () => {
    let unchanged = 0
    for (let at = 0; at < dump.length; at++) {
      const damaged = Buffer.from(dump)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x20, at)
      const outcome = await check(damaged).then(
        () => 'read',
        (error: Error) => error.message,
      )
      // Some bits at the end of a compressed member have no meaning.
      if (outcome === 'read') unchanged++
      else expect(outcome, `byte ${at}`).toMatch(/^it is (damaged|incomplete|not a dump)/)
    }
    expect(unchanged).toBeLessThanOrEqual(members.length)
  })

  it('is found changed when a row is changed and the file packed again', async () => {
    const changed: Buffer[] = []
    for await (const { content } of readMembers(inPieces(dump, 1_000))) {
      changed.push(await packMember(Buffer.from(content.toString().replace('{"id":4}', '{"id":9}'))))
    }
    await expect(check(Buffer.concat(changed))).rejects.toThrow('it is damaged, or was changed.')
  })

  it.each([
    ['a chunk is missing', [0, 1, 3, 4]],
    ['two chunks are exchanged', [0, 1, 3, 2, 4]],
    ['a chunk is there twice', [0, 1, 2, 2, 3, 4]],
    ['only its end is left', [0, 4]],
    ['it has no header', [1, 2, 3, 4]],
    ['another dump follows', [0, 1, 2, 3, 4, 0]],
    ['another dump begins in it', [0, 1, 0, 1, 2, 3, 4]],
  ])('is refused when %s', async (_what, order) => {
    const bytes = Buffer.concat(order.map((index) => members[index] as Buffer))
    await expect(check(bytes)).rejects.toThrow(/^it (is damaged|is not a dump|goes on behind its end|has a second)/)
  })

  it.each([
    ['', 'it is empty.'],
    ['hello, this is a text of some length', 'it is not a dump of Wishwell.'],
    [gzipSync('dump {}\n'), 'it is not a dump of Wishwell.'],
    [Buffer.concat([dump.subarray(0, 16), Buffer.from([0xff, 0xff, 0xff, 0xff])]), 'it is damaged.'],
  ])('is not taken for one: %j', async (bytes, message) => {
    await expect(check(Buffer.from(bytes))).rejects.toThrow(message)
  })

  it('of another version is refused in one sentence that says what to do', async () => {
    const ofVersion = async (schema: number, format = dumpFormat) =>
      check(Buffer.concat(await makeMembers({ head: { ...header, schemaVersion: schema, format, unknown: 1 } })))
    await expect(ofVersion(schemaVersion + 1)).rejects.toThrow(`with schema version ${schemaVersion + 1}, and this is`)
    await expect(ofVersion(schemaVersion + 1)).rejects.toThrow('update this one.')
    await expect(ofVersion(schemaVersion, dumpFormat + 1)).rejects.toThrow('update this one.')
    await expect(ofVersion(schemaVersion - 1)).rejects.toThrow('export again with this version')
    await expect(ofVersion(schemaVersion)).rejects.toThrow('it is damaged, or was changed.')
  })

  it('is refused when its end says another number of chunks', async () => {
    await expect(check(Buffer.concat(await makeMembers({ end: { chunks: 4 } })))).rejects.toThrow('it is damaged')
  })
})
