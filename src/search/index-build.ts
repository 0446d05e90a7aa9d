import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { tryLock } from '../database/advisory-locks.ts'
import type { Database, Executor, Transaction } from '../database/open.ts'

// Indexes that an engine needs beyond the migrations; on a full table they are built without blocking writers.

export interface BuildOptions {
  /** Whether others may write meanwhile, as on Postgres: then full tables get their index concurrently. */
  isShared: boolean
  /** Whether the index of a full table may be built now, which takes minutes. */
  buildsFullIndex: boolean
  log?: Pick<Logger, 'info'> | undefined
}

export interface EngineIndex {
  name: string
  before?(executor: Executor): Promise<void>
  create(executor: Executor, how: '' | 'concurrently'): Promise<void>
}

type IndexState = 'missing' | 'invalid' | 'valid'

/** With more texts a table is full: indexing it takes more than a second. */
const fullTexts = 10_000

const pauseMs = 500

/** The state of an index; `invalid` after an interrupted build. */
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

/** Prepares in one process at a time. The others poll: a waiting statement's snapshot would block concurrent builds. */
export async function withBuildLock(
  database: Database,
  run: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  for (;;) {
    const isDone = await database.transaction().execute(async (transaction) => {
      // The connection's limits are for queries, not builds.
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

/** Builds an index concurrently. Each statement is its own transaction. */
async function buildBesideWrites(
  database: Database,
  { name, before, create }: EngineIndex,
  log: BuildOptions['log'],
): Promise<void> {
  log?.info({ index: name }, 'building a search index of all texts: it takes minutes, and others store meanwhile')
  await before?.(database)
  const drop = () => sql`drop index concurrently if exists ${sql.id(name)}`.execute(database)
  // Left by an interrupted build.
  await drop()
  await create(database, 'concurrently').catch(async (error: unknown) => {
    // A failed index would slow down writes for nothing.
    await drop().catch(() => {})
    throw error
  })
  log?.info({ index: name }, 'the search index is built')
}

/** Creates a missing or half-built index. @throws if the table is full and its index may not be built. */
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
