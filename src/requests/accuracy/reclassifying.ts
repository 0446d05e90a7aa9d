import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Database, Executor } from '../../database/open.ts'
import { type Corrector, firstId } from '../corrections/corrections.ts'
import { type OwnThresholds, thresholdsOf } from '../detection/detect.ts'
import { platformGroups, trackers } from '../detection/weights-file.ts'
import { lockRequests } from '../store/request-locks.ts'
import { recomputeStandings } from '../views/standings.ts'
import { recount } from '../wishes/recount.ts'
import { isCutAsDrawn } from './draw.ts'
import { readLabels, readThresholds } from './labels.ts'
import { thresholdsBy } from './thresholds.ts'
import { knowMoved } from './watch-knowledge.ts'

/** How many requests a slice reads, and how many of them it derives anew in its transaction, which others wait for: 0.1 s. */
const sliceRows = 2_000
const sliceChanges = 100

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
    // Pages that are being stored are stored before: those of requests that nobody sees yet would be by the old thresholds.
    await takeLock(transaction, 'suppressions')
    const thresholds = Object.keys(own).length === 0 ? null : JSON.stringify(own)
    await sql`
      update accounts set thresholds = ${thresholds}::jsonb, reclassified_to = ${firstId}::uuid
      where id = ${accountId} and deleted_at is null`.execute(transaction)
    await knowMoved(transaction, { accountId, own })
  })

interface Reclassified {
  id: string
  thresholds: OwnThresholds | null
  after: string
}

/** The next requests that an account may see in another class than it does, by id, and after which request the next slice begins: null at the end. */
async function readSlice(executor: Executor, { id, thresholds, after }: Reclassified) {
  const cuts = platformGroups.map((group) => ({
    is_tracker: group === 'tracker',
    ...(thresholds?.[group] ?? thresholdsOf(group === 'tracker' ? 'github' : '')),
  }))
  const classOf = (confidence: string) => {
    const value = sql`${sql.ref(confidence)}::float8`
    return sql`(${value} >= likely)::integer + (${value} >= maybe)::integer`
  }
  const { rows } = await sql<{ ids: string[] | null; last: string | null }>`
    with slice as materialized (
      select request_id, platform, standing, confidence from request_facets
      where request_id > ${after}::uuid order by request_id limit ${sliceRows}
    ), differing as (
      select slice.request_id as id from slice
        join jsonb_to_recordset(${JSON.stringify(cuts)}::jsonb) as cut (is_tracker boolean, likely float8, maybe float8)
          on is_tracker = (platform = any(${[...trackers]}::text[]))
        left join request_judgements as judged using (request_id)
        left join account_requests as own on own.account_id = ${id}::uuid and own.request_id = slice.request_id
      where own.request_id is not null or (slice.standing >= 0
        and (${classOf('slice.confidence')} <> slice.standing or ${classOf('judged.confidence')} <> slice.standing))
      order by id limit ${sliceChanges}
    )
    select (select json_agg(id) from differing) as ids, case
      when (select count(*) from differing) = ${sliceChanges} then (select id from differing order by id desc limit 1)
      when (select count(*) from slice) = ${sliceRows} then (select request_id from slice order by request_id desc limit 1)
    end as last`.execute(executor)
  return { ids: rows[0]!.ids ?? [], last: rows[0]!.last }
}

/**
 * A maintenance job: derives how an account sees some of the requests anew after its thresholds moved.
 * @returns whether there is more.
 */
export async function reclassifySlice(database: Database): Promise<boolean> {
  const { rows } = await sql<Reclassified>`
    select id, thresholds, reclassified_to as after from accounts where reclassified_to is not null order by id limit 1`.execute(
    database,
  )
  const [account] = rows
  if (account === undefined) return false
  const { ids, last } = await readSlice(database, account)
  const { id, thresholds, after } = account
  await database.transaction().execute(async (transaction) => {
    await lockRequests(transaction, ids)
    // Before how it sees requests, as who deletes the account does.
    await sql`select from accounts where id = ${id} for no key update`.execute(transaction)
    await recomputeStandings(transaction, ids)
    // Unless they moved meanwhile, which begins anew.
    await sql`
      update accounts set reclassified_to = ${last}::uuid where id = ${id} and reclassified_to = ${after}::uuid
        and thresholds is not distinct from ${thresholds && JSON.stringify(thresholds)}::jsonb`.execute(transaction)
    await recount(transaction, { requests: ids })
  })
  return true
}
