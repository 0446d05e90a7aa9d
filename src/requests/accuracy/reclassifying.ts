import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { type BackgroundRun, createBackgroundRun } from '../../runtime/background-run.ts'
import { type Corrector, firstId } from '../corrections/corrections.ts'
import type { OwnThresholds } from '../detection/detect.ts'
import { platformGroups, projectDetector, trackers } from '../detection/weights-file.ts'
import { lockRequests } from '../store/request-locks.ts'
import { recomputeStandings } from '../views/standings.ts'
import { recount } from '../wishes/recount.ts'
import { isCutAsDrawn } from './draw.ts'
import { readLabels, readThresholds } from './labels.ts'
import { thresholdsBy } from './thresholds.ts'
import { knowMoved } from './watch-knowledge.ts'

/** How many requests a slice reads, and how many of them it derives anew in its transaction, which others wait for: fewer for many accounts. Measured: docs/benchmarks.md. */
const sliceRows = 2_000
const sliceChanges = 100
const sliceViews = 400

/**
 * Moves the thresholds of an account by its labels, if these say something else by now; a maintenance job then reclassifies what it sees. The operator has
 * no thresholds: the common ones are trained. They move once a week at most, since labels can be changed as often as one likes: while they are those by
 * which the texts of the week were drawn.
 * @param week its Monday. @param isAnswered whether its labels count, too
 */
export async function moveThresholds(
  database: Database,
  { accountId, week, isAnswered }: Corrector & { week: string; isAnswered: boolean },
): Promise<void> {
  if (accountId === null || !(await isCutAsDrawn(database, accountId, week))) return
  const moved = thresholdsBy(await readLabels(database, accountId, isAnswered ? null : week))
  if (isDeepStrictEqual(moved, await readThresholds(database, accountId))) return
  await setThresholds(database, accountId, moved)
}

/** Sets what classes of an account are cut by, and has what it sees reclassified. @param own nothing for the common thresholds */
export const setThresholds = (database: Database, accountId: string, own: OwnThresholds): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    const thresholds = Object.keys(own).length === 0 ? null : JSON.stringify(own)
    await sql`
      update accounts set thresholds = ${thresholds}::jsonb, reclassified_to = ${firstId}::uuid
      where id = ${accountId} and deleted_at is null`.execute(transaction)
    await knowMoved(transaction, { accountId, own })
  })

/** Accounts wait at `firstId` until the pass under way has ended; then all of them begin the next one, here. */
const begin = '00000000-0000-0000-0000-000000000001'

interface Pass {
  accounts: string[]
  thresholds: (OwnThresholds | null)[]
  /** After which request its next slice begins. */
  after: string
  /** Whether all transactions have ended that may have read other thresholds of these accounts, or what was deleted with one of them. */
  isSettled: boolean
}

/** The pass under way, or the accounts that wait for the next one; null when there are none. */
async function readPass(database: Database): Promise<Pass | null> {
  // A row was changed after each transaction that has a number below its own began. What derives standings has one: it locked its requests before.
  const { rows } = await sql<Pass>`
    select array_agg(id) as accounts, json_agg(thresholds) as thresholds, reclassified_to as after,
      bool_and(age(xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)) as "isSettled"
    from accounts where reclassified_to is not null
    group by reclassified_to order by reclassified_to desc limit 1`.execute(database)
  return rows[0] ?? null
}

/** Notes up to which request what these accounts see is derived anew; not of those whose thresholds moved meanwhile, which wait for the next pass. */
const noteProgress = (database: Database, { accounts, after }: Pass, to: string | null) =>
  sql`
    update accounts set reclassified_to = ${to}::uuid where id = any(array(
      select id from accounts where id = any(${accounts}::uuid[]) and reclassified_to = ${after}::uuid
      order by id for no key update))`.execute(database)

/** The next requests that one of these accounts may see in another class than it does, by id, and where the next slice begins: null at the end. */
async function readSlice(database: Database, { accounts, thresholds, after }: Pass) {
  const cuts = platformGroups.map((group) => {
    const all = thresholds.map((own) => own?.[group] ?? projectDetector()[group].thresholds)
    const likely = all.map((one) => one.likely)
    const maybe = all.map((one) => one.maybe)
    return {
      is_tracker: group === 'tracker',
      ...{ least_likely: Math.min(...likely), most_likely: Math.max(...likely) },
      ...{ least_maybe: Math.min(...maybe), most_maybe: Math.max(...maybe) },
    }
  })
  // Where neither the lowest nor the highest thresholds say another class, none between them do.
  const differs = (confidence: string) => {
    const standingBy = (
      which: 'least' | 'most',
    ) => sql`(${sql.ref(confidence)}::float8 >= ${sql.ref(`${which}_likely`)})::integer
      + (${sql.ref(confidence)}::float8 >= ${sql.ref(`${which}_maybe`)})::integer`
    return sql`${standingBy('least')} <> slice.standing or ${standingBy('most')} <> slice.standing`
  }
  const changes = Math.min(sliceChanges, Math.ceil(sliceViews / accounts.length))
  const { rows } = await sql<{ ids: string[] | null; last: string | null }>`
    with slice as materialized (
      select request_id, platform, standing, confidence from request_facets
      where request_id > ${after}::uuid order by request_id limit ${sliceRows}
    ), differing as (
      select slice.request_id as id from slice
        join jsonb_to_recordset(${JSON.stringify(cuts)}::jsonb)
          as cut (is_tracker boolean, least_likely float8, most_likely float8, least_maybe float8, most_maybe float8)
          on is_tracker = (platform = any(${[...trackers]}::text[]))
        left join request_judgements as judged using (request_id)
      where (slice.standing >= 0 and (${differs('slice.confidence')} or ${differs('judged.confidence')}))
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
 * A slice of a pass over all requests: derives how accounts whose thresholds moved see some of them anew. All that moved before it began share a pass, so each
 * waits for one pass under way and its own, however many and however often others move.
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
