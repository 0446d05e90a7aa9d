import type { Transaction } from '../database/open.ts'
import type { DumpHeader } from './dump.ts'
import { DumpError } from './moving-error.ts'
import { openDump } from './read-dump.ts'
import { type Key, summarize } from './rows.ts'
import type { MovedTable } from './tables.ts'
import { advance, atBeginning, type DumpPosition } from './write-dump.ts'

/** Where an export goes on that broke off. */
export interface Continuation {
  position: DumpPosition
  /** How many bytes of what is written stay. */
  bytes: number
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * Compares what an earlier export wrote with the database, in which each chunk is counted and summed up: that takes a fraction of the
 * time that writing it takes.
 * @param header what a new dump would begin with.
 * @returns where to go on; null where nothing of it can be used, because a row changed since, or it is of another database.
 */
export async function findContinuation(
  transaction: Transaction,
  tables: readonly MovedTable[],
  header: DumpHeader,
  written: AsyncIterable<Uint8Array>,
): Promise<Continuation | null> {
  try {
    const dump = await openDump(written)
    // Equal counts, and equal chunks below: then no row is behind the last chunk of a table that is written completely.
    if (!isSame(dump.header.tables, header.tables)) return null
    return await compareChunks(transaction, tables, dump)
  } catch (error) {
    if (error instanceof DumpError) return null
    throw error
  }
}

async function compareChunks(
  transaction: Transaction,
  tables: readonly MovedTable[],
  { chunks, headerEndsAt }: Awaited<ReturnType<typeof openDump>>,
): Promise<Continuation | null> {
  let continuation: Continuation = { position: atBeginning(), bytes: headerEndsAt }
  try {
    for await (const { table: name, rows, checksum, key, lines, digest, endsAt } of chunks) {
      const table = tables.find((candidate) => candidate.name === name)
      if (table === undefined) return null
      const { last } = continuation.position
      const after: Key | null = last?.table === name ? last.key : null
      if (!isSame(await summarize(transaction, table, { after, until: key }), { rows, checksum })) return null
      // The line feeds between the rows are not counted.
      const bytes = lines.length - (rows - 1)
      const chunk = { table: name, rows, checksum: BigInt(checksum), key, bytes }
      continuation = { position: advance(continuation.position, chunk, digest), bytes: endsAt }
    }
  } catch (error) {
    // It was cut off within a chunk: that is where it goes on.
    if (!(error instanceof DumpError)) throw error
  }
  return continuation
}
