import { sql } from 'kysely'
import { type RequestStatus, type Standing, standings } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import { insertFacets } from './copies.ts'
import type { FoundPage } from './prepared-page.ts'
import { refreshed, refreshedValues, toPastDate } from './refreshed-columns.ts'
import { standingOfConfidence } from './standings.ts'
import { topicName } from './topic-counts.ts'

// Fragments of the upsert: `requests` is the stored row, `excluded` the incoming one.

/** Whether the platform's date of the status differs from the stored one. */
const statusDateIsNews = sql`(excluded.status_changed_at is not null
  and excluded.status_changed_at is distinct from requests.status_changed_at)`

/** Whether a status was read before, so that another one is a change. */
const wasRead = sql`(requests.status is not null or excluded.status <> 'open')`

/** Whether the platform reports another status without its date. */
const isObserved = sql`(excluded.status is not null and excluded.status_changed_at is null
  and excluded.status is distinct from requests.status and ${wasRead})`

/** When the status changed: the platform's date, else when the change was first seen; null if unknown. */
const statusAssignments = sql`
  status_changed_at = case
    when excluded.status_changed_at is not null then excluded.status_changed_at
    when ${isObserved} then excluded.updated_at
    when excluded.status = requests.status then requests.status_changed_at end,
  status_observed = ${isObserved}
    or (excluded.status_changed_at is null and excluded.status is not null and excluded.status = requests.status
      and requests.status_observed)`

/** A page's request after storing. */
export interface StoredRequest {
  id: string
  source_id: string
  created: boolean
  /**
   * Whether a known request's class may have changed: a model judged its text, or its confidence changed and no longer
   * fits its standing, the request is unlisted, or an account is strict.
   */
  reclassified: boolean
  changed: boolean
  /** Whether a known request's searched columns changed. */
  rewritten: boolean
  /** Whether it is new and corrections exist, one of which may be for an earlier request with the same id. */
  maybe_corrected: boolean
  votes: number
  status: RequestStatus | null
  /** The previous row; null if new. */
  before: { standing: Standing; votes: number; status: RequestStatus | null; updatedAt: string } | null
}

const incomingRows = ({ platform, now }: FoundPage, requests: FoundPage['requests']) =>
  requests.map(({ request, relevance, confidence, voice }) => ({
    source_id: request.sourceId,
    creates: relevance !== 'offTopic',
    confidence,
    // Unlisted until `recomputeStandings` derives how its source's accounts see it.
    standing: request.ownSource === null ? standingOfConfidence(confidence, platform) : -1,
    status_changed_at: request.status === null ? null : toPastDate(request.statusChangedAt, now),
    ...refreshedValues(request, { platform, now, voice }),
  }))

const incomingColumns = sql`(source_id text, creates boolean, confidence real, standing smallint, status_changed_at timestamptz, ${refreshed.definitions})`

const incomingOf = (page: FoundPage, requests: FoundPage['requests']) =>
  sql`jsonb_to_recordset(${JSON.stringify(incomingRows(page, requests))}::jsonb) as incoming ${incomingColumns}`

/** Random; with stars, it sorts before others of equal votes, fewer stars first. UUID v8 (RFC 9562, 5.8). */
const newId = sql`case when stars is null then gen_random_uuid()
  else regexp_replace(gen_random_uuid()::text, '^.{8}(.{6}).', 'fffffff' || 6 - least(greatest(stars, 1), 5) || '\\18')::uuid end`

interface InsertedOrLocked {
  created: StoredRequest[]
  locked: Set<string>
}

/**
 * Inserts new requests and locks the stored ones, in one statement and order so that pages cannot deadlock. Does not
 * lock an off-topic request that another page is just storing.
 */
