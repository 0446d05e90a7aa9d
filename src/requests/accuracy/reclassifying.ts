import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../database/open.ts'
import { type BackgroundRun, createBackgroundRun } from '../../runtime/background-run.ts'
import { firstId } from '../corrections/corrections.ts'
import { platformGroups, projectDetector, trackers } from '../detection/weights-file.ts'
import { conditionsOn } from '../filters/conditions.ts'
import { parseBodyFilters } from '../filters/filters.ts'
import { lockRequests } from '../store/request-locks.ts'
import { recomputeStandings } from '../store/standings.ts'
import { type Strictness, thresholdsBy } from '../views/strictness.ts'
import { recount } from '../wish-numbers/recount.ts'

/** How many requests a slice reads, and how many of them it derives anew in its transaction, which others wait for: fewer for many accounts. Measured: docs/benchmarks.md. */
const sliceRows = 2_000
const sliceChanges = 100
const sliceViews = 400

/**
 * The watches of an account know from now on what they found and only strictness hid: showing it is no news. What else hides a request stays unknown: a
 * correction, or a filter.
 */
async function knowHidden(transaction: Transaction, accountId: string): Promise<void> {
  const watches = transaction.selectFrom('watches').select(['id', 'filters']).where('account_id', '=', accountId)
  for (const { id, filters } of await watches.orderBy('id').execute()) {
    const passing = conditionsOn('requests', parseBodyFilters(filters, { accountId, hasOwnView: false }))
    await sql`
      with hidden as materialized (
        select known.source_hash, requests.id, requests.votes, requests.status
        from watch_requests as known join requests on requests.id = known.request_id
          join account_requests as own on own.request_id = requests.id and own.account_id = ${accountId} and own.standing = 1
        where ${sql.join([sql`known.watch_id = ${id} and known.votes is null and requests.standing in (-1, 2)`, ...passing], sql` and `)}
        order by known.source_hash for update of known
      )
      update watch_requests as known set votes = hidden.votes, status = hidden.status, wish_id = hidden.id
      from hidden where known.watch_id = ${id} and known.source_hash = hidden.source_hash`.execute(transaction)
  }
}

/** Sets how sure detection must be for an account, and has what it sees reclassified; a maintenance job does that. */
export const setStrictness = (database: Database, accountId: string, strictness: Strictness): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    const isStrict = strictness === 'strict'
    const { rows } = await sql`
      update accounts set is_strict = ${isStrict}, reclassified_to = ${firstId}::uuid
      where id = ${accountId} and deleted_at is null and is_strict <> ${isStrict} returning 1`.execute(transaction)
    if (rows.length > 0 && !isStrict) await knowHidden(transaction, accountId)
  })

/** Accounts wait at `firstId` until the pass under way has ended; then all of them begin the next one, here. */
const begin = '00000000-0000-0000-0000-000000000001'

interface Pass {
  accounts: string[]
  /** After which request its next slice begins. */
  after: string
  /** Whether all transactions have ended that may have read another strictness of these accounts, or what was deleted with one of them. */
  isSettled: boolean
}

/** The pass under way, or the accounts that wait for the next one; null when there are none. */
async function readPass(database: Database): Promise<Pass | null> {
  // A row was changed after each transaction that has a number below its own began. What derives standings has one: it locked its requests before.
  const { rows } = await sql<Pass>`
    select array_agg(id) as accounts, reclassified_to as after,
      bool_and(age(xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)) as "isSettled"
    from accounts where reclassified_to is not null
    group by reclassified_to order by reclassified_to desc limit 1`.execute(database)
  return rows[0] ?? null
}

/** Notes up to which request what these accounts see is derived anew; not of those that were switched meanwhile, which wait for the next pass. */
const noteProgress = (database: Database, { accounts, after }: Pass, to: string | null) =>
  sql`
    update accounts set reclassified_to = ${to}::uuid where id = any(array(
      select id from accounts where id = any(${accounts}::uuid[]) and reclassified_to = ${after}::uuid
      order by id for no key update))`.execute(database)

/** The next requests that one of these accounts may see in another class than it does, by id, and where the next slice begins: null at the end. */
async function readSlice(database: Database, { accounts, after }: Pass) {
  const strict = thresholdsBy('strict')
  const cuts = platformGroups.map((group) => ({
    is_tracker: group === 'tracker',
    usual: projectDetector()[group].thresholds.likely,
    strict: strict[group]!.likely,
  }))
  const changes = Math.min(sliceChanges, Math.ceil(sliceViews / accounts.length))
  const { rows } = await sql<{ ids: string[] | null; last: string | null }>`
    with slice as materialized (
      select request_id, platform, standing, confidence from request_facets
      where request_id > ${after}::uuid order by request_id limit ${sliceRows}
    ), differing as (
      select slice.request_id as id from slice
        join jsonb_to_recordset(${JSON.stringify(cuts)}::jsonb)
          as cut (is_tracker boolean, usual float8, strict float8)
          on is_tracker = (platform = any(${[...trackers]}::text[]))
        left join request_judgements as judged using (request_id)
      where (slice.standing >= 0 and (slice.confidence >= usual and slice.confidence < strict
          or judged.confidence >= usual and judged.confidence < strict))
        or exists (select from account_requests as own where own.request_id = slice.request_id and own.account_id = any(${accounts}::uuid[]))
      order by id limit ${changes}
    )
    select (select json_agg(id) from differing) as ids, case
      when (select count(*) from differing) = ${changes} then (select id from differing order by id desc limit 1)
      when (select count(*) from slice) = ${sliceRows} then (select request_id from slice order by request_id desc limit 1)
    end as last`.execute(database)
  return { ids: rows[0]!.ids ?? [], last: rows[0]!.last }
}

/** Reclassifies in the background until there is no more to do; a maintenance job begins it. */
export const createReclassifying = (database: Database, log: Pick<Logger, 'error'>): BackgroundRun =>
  createBackgroundRun({
    step: () => reclassifySlice(database),
    pauseFactor: 1,
    onError: (error) => log.error({ err: error }, 'reclassifying failed'),
  })

/**
 * A slice of a pass over all requests: derives how accounts that were switched see some of them anew. All that were before it began share a pass, so each
 * waits for one pass under way and its own, however many and however often others are switched.
 * @returns whether there may be more now.
 */
export async function reclassifySlice(database: Database): Promise<boolean> {
  const pass = await readPass(database)
  if (pass === null) return false
  if (pass.after === firstId) {
    await noteProgress(database, pass, begin)
    return true
  }
  if (pass.after === begin && !pass.isSettled) return false
  const { ids, last } = await readSlice(database, pass)
  await database.transaction().execute(async (transaction) => {
    await lockRequests(transaction, ids)
    await recomputeStandings(transaction, ids)
    await recount(transaction, { requests: ids })
  })
  // Afterwards: a slice is repeated rather than left out.
  await noteProgress(database, pass, last)
  return true
}
