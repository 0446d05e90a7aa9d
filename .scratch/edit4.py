import re
def sub(path, pairs):
    s=open(path).read()
    for a,b in pairs:
        assert a in s, (path, a[:90])
        s=s.replace(a,b)
    open(path,'w').write(s)

# advisory locks
s=open('src/database/advisory-locks.ts').read()
a=s.index("  /**\n   * Held while requests are stored or deleted")
b=s.index("  topics: 4_680_011,\n")+len("  topics: 4_680_011,\n")
s=s[:a]+"""  /**
   * Held by what changes which wish a request is in, or what corrections say about requests that are not stored: placing, corrections of wishes, purges,
   * and pages that bring back corrected requests. Other pages never take it.
   */
  memberships: 4_680_011,
  /** With the hash of a source of accounts: shared by pages that found requests there, exclusive for a job that names it. */
  source: 4_680_017,
"""+s[b:]
s=s.replace("'liveTopic' | 'wakeUp' | 'accountWishes'>","'liveTopic' | 'source' | 'wakeUp' | 'accountWishes'>")
s+='''
/** Takes the locks of these sources of accounts, in the order of their hashes. @param mode shared by pages, exclusive for a naming */
export async function takeSourceLocks(
  transaction: Transaction,
  sources: readonly { platform: string; source: string }[],
  mode: 'shared' | 'exclusive',
): Promise<void> {
  if (sources.length === 0) return
  const take = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  await sql`
    select ${take}(${sql.lit(numbers.source)}, hash)
    from (select distinct hashtext(key) as hash from unnest(${sources.map(({ platform, source }) => `${platform} ${source}`)}::text[]) as key
      order by 1) as hashes`.execute(transaction)
}
'''
open('src/database/advisory-locks.ts','w').write(s)

