import type { Transaction } from '../database/open.ts'
import { schemaVersion } from '../database/schema-version.ts'
import { version } from '../runtime/version.ts'
import { checksumOfRow } from './checksum.ts'
import { type DumpEnd, type DumpHeader, dumpFormat, firstDigest, formatMember } from './dump.ts'
import { packMember } from './member.ts'
import { countRows, type Key, readSlice } from './rows.ts'
import { readSequences } from './sequences.ts'
import type { MovedTable } from './tables.ts'

/** How much of a table is read at once: about so many bytes, as far as the rows before it say. */
const chunkBytes = 1_000_000
const maxChunkRows = 2_000
/** Rows of some tables are large: the first chunk of each has few. */
const firstChunkRows = 50

/** The number of rows of the next chunk. It depends on rows only, so that a second dump of the same rows is the same. */
const nextChunkRows = (rows: number, bytes: number): number =>
  Math.max(1, Math.min(maxChunkRows, Math.round((rows / bytes) * chunkBytes)))

/** The counts and checksums of the tables that were written so far. */
export type Totals = Map<string, { rows: number; checksum: bigint }>

/** Where a dump goes on: behind the last chunk that is written. */
export interface DumpPosition {
  /** How many chunks are written. */
  chunks: number
  digest: string
  totals: Totals
  /** The table of the last chunk and its last key; null before the first. */
  last: { table: string; key: Key; nextRows: number } | null
}

export const atBeginning = (): DumpPosition => ({ chunks: 0, digest: firstDigest, totals: new Map(), last: null })

/** A member of a dump, and how many rows are in the dump with it. */
export interface Part {
  bytes: Buffer
  rows: number
  digest: string
}

/** Adds a chunk to a position. */
export function advance(
  { chunks, totals }: DumpPosition,
  chunk: { table: string; rows: number; checksum: bigint; key: Key; bytes: number },
  digest: string,
): DumpPosition {
  const { table, rows, checksum, key, bytes } = chunk
  const before = totals.get(table) ?? { rows: 0, checksum: 0n }
  totals.set(table, { rows: before.rows + rows, checksum: before.checksum + checksum })
  return { chunks: chunks + 1, digest, totals, last: { table, key, nextRows: nextChunkRows(rows, bytes) } }
}

/** The first member. @param now when the dump is made. */
export async function writeHeader(
  transaction: Transaction,
  tables: readonly MovedTable[],
  now: Date,
): Promise<{ header: DumpHeader; bytes: Buffer }> {
  const counted: DumpHeader['tables'] = []
  for (const { name } of tables) counted.push({ name, rows: await countRows(transaction, name) })
  const header: DumpHeader = {
    format: dumpFormat,
    wishwellVersion: version,
    schemaVersion,
    createdAt: now.toISOString(),
    tables: counted,
  }
  return { header, bytes: await packMember(formatMember('dump', header, [], firstDigest).content) }
}

const endOf = ({ chunks, totals }: DumpPosition, sequences: DumpEnd['sequences']): DumpEnd => ({
  chunks,
  tables: Object.fromEntries(
    [...totals].map(([table, { rows, checksum }]) => [table, { rows, checksum: String(checksum) }]),
  ),
  sequences,
})

/** Reads the chunks of one table. @param from the last key that was written, null for none. */
async function* readTable(transaction: Transaction, table: MovedTable, from: Key | null, firstRows: number) {
  let after = from
  let limit = firstRows
  for (;;) {
    const { lines, lastKey } = await readSlice(transaction, table, after, limit)
    if (lastKey === null) return
    const bytes = lines.reduce((sum, line) => sum + line.length, 0)
    const checksum = lines.reduce((sum, line) => sum + checksumOfRow(line), 0n)
    yield { table: table.name, rows: lines.length, checksum, key: lastKey, bytes, lines }
    // Another one would find nothing.
    if (lines.length < limit) return
    after = lastKey
    limit = nextChunkRows(lines.length, bytes)
  }
}

/**
 * Writes the chunks behind a position, and the end. Only one chunk is in memory, however large the database is.
 * @param transaction sees one state of the database, in which the chunks before the position are as they were written.
 */
export async function* writeChunks(
  transaction: Transaction,
  tables: readonly MovedTable[],
  start: DumpPosition,
): AsyncGenerator<Part> {
  let position = start
  let rows = [...start.totals.values()].reduce((sum, total) => sum + total.rows, 0)
  const begun = tables.findIndex(({ name }) => name === start.last?.table)
  for (const table of tables.slice(Math.max(0, begun))) {
    const isBegun = table.name === start.last?.table
    const from = isBegun ? (start.last?.key ?? null) : null
    const firstRows = isBegun ? (start.last?.nextRows ?? firstChunkRows) : firstChunkRows
    for await (const { lines, ...chunk } of readTable(transaction, table, from, firstRows)) {
      const head = { table: chunk.table, rows: chunk.rows, checksum: String(chunk.checksum), key: chunk.key }
      const { content, digest } = formatMember('chunk', head, lines, position.digest)
      position = advance(position, chunk, digest)
      rows += chunk.rows
      yield { bytes: await packMember(content), rows, digest }
    }
  }
  const end = endOf(position, await readSequences(transaction))
  const { content, digest } = formatMember('end', end, [], position.digest)
  yield { bytes: await packMember(content), rows, digest }
}
