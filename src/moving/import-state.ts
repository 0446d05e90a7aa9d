import type { Executor, Transaction } from '../database/open.ts'
import { firstDigest } from './dump.ts'
import { MovingError } from './moving-error.ts'

/** How far a dump is imported. */
export interface ImportState {
  chunks: number
  digest: string
  /** Whether all rows were compared with the dump. */
  isEnded: boolean
}

/** @returns null where no import was begun. */
export async function readImportState(executor: Executor): Promise<ImportState | null> {
  const row = await executor.selectFrom('data_import').select(['chunks', 'digest', 'ended_at']).executeTakeFirst()
  return row === undefined ? null : { chunks: row.chunks, digest: row.digest, isEnded: row.ended_at !== null }
}

/** A service must not start on a part of the data. @throws MovingError */
export async function requireNoUnfinishedImport(executor: Executor): Promise<void> {
  const state = await readImportState(executor)
  if (state === null || state.isEnded) return
  throw new MovingError(
    'The import into this database is unfinished: run "wishwell import" again with the same dump, or use an empty database.',
  )
}

export async function beginImport(transaction: Transaction, now: Date): Promise<ImportState> {
  await transaction
    .insertInto('data_import')
    .values({ chunks: 0, digest: firstDigest, begun_at: now, ended_at: null })
    .execute()
  return { chunks: 0, digest: firstDigest, isEnded: false }
}

/** Counts a chunk, in the transaction that stores it. @throws MovingError when another process has stored it. */
export async function advanceImport(transaction: Transaction, number: number, digest: string): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('data_import')
    .set({ chunks: number, digest })
    .where('chunks', '=', number - 1)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new MovingError('Another process imports into this database.')
}

export async function endImport(executor: Executor, now: Date): Promise<void> {
  await executor.updateTable('data_import').set({ ended_at: now }).execute()
}