# store page
sub('src/requests/store/store.ts',[
("""  const identified = found.requests.map(({ request }) => request)
  const suppressed = identified.length === 0 ? new Set() : await findSuppressed(transaction, found.platform, identified)
  // Also for an empty page: that it was collected is noted with its topic, in the same transaction.
  await takeLock(transaction, 'topics')
  const requests""","""  const identified = found.requests.map(({ request }) => request)
  if (identified.length === 0) return { found: 0, created: 0, maybeCreated: 0 }
  // All advisory locks come before the locks of the requests.
  const suppressed = await findSuppressed(transaction, found.platform, identified)
  if (await bringsBackCorrected(transaction, found)) await takeLock(transaction, 'memberships')
  await takeSourceLocks(transaction, sourcesOf(found), 'shared')
  const requests"""),
("import { takeLock } from '../../database/advisory-locks.ts'","import { takeLock, takeSourceLocks } from '../../database/advisory-locks.ts'"),
("import { type SettledStandings, settleStandings } from './own-sources.ts'","import { bringsBackCorrected, type SettledStandings, settleStandings, sourcesOf } from './own-sources.ts'"),
])
sub('src/requests/store/own-sources.ts',[
("""/** Which of these new requests were corrected""","""/** The sources of accounts that a page has requests of. */
export const sourcesOf = ({ platform, requests }: FoundPage): { platform: string; source: string }[] =>
  [...new Set(requests.flatMap(({ request }) => request.ownSource ?? []))].map((source) => ({ platform, source }))

/** Whether corrections are about requests of this page that are not stored: storing them changes what the corrections refer to. */
export async function bringsBackCorrected(
  transaction: Transaction,
  { platform, requests }: FoundPage,
): Promise<boolean> {
  const { rows } = await sql<{ corrected: boolean }>`
    select exists (select from request_corrections) or exists (select from wish_placings) as corrected`.execute(
    transaction,
  )
  if (!rows[0]!.corrected) return false
  const hashes = requests.map(({ request }) => correctionHash(platform, request.sourceId))
  const isGone = sql`source_hash = any(${hashes}::text[]) and not exists (select from requests where requests.id = request_id)`
  const { rows: gone } = await sql`
    select from request_corrections where ${isGone} union all select from wish_placings where ${isGone} limit 1`.execute(
    transaction,
  )
  return gone.length > 0
}

/** Which of these new requests were corrected"""),
])
# upsert
s=open('src/requests/store/upsert.ts').read()
i=s.index("/**\n * Writes the requests of a page that are new or have changed")
s=s[:i]+'''const incomingColumns = sql`(source_id text, creates boolean, confidence real, standing smallint, status_changed_at timestamptz, ${refreshed.definitions})`

const incomingOf = (page: FoundPage, requests: FoundPage['requests']) =>
  sql`jsonb_to_recordset(${JSON.stringify(incomingRows(page, requests))}::jsonb) as incoming ${incomingColumns}`

/**
 * Inserts the requests of a page that are new and locks all others that are stored. One statement meets both in one order, so two pages with the
 * same requests wait for each other once, and never both.
 * @returns the new ones.
 */
async function insertOrLock(transaction: Transaction, page: FoundPage): Promise<StoredRequest[]> {
  const { platform, topic, now, requests } = page
  const { rows } = await sql<{ id: string; source_id: string; votes: number; creates: boolean; corrected: boolean }>`
    with incoming as materialized (select * from ${incomingOf(page, requests)}), written as (
      insert into requests (platform, source_id, ${refreshed.columns}, confidence, standing, status_changed_at, topic, created_at, updated_at)
      select ${platform}, source_id, ${refreshed.columns}, confidence, standing, status_changed_at, ${topicName(topic)}, ${now}, ${now}
      from incoming where creates or exists (
        select from requests as known where known.platform = ${platform} and known.source_id = incoming.source_id)
      order by source_id
      on conflict (platform, source_id) do update set votes = requests.votes where false
      returning id, source_id, votes
    )
    select id, source_id, written.votes, creates, exists (select from request_corrections) as corrected
    from written join incoming using (source_id)`.execute(transaction)
  // Off topic, and deleted between the reading of this statement and its lock.
  const unwanted = rows.filter(({ creates }) => !creates).map(({ id }) => id)
  if (unwanted.length > 0) await sql`delete from requests where id = any(${unwanted}::uuid[])`.execute(transaction)
  return rows
    .filter(({ creates }) => creates)
    .map(({ id, source_id, votes, corrected }) => ({
      id,
      source_id,
      votes,
      created: true,
      reclassified: false,
      maybe_corrected: corrected,
      before: null,
    }))
}

/** Writes the requests that have changed; all of them are locked. @returns those that are stored, changed or not. */
async function updateLocked(
  transaction: Transaction,
  page: FoundPage,
  requests: FoundPage['requests'],
): Promise<StoredRequest[]> {
  if (requests.length === 0) return []
  const { platform, now, markSeenBefore } = page
  const { known, excluded, assignments } = refreshed
  const changed = sql`((${known}) is distinct from (${excluded}) or ${statusDateIsNews})`
  const dueToBeMarked =
    markSeenBefore === null
      ? sql`false`
      : sql`greatest(requests.updated_at, requests.seen_at) < ${markSeenBefore}::timestamptz`
  const { rows } = await sql<StoredRequest>`
    with incoming as materialized (select *, ${now}::timestamptz as updated_at from ${incomingOf(page, requests)}),
    known as materialized (
      select id, source_id, confidence, standing, votes, updated_at from requests
      where platform = ${platform} and source_id = any(array(select source_id from incoming))
    ), written as (
      update requests set ${assignments}, ${statusAssignments},
        confidence = excluded.confidence,
        updated_at = case when ${changed} then excluded.updated_at else requests.updated_at end,
        seen_at = excluded.updated_at
      from known join incoming as excluded using (source_id)
      where requests.id = known.id
        and (${changed} or requests.confidence is distinct from excluded.confidence or ${dueToBeMarked})
      returning requests.id, requests.source_id, requests.confidence, requests.votes
    )
    select known.id, source_id, false as created, false as maybe_corrected,
      written.id is not null and ((written.confidence is distinct from known.confidence
          and (known.standing = -1 or known.standing <> incoming.standing))
        or exists (select from request_judgements where request_id = written.id)) as reclassified,
      coalesce(written.votes, known.votes) as votes,
      json_build_object('standing', known.standing, 'votes', known.votes, 'updatedAt', known.updated_at) as before
    from known left join written using (source_id) join incoming using (source_id)`.execute(transaction)
  return rows
}

/**
 * Writes the requests of a page that are new or have changed, and of those off topic only what is stored already. The standing of
 * a known request stays: it follows from more than the page. The transaction has the locks of all of them afterwards.
 * @returns all that are stored now, changed or not.
 */
export async function upsertRequests(transaction: Transaction, page: FoundPage): Promise<StoredRequest[]> {
  const created = await insertOrLock(transaction, page)
  const isNew = new Set(created.map(({ source_id }) => source_id))
  // A statement of its own: under the locks it reads what each request was before.
  const known = page.requests.filter(({ request }) => !isNew.has(request.sourceId))
  return [...created, ...(await updateLocked(transaction, page, known))]
}
'''
s=s.replace("""const incomingRows = ({ requests, platform, now }: FoundPage) =>
""","""const incomingRows = ({ platform, now }: FoundPage, requests: FoundPage['requests']) =>
""")
open('src/requests/store/upsert.ts','w').write(s)

