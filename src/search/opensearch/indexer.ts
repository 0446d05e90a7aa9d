import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type ClaimedRow, claimRows, releaseClaims } from '../../database/claimed-work.ts'
import type { Database, Executor } from '../../database/open.ts'
import { pauseUnlessAborted } from '../../runtime/abort.ts'
import { type BackgroundRun, createBackgroundRun } from '../../runtime/background-run.ts'
import { commitPosition, readChanges } from '../outbox/outbox.ts'
import { type Cluster, IndexMissingError } from './cluster.ts'
import { readWrites } from './documents.ts'
import { advanceIndexes, replaceIndex } from './indexes.ts'

interface ClaimedConsumer extends ClaimedRow {
  /** Whether all requests are copied, so it follows changes. */
  isCopied: boolean
  /** The last copied request; null before the first. */
  copiedThrough: string | null
}

/** Claims a consumer with changes to read or requests to copy; null if there is none. */
export async function claimConsumer(
  executor: Executor,
  names: readonly string[],
  claimMs: number,
): Promise<ClaimedConsumer | null> {
  const [consumer] = await claimRows<Omit<ClaimedConsumer, keyof ClaimedRow>>(executor, 'search_consumers', {
    where: sql`name = any(${[...names]}::text[]) and (not is_copied or exists (
      select from search_changes
      where transaction_id >= pg_snapshot_xmin(position) and not pg_visible_in_snapshot(transaction_id, position)))`,
    order: sql`random()`,
    ...{ max: 1, claimMs },
    columns: sql`is_copied as "isCopied", copied_through as "copiedThrough"`,
  })
  return consumer ?? null
}

export interface IndexerOptions {
  database: Database
  cluster: Cluster
  log: Pick<Logger, 'info' | 'warn'>
}

/** Feeds the cluster's indexes with database changes. Runs in any number of processes; one feeds an index at a time. */
export interface Indexer {
  start(): void
  /** Does all current work that is not claimed by others. @throws errors of the cluster or database. */
  catchUp(): Promise<void>
  stop(): Promise<void>
}

const pollMs = 250
const advanceMs = 2_000
const sliceRequests = 500
/** The time of a slice, after which others take over a dead process's claim. */
const claimMs = 5_000
/** The pause after a failure, to spare an unavailable cluster. */
const pauseAfterFailureMs = 2_000

/** Copies the next requests, ordered by id. */
async function copySlice(
  { database, cluster }: IndexerOptions,
  { id: name, copiedThrough: through }: ClaimedConsumer,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from requests where ${through === null ? sql`true` : sql`id > ${through}::uuid`}
    order by id limit ${sql.lit(sliceRequests)}`.execute(database)
  const ids = rows.map(({ id }) => id)
  const writes = ids.length === 0 ? [] : await readWrites(database, ids)
  // Requests without a text cannot be found yet; writing the text logs a change.
  await cluster.write(
    name,
    writes.filter(({ fields }) => fields !== null),
  )
  // If our claim expired, another process may be further along: then continue from there.
  await sql`
    update search_consumers set copied_through = ${ids.at(-1) ?? through}::uuid, is_copied = ${ids.length < sliceRequests}
    where name = ${name} and copied_through is not distinct from ${through}::uuid and not is_copied`.execute(database)
}

/** Writes the next changes. @returns false if the consumer is no longer registered. */
async function writeChanges({ database, cluster }: IndexerOptions, { id: name }: ClaimedConsumer): Promise<boolean> {
  const changes = await readChanges(database, name, sliceRequests)
  if (changes === null) return false
  for (let start = 0; start < changes.ids.length; start += sliceRequests) {
    await cluster.write(name, await readWrites(database, changes.ids.slice(start, start + sliceRequests)))
  }
  await commitPosition(database, name, changes)
  return true
}

export function createIndexer(options: IndexerOptions): Indexer {
  const { database, cluster, log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let feeding: BackgroundRun | null = null
  let indexes: string[] = []
  let advancedAt = Number.NEGATIVE_INFINITY

  const advance = async () => {
    indexes = await advanceIndexes(database, cluster, signal)
    advancedAt = performance.now()
  }

  /** Takes one slice of an index that no other process has claimed. @returns whether there was one. */
  const takeSlice = async (): Promise<boolean> => {
    const consumer = await claimConsumer(database, indexes, claimMs)
    if (consumer === null) return false
    const { id: name, isCopied } = consumer
    try {
      if (!isCopied) await copySlice(options, consumer)
      else if (!(await writeChanges(options, consumer))) await replaceIndex(database, name, 'changes lost')
    } catch (error) {
      if (!(error instanceof IndexMissingError)) throw error
      log.warn({ index: name }, 'the search cluster has lost an index: it is built anew')
      await replaceIndex(database, name, 'index lost')
      await advance()
    } finally {
      await releaseClaims(database, 'search_consumers', [consumer])
    }
    return true
  }

  const catchUp = async () => {
    await advance()
    while (!signal.aborted && (await takeSlice()));
    await advance()
  }

  let failing = false
  const step = async (): Promise<boolean> => {
    try {
      if (performance.now() - advancedAt > advanceMs) await advance()
      const more = await takeSlice()
      if (failing) log.info('the search index is fed again')
      failing = false
      return more
    } catch (error) {
      if (signal.aborted) return false
      if (!failing) log.warn({ err: error }, 'the search index cannot be fed now; its changes wait in the database')
      failing = true
      await pauseUnlessAborted(pauseAfterFailureMs, signal)
      return false
    }
  }

  return {
    start: () => {
      feeding ??= createBackgroundRun({ everyMs: pollMs, step, onError: (error) => log.warn({ err: error }) })
    },
    catchUp,
    stop: async () => {
      stopping.abort(new Error('the indexer stops'))
      await feeding?.stop()
    },
  }
}
