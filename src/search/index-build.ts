import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { tryLock } from '../database/advisory-locks.ts'
import type { Database, Executor, Transaction } from '../database/open.ts'

// Indexes that an engine needs beside those of the migrations. A full table stays open to writers while its index is built.

export interface BuildOptions {
  /** Whether others may write at the same time, as on Postgres: then an index of a full table is built beside their writes. */
  isShared: boolean
  /** Whether an index of a full table may be built now: it takes minutes. */
  buildsFullIndex: boolean
  log?: Pick<Logger, 'info'> | undefined
}

export interface EngineIndex {
  name: string
  /** Runs before an index is made. */
  before?(executor: Executor): Promise<void>
  create(executor: Executor, how: '' | 'concurrently'): Promise<void>
}

type IndexState = 'missing' | 'invalid' | 'valid'

/** A table of more texts is full: an index of it takes more than a second. */
const fullTexts = 10_000

/** How long a process waits before it tries again to build, while another one builds. */
const pauseMs = 500

/** The state of an index; `invalid` is what an interrupted build leaves. */
export async function readIndexState(executor: Executor, name: string): Promise<IndexState> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index
    where indexrelid = to_regclass(quote_ident(current_schema()) || '.' || quote_ident(${name}))`.execute(executor)
  if (rows[0] === undefined) return 'missing'
  return rows[0].valid ? 'valid' : 'invalid'
}

async function isFull(executor: Executor): Promise<boolean> {
  const { rows } = await sql<{ full: boolean }>`
    select count(*) > ${sql.lit(fullTexts)} as full
    from (select from request_texts limit ${sql.lit(fullTexts + 1)}) as first_ones`.execute(executor)
  return rows[0]!.full
}

/**
 * Runs a part of the preparation in one process at a time. The others try again and again: while one of them waited for the lock inside a
 * statement, its snapshot would hold up an index that is built beside writes.
 */
export async function withBuildLock(
  database: Database,
  run: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  for (;;) {
    const isDone = await database.transaction().execute(async (transaction) => {
      // A build takes as long as it takes; the limits of the connection are for queries.
      await sql`set local statement_timeout = 0`.execute(transaction)
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
      if (!(await tryLock(transaction, 'searchIndex'))) return false
      await run(transaction)
      return true
    })
    if (isDone) return
    await sleep(pauseMs)
  }
}

/** Builds an index beside the writes of others. Each statement is a transaction of its own. */
async function buildBesideWrites(
  database: Database,
  { name, before, create }: EngineIndex,
  log: BuildOptions['log'],
): Promise<void> {
  log?.info({ index: name }, 'building a search index of all texts: it takes minutes, and others store meanwhile')
  await before?.(database)
  const drop = () => sql`drop index concurrently if exists ${sql.id(name)}`.execute(database)
  // What an interrupted build left.
  await drop()
  await create(database, 'concurrently').catch(async (error: unknown) => {
    // An index that failed would cost every write, and help no search.
    await drop().catch(() => {})
    throw error
  })
  log?.info({ index: name }, 'the search index is built')
}

/**
 * Makes an index if it is missing, or if its build was interrupted. Nothing else is locked when the table is full.
 * @throws when it would have to build the index of a full table, and may not.
 */
export const prepareIndex = (database: Database, index: EngineIndex, options: BuildOptions): Promise<void> =>
  withBuildLock(database, async (transaction) => {
    const state = await readIndexState(transaction, index.name)
    if (state === 'valid') return
    if (options.isShared && (await isFull(transaction))) {
      if (options.buildsFullIndex) return buildBesideWrites(database, index, options.log)
      throw new Error(
        'its index is missing, and to build it for all stored texts takes minutes: run `wishwell admin migrate`, which builds it while others store',
      )
    }
    await index.before?.(transaction)
    if (state === 'invalid') await sql`drop index ${sql.id(index.name)}`.execute(transaction)
    await index.create(transaction, '')
  })
