import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { isId } from '../http/ids.ts'
import { invalidField } from '../http/validation.ts'
import type { PlatformName } from '../platforms/platform.ts'
import { topicKey } from './topic.ts'

export const listOrders = ['new', 'top'] as const

export type ListOrder = (typeof listOrders)[number]

export interface ListInput {
  topic?: string
  platforms?: readonly PlatformName[]
  tag?: string
  /** A job that the caller may see. */
  jobId?: string
  sortBy: ListOrder
  /** 1 to 100 */
  limit: number
  /** As an earlier page gave it. */
  cursor?: string
}

/** The place after which a page goes on: the sort key of its last row, and its id, which breaks ties. */
type Place = [key: number, id: string]

const encodeCursor = (sortBy: ListOrder, place: Place) =>
  Buffer.from(JSON.stringify([sortBy, ...place])).toString('base64url')

function decodeCursor(sortBy: ListOrder, cursor: string): Place {
  try {
    const [order, key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (order === sortBy && Number.isSafeInteger(key) && typeof id === 'string' && isId(id)) return [key as number, id]
  } catch {
    // Whatever was sent is not one of ours.
  }
  throw invalidField('cursor', 'is not a cursor of this list; start again without it')
}

/** Microseconds since 1970: exact, where a JavaScript date would round a sort key to milliseconds. */
const postedAtKey = sql<number>`(extract(epoch from posted_at) * 1000000)::bigint`

/**
 * One page of the cached requests, newest or most voted first.
 * Keyset paging: a row that stays put is seen exactly once, however many are added meanwhile.
 * @throws ServiceError INVALID_REQUEST for a cursor that is not of this list.
 */
export async function listRequests(
  executor: Executor,
  input: ListInput,
): Promise<{ ids: string[]; hasMore: boolean; cursor: string | null }> {
  const key = input.sortBy === 'new' ? postedAtKey : sql<number>`votes::bigint`
  const column = sql.ref(input.sortBy === 'new' ? 'posted_at' : 'votes')
  const after = input.cursor === undefined ? null : decodeCursor(input.sortBy, input.cursor)
  let query = executor.selectFrom('requests').select(['id', key.as('key')])
  if (after !== null) {
    const from =
      input.sortBy === 'new'
        ? sql`timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond'`
        : sql`${after[0]}::bigint`
    query = query.where(sql<boolean>`(${column}, id) < (${from}, ${after[1]}::uuid)`)
  }
  const { platforms, tag, topic, jobId } = input
  if (platforms) query = query.where('platform', 'in', [...platforms])
  if (tag !== undefined) query = query.where(sql<boolean>`tags @> array[${tag}]::text[]`)
  if (topic !== undefined) {
    const linked = executor.selectFrom('request_topics').select('request_id').where('topic_key', '=', topicKey(topic))
    query = query.where('id', 'in', linked)
  }
  if (jobId !== undefined) {
    query = query.where(
      'id',
      'in',
      executor.selectFrom('scrape_job_requests').select('request_id').where('job_id', '=', jobId),
    )
  }
  const rows = await query
    .orderBy(column, 'desc')
    .orderBy('id', 'desc')
    .limit(input.limit + 1)
    .execute()
  const page = rows.slice(0, input.limit)
  const last = page.at(-1)
  const hasMore = rows.length > page.length
  return {
    ids: page.map((row) => row.id),
    hasMore,
    cursor: hasMore && last ? encodeCursor(input.sortBy, [Number(last.key), last.id]) : null,
  }
}
