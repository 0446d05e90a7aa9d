import { sql } from 'kysely'
import { lockAccount } from '../accounts/made-by-key.ts'
import { takeSourceLocks } from '../database/advisory-locks.ts'
import type { Database } from '../database/open.ts'
import { ServiceError } from '../http/errors.ts'
import type { FoundRequest } from '../platforms/platform.ts'
import { importPlatform } from '../platforms/registry.ts'
import { preparePage } from '../requests/store/prepared-page.ts'
import { type StoredPage, storePageAlone } from '../requests/store/store.ts'
import type { TextWriting } from '../requests/store/unwritten-texts.ts'
import { listImports } from './imports.ts'
import type { ImportName } from './names.ts'

/** Asks stored per transaction: in the embedded database all others wait, about a tenth of a second. */
const asksPerTransaction = 200
/** Maximum asks of a file that are searchable once it is answered: that takes a second or two. */
const asksFoundAtOnce = 2_000
/** Analyzes after these transactions, as nothing else does on a busy database: plans for small tables get slow. */
const analysedAfter: ReadonlySet<number> = new Set([10, 40, 160, 640])
const analyse = (database: Database) =>
  sql`analyze requests, request_facets, request_sources, account_requests, account_wishes, wish_queue`.execute(database)

const maxImports = 50
/** Maximum asks of all its imports, except by the last file. */
const maxAsks = 500_000

export interface StoredAsks {
  created: number
  /** Known asks with new content. */
  updated: number
  unchanged: number
  /** Asks that were purged, or whose authors were: not stored again. */
  suppressed: number
  /** New ones that are not likely requests, hidden from lists. */
  notLikely: number
}

/** What became of a page's asks. */
export const outcomeOf = (asks: number, { found, inserted, changed, notLikely }: StoredPage): StoredAsks => ({
  created: inserted,
  updated: changed,
  unchanged: found - inserted - changed,
  suppressed: asks - found,
  notLikely,
})

const ofAccount = (accountId: string) => sql`account_id = ${accountId}::uuid and platform = ${importPlatform}`

/** Its account sees its asks from then on. @throws ServiceError CONFLICT at a maximum; UNAUTHORIZED if deleted */
export async function openImport(
  database: Database,
  { accountId, source, asks, now }: { accountId: string; source: string; asks: number; now: Date },
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    // A page being stored there is stored before this, or sees it.
    await takeSourceLocks(transaction, [{ platform: importPlatform, source }], 'exclusive')
    // Deleted during the call: its asks would never be deleted.
    if (!(await lockAccount(transaction, accountId))) throw new ServiceError('UNAUTHORIZED', 'The account was deleted.')
    const { rows } = await sql<{ imports: number; others: number; own: number }>`
      select count(*) filter (where source <> ${source})::integer as imports,
        coalesce(sum(asks) filter (where source <> ${source}), 0)::integer as others,
        coalesce(sum(asks) filter (where source = ${source}), 0)::integer as own
      from (select source, (select count(*) from request_sources as found
        where found.platform = named.platform and found.source = named.source) as asks
        from account_sources as named where ${ofAccount(accountId)}) as each`.execute(transaction)
    const { imports, others, own } = rows[0]!
    if (imports >= maxImports)
      throw new ServiceError('CONFLICT', `An account has at most ${maxImports} imports. Delete one.`)
    // A full import takes no more, from forms either; how many asks are new is unknown yet.
    if (others + Math.max(own, asks) > maxAsks)
      throw new ServiceError(
        'CONFLICT',
        `An account has at most ${maxAsks.toLocaleString('en-US')} imported asks. Delete an import.`,
      )
    await sql`
      insert into account_sources (account_id, platform, source, named_at)
      values (${accountId}, ${importPlatform}, ${source}, ${now})
      on conflict (platform, source, account_id) do update set named_at = excluded.named_at`.execute(transaction)
  })
}

interface StoreOptions {
  accountId: string | null
  name: ImportName
  count: number
  now: Date
  /** Ends it between two transactions; repeating the import continues it. */
  signal: AbortSignal
}

/** Updates known ids, and prepares the next asks meanwhile. @param isLarge makes them searchable later */
async function storeBatches(
  database: Database,
  asks: AsyncIterable<FoundRequest>,
  { name, now, signal, isLarge }: StoreOptions & { isLarge: boolean },
): Promise<StoredAsks> {
  const stored: StoredAsks = { created: 0, updated: 0, unchanged: 0, suppressed: 0, notLikely: 0 }
  let storing: Promise<void> = Promise.resolve()
  let batch: FoundRequest[] = []
  let transactions = 0
  const flush = async () => {
    const requests = batch
    batch = []
    if (requests.length === 0) return
    const prepared = await preparePage(importPlatform, { requests: [], incomplete: requests }, null, isLarge)
    await storing
    signal.throwIfAborted()
    transactions += 1
    if (analysedAfter.has(transactions)) await analyse(database)
    const page = { platform: importPlatform, topic: name.name, jobId: null, now, ...prepared }
    storing = storePageAlone(database, page).then((result) => {
      const outcome = outcomeOf(prepared.requests.length, result)
      for (const key of Object.keys(stored) as (keyof StoredAsks)[]) stored[key] += outcome[key]
    })
    // Awaited by the next flush; until then nobody handles its failure.
    storing.catch(() => {})
  }
  for await (const ask of asks) {
    batch.push(ask)
    if (batch.length === asksPerTransaction) await flush()
  }
  await flush()
  await storing
  return stored
}

/** Search texts of large files follow in the background. @param asks distinct ids within 200; the last one counts */
export async function storeAsks(
  { database, texts }: { database: Database; texts: TextWriting },
  asks: AsyncIterable<FoundRequest>,
  options: StoreOptions,
): Promise<StoredAsks & { unindexed: number }> {
  const { accountId, name, count, now } = options
  if (accountId !== null && name.source !== null)
    await openImport(database, { accountId, source: name.source, asks: count, now })
  if (count <= asksFoundAtOnce)
    return { ...(await storeBatches(database, asks, { ...options, isLarge: false })), unindexed: 0 }
  const stored = await texts.after(() => storeBatches(database, asks, { ...options, isLarge: true }))
  const imports = await listImports(database, accountId)
  return { ...stored, unindexed: imports.find((one) => one.name === name.name)?.unindexed ?? 0 }
}
