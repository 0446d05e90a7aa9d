import { sql } from 'kysely'
import type { Standing } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import { standingOfConfidence } from '../views/standings.ts'
import { topicName } from './listed-topics.ts'
import type { FoundPage } from './prepared-page.ts'
import { refreshed, refreshedValues, toPastDate } from './refreshed-columns.ts'
import { statusAssignments, statusDateIsNews } from './status-change.ts'

/** A request of a page that is stored now. */
export interface StoredRequest {
  id: string
  source_id: string
  created: boolean
  /**
   * Whether its class may have changed, for all or for an account: its confidence is of another class than its standing or of an
   * unlisted request, or a model judged its text. Never of a new one.
   */
  reclassified: boolean
  /** Whether it is new, and corrections exist: one may be of an earlier request with its id. */
  maybe_corrected: boolean
  votes: number
  /** How it was stored before; null when it is new. */
  before: { standing: Standing; votes: number; updatedAt: string } | null
}

const incomingRows = ({ requests, platform, now }: FoundPage) =>
  requests.map(({ request, relevance, confidence }) => ({
    source_id: request.sourceId,
    creates: relevance !== 'offTopic',
    confidence,
    // Nothing but its source's accounts may see it, until recomputeStandings has said how.
    standing: request.ownSource === null ? standingOfConfidence(confidence, platform) : -1,
    status_changed_at: request.status === null ? null : toPastDate(request.statusChangedAt, now),
    ...refreshedValues(request, now),
  }))

/**
 * Writes the requests of a page that are new or have changed, and of those off topic only what is stored already. The standing of
 * a known request stays: it follows from more than the page.
 * @returns all that are stored now, changed or not.
 */
export async function upsertRequests(transaction: Transaction, page: FoundPage): Promise<StoredRequest[]> {
  const { platform, topic, now, markSeenBefore } = page
  const { columns, definitions, known, excluded, assignments } = refreshed
  const changed = sql`((${known}) is distinct from (${excluded}) or ${statusDateIsNews})`
  const dueToBeMarked =
    markSeenBefore === null
      ? sql`false`
      : sql`greatest(requests.updated_at, requests.seen_at) < ${markSeenBefore}::timestamptz`
  // xmax is 0 only in a row version that this statement inserted. Under the lock of the topics no other page is being stored, so
  // `known` has every row that the upsert meets.
  const { rows } = await sql<StoredRequest>`
    with incoming as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(incomingRows(page))}::jsonb) as incoming
        (source_id text, creates boolean, confidence real, standing smallint, status_changed_at timestamptz, ${definitions})
    ), known as materialized (
      select id, source_id, confidence, standing, votes, updated_at from requests
      where platform = ${platform} and source_id = any(array(select source_id from incoming))
    ), written as (
      insert into requests (platform, source_id, ${columns}, confidence, standing, status_changed_at, topic, created_at, updated_at)
      select ${platform}, source_id, ${columns}, confidence, standing, status_changed_at,
        ${topicName(topic)}, ${now}, ${now}
      from incoming where creates or source_id in (select source_id from known) order by source_id
      on conflict (platform, source_id) do update set ${assignments}, ${statusAssignments},
        confidence = excluded.confidence,
        updated_at = case when ${changed} then excluded.updated_at else requests.updated_at end,
        seen_at = excluded.updated_at
      where ${changed} or requests.confidence is distinct from excluded.confidence or ${dueToBeMarked}
      returning id, source_id, confidence, votes, (xmax = 0) as created
    )
    select coalesce(written.id, known.id) as id, source_id, coalesce(created, false) as created,
      written.id is not null and known.id is not null and ((written.confidence is distinct from known.confidence
          and (known.standing = -1 or known.standing <> incoming.standing))
        or exists (select from request_judgements where request_id = written.id)) as reclassified,
      known.id is null and exists (select from request_corrections) as maybe_corrected,
      coalesce(written.votes, known.votes) as votes,
      case when known.id is null then null else json_build_object(
        'standing', known.standing, 'votes', known.votes, 'updatedAt', known.updated_at) end as before
    from known full join written using (source_id) join incoming using (source_id)`.execute(transaction)
  return rows
}