# delete
sub('src/requests/store/delete.ts',[
("import { takeLock } from '../../database/advisory-locks.ts'\n",""),
("  await takeLock(transaction, 'topics')\n",""),
(" * @param chosen a query for their ids that locks the rows; it runs once, after the lock of the topics.\n"," * @param chosen a query for their ids that locks the rows, those that it waits for in the order of `lockRequests`; it runs once. The transaction\n * has no lock of other requests.\n"),
("it must see what a page wrote that the locks were waited for","it must see what a page wrote whose locks were waited for"),
])
sub('src/idempotency/store.ts',[
("""    where case when body like '{"data":{"results":[{%' then exists (select from ${results} where ${isDeleted}) end`""",
"""    where id = any(array(
      select id from idempotency_keys
      where case when body like '{"data":{"results":[{%' then exists (select from ${results} where ${isDeleted}) end
      order by id for no key update))`"""),
])
# refresh
sub('src/refreshing/apply.ts',[
("""/** Stores what a call returned for the claimed requests, in one transaction. */""","""/**
 * Stores what a call returned for the claimed requests, and deletes what is gone: in two transactions, because one that has the locks of some requests
 * must not wait for more. What a crash leaves in between is read again when its claim ends.
 */"""),
("""  return database.transaction().execute(async (transaction) => {
    await storePage(transaction, { ...page, platform, jobId: null, topic: '', now })
    const gone""","""  await database
    .transaction()
    .execute((transaction) => storePage(transaction, { ...page, platform, jobId: null, topic: '', now }))
  return database.transaction().execute(async (transaction) => {
    const gone"""),
("select id from requests where id = any(${gone}::uuid[]) order by id for update`","\n      select id from requests where id = any(${gone}::uuid[]) order by platform, source_id for update`"),
])
# standings
sub('src/requests/views/standings.ts',[
("import { takeLock } from '../../database/advisory-locks.ts'\n",""),
("  await takeLock(transaction, 'topics')\n",""),
(""" * It takes the lock `topics`, which comes before locks of rows: the caller takes it itself before it selects the ids by what another
 * transaction may change meanwhile, and before it locks rows of accounts or jobs.
""",""" * It locks the requests, which the caller does itself before it reads or writes what the standings follow from, and before it locks rows of accounts
 * or jobs.
"""),
("""async function writeViews(transaction: Transaction, ids: readonly string[], views: readonly View[]): Promise<void> {
""","""async function writeViews(transaction: Transaction, ids: readonly string[], views: readonly View[]): Promise<void> {
  // The deletion of an account deletes its rows of all requests, without the locks of these: in the same order.
  await sql`
    select from account_requests where request_id = any(${ids}::uuid[]) order by account_id, request_id for update`.execute(
    transaction,
  )
"""),
("""    update accounts set has_own_view = true where id = any(${accounts}::uuid[]) and not has_own_view`""","""    update accounts set has_own_view = true where id = any(array(
      select id from accounts where id = any(${accounts}::uuid[]) and not has_own_view order by id for no key update))`"""),
])
# first judgement, judging
sub('src/requests/store/first-judgement.ts',[("import { takeLock } from '../../database/advisory-locks.ts'\n",""),("    await takeLock(transaction, 'topics')\n","")])
sub('src/judging/judgements.ts',[("import { takeLock } from '../database/advisory-locks.ts'\n",""),("    await takeLock(transaction, 'topics')\n",""),
("      .where('id', '=', text.id)\n      .executeTakeFirst()","      .where('id', '=', text.id)\n      .forNoKeyUpdate()\n      .executeTakeFirst()")])
# account sources
sub('src/scraping/account-sources.ts',[("import { takeLock }","import { takeSourceLocks }"),
("""  // A page that finds requests in these sources is stored wholly before this naming, or reads it.
  await takeLock(transaction, 'topics')
""","""  // A page that finds requests in these sources is stored wholly before this naming, or reads it.
  await takeSourceLocks(transaction, rows, 'exclusive')
""")])
# purge
sub('src/requests/purge/purged-corrections.ts',[("  await takeLock(transaction, 'topics')\n","  await takeLock(transaction, 'memberships')\n"),
(""" * come again. Corrections of requests that are still stored stay. To be called after the requests are deleted.
""",""" * come again. Corrections of requests that are still stored stay. To be called after the requests are deleted, by a transaction that took the lock
 * `memberships` before the locks of requests.
"""),
("""    update accounts set corrections = corrections - counted.removed from counted
    where accounts.id = counted.account_id`""","""    , owners as materialized (
      select id from accounts where id in (select account_id from counted) order by id for no key update
    )
    update accounts set corrections = corrections - counted.removed from counted join owners on owners.id = counted.account_id
    where accounts.id = counted.account_id`""")])
