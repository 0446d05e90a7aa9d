import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'

/** SQL: whether an account sees a request as likely. @param account as the query names it */
const isLikelyFor = (account: RawBuilder<unknown>) => sql<boolean>`coalesce(
  (select own.standing from account_requests as own
    where own.account_id = ${account} and own.request_id = requests.id), requests.standing) = 2`

export interface Watcher {
  accountId: string
  watchId: string
}

/** Watches whose last report had the request and whose account sees it as likely. */
export async function readWatchersOf(executor: Executor, requestId: string): Promise<Watcher[]> {
  const { rows } = await sql<Watcher>`
    select watches.account_id as "accountId", watches.id as "watchId"
    from watch_requests as known join watches on watches.id = known.watch_id join requests on requests.id = known.request_id
    where known.request_id = ${requestId} and known.votes is not null and known.is_present
      and ${isLikelyFor(sql.ref('watches.account_id'))}
    order by watches.id`.execute(executor)
  return rows
}

/** Ignoring a wish without a star means no interest. */
const isOfInterest = sql`(mark.starred or mark.mark is distinct from 'ignored')`

/** The accounts that marked a request's wish, in their own view, other than to ignore it. */
async function readMarkersOf(executor: Executor, requestId: string): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`
    with request as materialized (
      select id, standing, coalesce((select wish_id from wish_members where request_id = requests.id), id) as shared_wish
      from requests where id = ${requestId}
    ), candidates as (
      select mark.account_id, mark.wish_id from wish_marks as mark
        where mark.wish_id = (select shared_wish from request) and ${isOfInterest}
      union
      select mark.account_id, mark.wish_id from account_wish_members as own
        join wish_marks as mark on mark.account_id = own.account_id and mark.wish_id = own.wish_id
        where own.request_id = ${requestId} and ${isOfInterest}
      union
      select mark.account_id, mark.wish_id from account_wish_merges as own
        join wish_marks as mark on mark.account_id = own.account_id and mark.wish_id = own.into_wish_id
        where own.wish_id = (select shared_wish from request) and ${isOfInterest}
    )
    select distinct account_id from candidates, request as requests
    where wish_id = coalesce(
        (select own.wish_id from account_wish_members as own
          where own.account_id = candidates.account_id and own.request_id = requests.id),
        (select own.into_wish_id from account_wish_merges as own
          where own.account_id = candidates.account_id and own.wish_id = requests.shared_wish),
        requests.shared_wish)
      and ${isLikelyFor(sql.ref('candidates.account_id'))}`.execute(executor)
  return rows.map((row) => row.account_id)
}

/** The accounts that watch a request, or marked its wish (not ignoring it), and see it as likely; none if purged. */
export async function readConcernedAccounts(executor: Executor, requestId: string): Promise<string[]> {
  const watchers = await readWatchersOf(executor, requestId)
  const markers = await readMarkersOf(executor, requestId)
  return [...new Set([...watchers.map(({ accountId }) => accountId), ...markers])].sort()
}
