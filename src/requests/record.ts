import { type Selectable, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Executor } from '../database/open.ts'
import type { Tables } from '../database/tables.ts'
import { closed, moment, nullable } from '../http/schemas.ts'

/** A feature request as the interface gives it (spec 2.1 and design.md). Unknown is null, never invented. */
export const requestRecord = closed({
  _id: Type.String({ description: 'Identifier of the request' }),
  title: Type.String(),
  description: Type.String({ description: 'Plain text; empty when there is none' }),
  votes: Type.Integer({ description: 'Votes, reactions or score, as the platform counts them' }),
  tags: Type.Array(Type.String()),
  commentCount: nullable(Type.Integer()),
  sourcePlatform: Type.String({ description: 'Platform identifier' }),
  sourceUrl: Type.String({ description: 'Where it was asked' }),
  topic: Type.String({ description: 'The topic that found it first' }),
  topics: Type.Array(Type.String(), { description: 'Every topic that found it' }),
  authorName: nullable(Type.String()),
  authorHandle: nullable(Type.String()),
  authorProfileUrl: nullable(Type.String()),
  license: nullable(Type.String({ description: 'The licence of the content, where the platform states one' })),
  originalCreatedAt: nullable(moment('When it was asked, by the platform')),
  createdAt: moment('When it entered the cache'),
  updatedAt: moment('When it last changed in the cache'),
})

export type RequestRecord = Static<typeof requestRecord>

/** What `toRecord` needs of a row of `requests`, and the names of its topics. */
export type RequestRow = Selectable<Tables['requests']> & { topics: string[] | null }

/** For a query over `requests`: the names of the row's topics, the one that found it first before the others. */
export const topicNames = sql<string[] | null>`(
  select array_agg(topics.name order by request_topics.found_at, topics.key)
  from request_topics join topics on topics.key = request_topics.topic_key
  where request_topics.request_id = requests.id)`

export const toRecord = (row: RequestRow): RequestRecord => ({
  _id: row.id,
  title: row.title,
  description: row.description,
  votes: row.votes,
  tags: row.tags,
  commentCount: row.comment_count,
  sourcePlatform: row.platform,
  sourceUrl: row.source_url,
  topic: row.topic,
  topics: row.topics ?? [],
  authorName: row.author_name,
  authorHandle: row.author_handle,
  authorProfileUrl: row.author_profile_url,
  license: row.license,
  originalCreatedAt: row.original_created_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})

/** The requests with these ids, in the order of the ids; one that is gone is left out. */
export async function readRequests(executor: Executor, ids: readonly string[]): Promise<RequestRecord[]> {
  if (ids.length === 0) return []
  const rows = await executor
    .selectFrom('requests')
    .selectAll()
    .select(topicNames.as('topics'))
    .where('id', 'in', [...ids])
    .execute()
  const records = new Map(rows.map((row) => [row.id, toRecord(row)]))
  return ids.flatMap((id) => records.get(id) ?? [])
}