s=open('src/requests/purge/purged-corrections.ts').read()
s=s.replace("group by 1\n    )\n    , owners","group by 1\n    ), owners")
open('src/requests/purge/purged-corrections.ts','w').write(s)
sub('src/requests/purge/purged-wish-corrections.ts',[("with the lock `topics`","with the lock `memberships`")])
sub('src/requests/purge/purge.ts',[("""    const ids = matches.map((match) => match.id)
    // Locked""","""    // Before the locks of the requests.
    await takeLock(transaction, 'memberships')
    const ids = matches.map((match) => match.id)
    // Locked"""),
("import type { PlatformName } from '../../database/column-types.ts'","import { takeLock } from '../../database/advisory-locks.ts'\nimport type { PlatformName } from '../../database/column-types.ts'")])
# corrections
sub('src/corrections/corrections.ts',[
("""    select id, platform, source_id from requests where id = ${requestId} and ${isVisibleTo(accountId)}`.execute(
    executor,
  )""","""    select id, platform, source_id from requests where id = ${requestId} and ${isVisibleTo(accountId)}
    for no key update of requests`.execute(transaction)"""),
("async function readRequest(executor: Executor, accountId","async function lockRequest(transaction: Transaction, accountId"),
("/** @throws ServiceError NOT_FOUND for a request that is not stored","/** Locks a request: until the transaction ends nothing else derives its standings. @throws ServiceError NOT_FOUND for a request that is not stored"),
("""  // Every standing is derived under this lock, so no page stores the request between the check and the correction.
  await takeLock(transaction, 'topics')
  const request = await readRequest(""","""  const request = await lockRequest("""),
("""  await takeLock(transaction, 'topics')
  const { sourceHash } = await readRequest(""","""  const { sourceHash } = await lockRequest("""),
("""  await takeLock(transaction, 'topics')
  return removeCorrection(""","""  // Before the row of the correction, as everywhere.
  await lockRequestsOf(
    transaction,
    sql`select request_id from request_corrections where source_hash = ${correctionId} and ${ownedBy(accountId)}`,
  )
  return removeCorrection("""),
(" * Removes a correction by the hash that it is stored under. The lock `topics` must be held."," * Removes a correction by the hash that it is stored under. Its request must be locked."),
("""  // Before the row of the account, as everywhere: two transactions never wait for each other.
  await takeLock(transaction, 'topics')
  await sql`delete from request_corrections where account_id = ${accountId}`.execute(transaction)
  await sql`delete from account_requests where account_id = ${accountId}`.execute(transaction)
""","""  // Before the row of the account, as everywhere: two transactions never wait for each other.
  await takeLock(transaction, 'memberships')
  await sql`delete from request_corrections where account_id = ${accountId}`.execute(transaction)
  await sql`
    with own as materialized (
      select request_id from account_requests where account_id = ${accountId} order by request_id for update
    )
    delete from account_requests using own
    where account_id = ${accountId} and account_requests.request_id = own.request_id`.execute(transaction)
"""),
("import type { Executor, Transaction } from '../database/open.ts'","import type { Transaction } from '../database/open.ts'"),
("import { correctionHash, recomputeStandings }","import { lockRequestsOf } from '../requests/store/request-locks.ts'\nimport { correctionHash, recomputeStandings }"),
])
# wishes
sub('src/wishes/placing/place.ts',[
("/** A request as it is now, under the lock of all writers of requests. */","/** A request as it is now, under its lock. */"),
("""    await takeLock(transaction, 'topics')
    const claims = proposals.map(({ claim }) => claim)
    const claimed""","""    await takeLock(transaction, 'memberships')
    const claims = proposals.map(({ claim }) => claim)
    // Before their rows in the queue, as pages do.
    await lockRequests(
      transaction,
      proposals.flatMap(({ claim, targets }) => [claim.id, ...targets.map(({ coreId }) => coreId)]),
    )
    const claimed"""),
("import { correctionHash } from '../../requests/views/standings.ts'","import { lockRequests } from '../../requests/store/request-locks.ts'\nimport { correctionHash } from '../../requests/views/standings.ts'"),
])
sub('src/wishes/marks/marks.ts',[("takeLock(transaction, 'topics')","takeLock(transaction, 'memberships')")])
sub('src/wishes/corrections/corrections.ts',[
("""  // Every membership is written under this lock, so none changes between the check and the correction.
  await takeLock(transaction, 'topics')
  const into""","""  await lockWishes(transaction, accountId, [fromWishId, toWishId])
  const into"""),
("""  await takeLock(transaction, 'topics')
  const members""","""  await lockWishes(transaction, accountId, [wishId])
  const members"""),
("import { takeLock } from '../../database/advisory-locks.ts'\n",""),
("import { type Member, readMembers } from './members.ts'","import { type Member, readMembers } from './members.ts'\nimport { lockWishes } from './wish-locks.ts'"),
])
sub('src/wishes/corrections/apply.ts',[("The lock `topics` must be held. */","The wishes must be locked. */"),("The lock `topics` must be held.\n","The wishes must be\n * locked (`wish-locks.ts`).\n")])
sub('src/wishes/corrections/undo.ts',[
("""  await takeLock(transaction, 'topics')
  const { rows } = await sql`
    select from wish_corrections where id""","""  const { rows } = await sql<{ from_wish_id: string; to_wish_id: string }>`
    select from_wish_id, to_wish_id from wish_corrections where id"""),
("""  if (rows.length === 0) return false
  const undone""","""  const [correction] = rows
  if (!correction) return false
  await lockWishes(transaction, accountId, [correction.from_wish_id, correction.to_wish_id])
  const undone"""),
("""  await takeLock(transaction, 'topics')
  // Before""","""  await takeLock(transaction, 'memberships')
  // Before"""),
("""  await sql`delete from account_wishes where account_id = ${accountId}`.execute(transaction)
""","""  // When the transaction commits, it deletes the wishes that the account saw differently: others may be counting them now.
  await sql`
    insert into wish_changes (account_ids, account_wish_ids)
    select array_agg(account_id), array_agg(wish_id) from account_wishes where account_id = ${accountId}
    having count(*) > 0`.execute(transaction)
"""),
("import { applyCorrections } from './apply.ts'","import { applyCorrections } from './apply.ts'\nimport { lockWishes } from './wish-locks.ts'"),
])
open('src/wishes/corrections/wish-locks.ts','w').write('''import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Transaction } from '../../database/open.ts'
import { isId } from '../../http/ids.ts'
import { lockRequestsOf } from '../../requests/store/request-locks.ts'

/**
 * Locks what a correction of these wishes may move: the requests of all wishes that merges and earlier corrections connect with them, so that no
 * page changes one of them meanwhile; and that nothing else changes a membership until the transaction ends. To be called before
 * the members are read.
 * @param accountId null for the operator, whose corrections may move the requests of any account's wishes.
 */
export async function lockWishes(
  transaction: Transaction,
  accountId: string | null,
  wishIds: readonly string[],
): Promise<void> {
  await takeLock(transaction, 'memberships')
  const ids = wishIds.filter(isId)
  const concerns = accountId === null ? sql`true` : sql`(account_id is null or account_id = ${accountId}::uuid)`
  const holds = sql`kind = 'merge' and undone_at is null and ${concerns}`
  await lockRequestsOf(
    transaction,
    sql`with recursive connected (id) as (
        select unnest(${ids}::uuid[])
        union
        select neighbour.id from connected, lateral (
          select to_wish_id as id from wish_corrections where from_wish_id = connected.id and ${holds}
          union all
          select from_wish_id from wish_corrections where to_wish_id = connected.id and ${holds}
          union all
          select wish_id from wish_placings where ${concerns} and source_hash in (
            select source_hash from wish_placings as here where here.wish_id = connected.id)
        ) as neighbour
      )
      select id from connected
      union select request_id from wish_members join connected on connected.id = wish_id
      union select request_id from wish_placings join connected on connected.id = wish_id`,
  )
}
''')
# live
sub('src/live/collections.ts',[
("""  // Pages read the mark of their job under this lock, when they store the topic.
  await takeLock(transaction, 'topics')
  await sql`update scrape_jobs set from_expansion = false where ${isOf}`.execute(transaction)
  await sql`update topics set from_expansion = false where key = any(${[...keys]}::text[]) and from_expansion`.execute(
    transaction,
  )""","""  // Jobs first, each kind in one order: a page that makes the topic has locked its job.
  await sql`
    update scrape_jobs set from_expansion = false where id = any(array(
      select id from scrape_jobs where ${isOf} order by id for no key update))`.execute(transaction)
  await sql`
    update topics set from_expansion = false where key = any(array(
      select key from topics where key = any(${[...keys]}::text[]) and from_expansion order by key for no key update))`.execute(
    transaction,
  )"""),
("import { takeLiveTopicLocks, takeLock }","import { takeLiveTopicLocks }"),
])
# topic links
s=open('src/requests/store/topic-links.ts').read()
i=s.index("  const key = topicKey(topic)\n")
j=s.index("  await sql`\n    insert into request_topics")
s=s[:i]+"""  const key = topicKey(topic)
  const created = [...stored.values()].filter((row) => row.created).map(({ id }) => id)
  await ensureTopic(transaction, { key, topic, unownedJobId, now, isListedPage, created })
"""+s[j:]
s=s.replace("""/**
 * Links the requests of a page""","""interface NewTopic {
  key: string
  topic: string
  unownedJobId: string | undefined
  now: Date
  /** Whether the page has listed requests of the topic. */
  isListedPage: boolean
  /** The requests that the page created. */
  created: readonly string[]
}

/** Whether only an expansion thought of the topic. The mark is only ever cleared; while it is set, its job is locked, so that no call clears it meanwhile. */
async function isFromExpansion(transaction: Transaction, unownedJobId: string | undefined): Promise<boolean> {
  if (unownedJobId === undefined) return false
  const isMarked = sql`select from scrape_jobs where id = ${unownedJobId}::uuid and from_expansion`
  const { rows } = await isMarked.execute(transaction)
  if (rows.length === 0) return false
  return (await sql`${isMarked} for no key update`.execute(transaction)).rows.length > 0
}

/**
 * Stores a topic that is new, or gives one without listed requests the spelling of this page. The row of any other topic is not locked: pages of one
 * topic would wait for each other.
 */
async function ensureTopic(
  transaction: Transaction,
  { key, topic, unownedJobId, now, isListedPage, created }: NewTopic,
): Promise<void> {
  const { rows } = await sql<{ name: string; from_expansion: boolean; is_listed: boolean }>`
    select name, from_expansion, ${isListedTopic} as is_listed from topics where key = ${key}`.execute(transaction)
  const [known] = rows
  if (known !== undefined && (known.is_listed || !isListedPage)) return
  const fromExpansion = await isFromExpansion(transaction, unownedJobId)
  if (known?.name === topic && known.from_expansion === fromExpansion) return
  await sql`
    insert into topics (key, name, created_at, collected_at, from_expansion)
    values (${key}, ${topic}, ${now}, ${now}, ${fromExpansion}) on conflict do nothing`.execute(transaction)
  await sql`select from topics where key = ${key} for no key update`.execute(transaction)
  // A statement of its own: it must see whether a page that was waited for has listed the topic.
  await sql`
    update topics set name = ${topic}, created_at = ${now}, from_expansion = ${fromExpansion}
    where key = ${key} and ${isListedPage} and not ${isListedTopic}
      and (name, from_expansion) is distinct from (${topic}, ${fromExpansion}::boolean)`.execute(transaction)
  await sql`
    update requests set topic = ${topicName(topic)} where id = any(${[...created]}::uuid[]) and topic <> ${topicName(topic)}`.execute(
    transaction,
  )
}

/**
 * Links the requests of a page""")
