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

/** Rows read and changed per slice; fewer changes for many accounts, because others wait (docs/benchmarks.md). */
const sliceRows = 2_000
const sliceChanges = 100
const sliceViews = 400

/** Marks what only strictness hid as known to the account's watches, so that it is not reported as new. */
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

/** Sets an account's strictness and queues reclassification of what it sees, which a maintenance job runs. */
export const setStrictness = (database: Database, accountId: string, strictness: Strictness): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    const isStrict = strictness === 'strict'
    const { rows } = await sql`
      update accounts set is_strict = ${isStrict}, reclassified_to = ${firstId}::uuid
      where id = ${accountId} and deleted_at is null and is_strict <> ${isStrict} returning 1`.execute(transaction)
    if (rows.length > 0 && !isStrict) await knowHidden(transaction, accountId)
  })

/** Accounts wait at `firstId` until the current pass ends; then they all start the next pass here. */
const begin = '00000000-0000-0000-0000-000000000001'

interface Pass {
  accounts: string[]
  after: string
  /** Whether every transaction has ended that may have read the accounts' old strictness or data deleted since. */
  isSettled: boolean
}

/** The current pass, else the accounts waiting for the next one; null if there are none. */
async function readPass(database: Database): Promise<Pass | null> {
  // A row version is newer than all lower xids. Deriving standings takes an xid first, by locking the requests.
  const { rows } = await sql<Pass>`
    select array_agg(id) as accounts, reclassified_to as after,
      bool_and(age(xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)) as "isSettled"
    from accounts where reclassified_to is not null
    group by reclassified_to order by reclassified_to desc limit 1`.execute(database)
  return rows[0] ?? null
}

/** Records how far the pass has come, except for accounts switched meanwhile: they wait for the next pass. */
const noteProgress = (database: Database, { accounts, after }: Pass, to: string | null) =>
  sql`
    update accounts set reclassified_to = ${to}::uuid where id = any(array(
      select id from accounts where id = any(${accounts}::uuid[]) and reclassified_to = ${after}::uuid
      order by id for no key update))`.execute(database)

/** Reads the next requests that may change class for an account, and where the next slice starts (null: end). */
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

/** Reclassifies in the background until nothing is left; started by a maintenance job. */
export const createReclassifying = (database: Database, log: Pick<Logger, 'error'>): BackgroundRun =>
  createBackgroundRun({
    step: () => reclassifySlice(database),
    pauseFactor: 1,
    onError: (error) => log.error({ err: error }, 'reclassifying failed'),
  })

/** Runs a slice of a pass, shared by accounts that were switched before its start. @returns whether to go on. */
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
  // Last, so that a crash repeats a slice rather than skipping it.
  await noteProgress(database, pass, last)
  return true
}