async function insertOrLock(transaction: Transaction, page: FoundPage): Promise<InsertedOrLocked> {
  const { platform, topic, now, requests } = page
  const { rows } = await sql<{
    id: string | null
    source_id: string
    votes: number
    status: RequestStatus | null
    creates: boolean
    corrected: boolean
  }>`
    with incoming as materialized (
      select * from ${incomingOf(page, requests)} where creates or exists (
        select from requests as known where known.platform = ${platform} and known.source_id = incoming.source_id)
    ), written as (
      insert into requests (id, platform, source_id, ${refreshed.columns}, confidence, standing, status_changed_at, topic, created_at, updated_at)
      select ${newId}, ${platform}, source_id, ${refreshed.columns}, confidence, standing, status_changed_at, ${topicName(topic)}, ${now}, ${now}
      from incoming order by source_id
      on conflict (platform, source_id) do update set votes = requests.votes where false
      returning id, source_id, platform, status, standing, votes, posted_at, confidence, tags, product
    ), copied as (
      ${insertFacets(sql`(select written.* from written join incoming using (source_id) where creates) as fresh`)}
    )
    select id, source_id, written.votes, written.status, creates, exists (select from request_corrections) or exists (select from wish_placings) as corrected
    from incoming left join written using (source_id)`.execute(transaction)
  const inserted = rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ id, ...row }]))
  // Off-topic requests deleted between this statement's read and its lock.
  const unwanted = inserted.filter(({ creates }) => !creates).map(({ id }) => id)
  if (unwanted.length > 0) await sql`delete from requests where id = any(${unwanted}::uuid[])`.execute(transaction)
  return {
    created: inserted.filter(({ creates }) => creates).map(toCreated),
    locked: new Set(rows.filter(({ id }) => id === null).map(({ source_id }) => source_id)),
  }
}

const toCreated = (
  row: Pick<StoredRequest, 'id' | 'source_id' | 'votes' | 'status'> & { corrected: boolean },
): StoredRequest => ({
  id: row.id,
  source_id: row.source_id,
  votes: row.votes,
  status: row.status,
  created: true,
  reclassified: false,
  changed: false,
  rewritten: false,
  maybe_corrected: row.corrected,
  before: null,
})

/** The columns of the searched text (`searchTextOf`). */
const searched = (table: string) =>
  sql.join(['title', 'description', 'tags', 'author_name', 'author_handle'].map((name) => sql.ref(`${table}.${name}`)))

/** Writes changed requests; all must be locked. @returns the stored ones, changed or not. */
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
      select id, source_id, confidence, standing, votes, status, updated_at, ${searched('requests')} from requests
      where platform = ${platform} and source_id = any(array(select source_id from incoming))
    ), written as (
      update requests set ${assignments}, ${statusAssignments},
        confidence = excluded.confidence,
        updated_at = case when ${changed} then excluded.updated_at else requests.updated_at end,
        seen_at = excluded.updated_at
      from known join incoming as excluded using (source_id)
      where requests.id = known.id
        and (${changed} or requests.confidence is distinct from excluded.confidence or ${dueToBeMarked})
      returning requests.id, requests.source_id, requests.confidence, requests.votes, requests.status
    )
    select known.id, source_id, false as created, false as maybe_corrected, written.id is not null as changed,
      written.id is not null and (${searched('known')}) is distinct from (${searched('incoming')}) as rewritten,
      written.id is not null and ((written.confidence is distinct from known.confidence
          and (known.standing = ${sql.lit(standings.unlisted)} or known.standing <> incoming.standing
            or exists (select from accounts where is_strict)))
        or exists (select from request_judgements where request_id = written.id)) as reclassified,
      coalesce(written.votes, known.votes) as votes, case when written.id is null then known.status else written.status end as status,
      json_build_object('standing', known.standing, 'votes', known.votes, 'status', known.status, 'updatedAt', known.updated_at) as before
    from known left join written using (source_id) join incoming using (source_id)`.execute(transaction)
  return rows
}

/**
 * Upserts a page's requests; updates off-topic ones only. Known requests keep their standing, which depends on more
 * than the page. Afterwards all are locked.
 * @returns all that are now stored, changed or not.
 */
export async function upsertRequests(transaction: Transaction, page: FoundPage): Promise<StoredRequest[]> {
  const { created, locked } = await insertOrLock(transaction, page)
  // A separate statement, to read the previous rows under the locks; unlocked rows could still change.
  const known = page.requests.filter(({ request }) => locked.has(request.sourceId))
  return [...created, ...(await updateLocked(transaction, page, known))]
}