s=s.replace("import { isListedTopic } from './listed-topics.ts'","import { isListedTopic, topicName } from './listed-topics.ts'")
open('src/requests/store/topic-links.ts','w').write(s)
# texts comment ok
# migration: memberships lock for re-collection
sub('src/database/migrations/version-4/wish-commits.ts',[
("""  `create constraint trigger count_changed_wishes""","""  // Corrections say where requests of this page belong: nothing else may change a membership then. A page that knows it has the lock already.
  `create function lock_memberships() returns trigger language plpgsql ${planned} as $$
    begin
      if exists (select from wish_placings) and exists (
        select from new_requests as fresh join wish_placings on source_hash = encode(sha256(
          convert_to(fresh.platform, 'UTF8') || '\\\\x00696400'::bytea || convert_to(fresh.source_id, 'UTF8')), 'hex')) then
        -- The number is in src/database/advisory-locks.ts.
        perform pg_advisory_xact_lock(4680011);
      end if;
      return null;
    end $$`,
  // Its name comes before that of place_corrected_requests, so it is called before.
  `create trigger lock_memberships after insert on requests referencing new table as new_requests
    for each statement execute function lock_memberships()`,
  `create constraint trigger count_changed_wishes"""),
])
# tests
sub('test/database.ts',[("""  for (const lock of ['topics', 'vocabulary', 'topicCounts'] as const) await takeLock(transaction, lock)
""","""  for (const lock of ['suppressions', 'memberships', 'topicCounts', 'vocabulary'] as const) await takeLock(transaction, lock)
""")])
