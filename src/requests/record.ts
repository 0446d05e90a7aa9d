import { type RawBuilder, type Selectable, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Executor } from '../database/open.ts'
import type { Tables } from '../database/tables.ts'
import { closed, defaulted, moment, nullable } from '../http/schemas.ts'
import { excerptLength, excerptOf, excerptProbe } from './excerpt.ts'

/** A feature request as the interface gives it. Unknown is null, never invented. */
export const requestRecord = closed({
  _id: Type.String({ description: 'Identifier of the request' }),
  title: Type.String(),
  description: Type.String({
    description: 'Plain text, its beginning in lists and searches; empty when there is none',
  }),
  descriptionTruncated: Type.Boolean({
    description: 'Whether `description` is only the beginning: the request by its id, or `fullText`, has the whole',
  }),
  votes: Type.Integer({ description: 'Votes, reactions or score, as the platform counts them' }),
  tags: Type.Array(Type.String()),
  commentCount: nullable(Type.Integer()),
  sourcePlatform: Type.String({ description: 'Platform identifier' }),
  sourceUrl: Type.String({ description: 'Where it was posted' }),
  topic: Type.String({ description: 'The topic that found it first' }),
  topics: Type.Array(Type.String(), { description: 'Every topic that found it' }),
  authorName: nullable(Type.String()),
  authorHandle: nullable(Type.String()),
  authorProfileUrl: nullable(Type.String()),
  license: nullable(Type.String({ description: 'The licence of the content, where the platform states one' })),
  originalCreatedAt: nullable(moment('When it was posted, by the platform')),
  createdAt: moment('When it entered the cache'),
  updatedAt: moment('When it last changed in the cache'),
})

export type RequestRecord = Static<typeof requestRecord>

/** The parameter of lists and searches for whole texts. */
export const fullTextParameter = defaulted(
  Type.Boolean({
    default: false,
    description: `Whole descriptions instead of the first ${excerptLength.toLocaleString('en-US')} characters`,
  }),
)

const shownColumns = [
  'id',
  'title',
  'votes',
  'tags',
  'comment_count',
  'platform',
  'source_url',
  'topic',
  'author_name',
  'author_handle',
  'author_profile_url',
  'license',
  'original_created_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof Tables['requests'])[]

/** What `toRecord` needs of a row of `requests`, and the names of its topics. */
export type RequestRow = Selectable<Pick<Tables['requests'], (typeof shownColumns)[number] | 'description'>> & {
  topics: string[] | null
}

/** For a query over `requests`: the names of the row's topics, the one that found it first before the others. */
const topicNames = sql<string[] | null>`(
  select array_agg(topics.name order by request_topics.found_at, topics.key)
  from request_topics join topics on topics.key = request_topics.topic_key
  where request_topics.request_id = requests.id)`

/** How much of the descriptions is read: all of it, or the beginning that lists show. */
export interface TextChoice {
  fullText: boolean
}

/** For a query over `requests`: the columns of a `RequestRow`. Without `fullText` the database sends only the beginning of a long text. */
export const recordColumns = ({ fullText }: TextChoice): RawBuilder<unknown> => {
  const description = fullText ? sql`requests.description` : sql`left(requests.description, ${sql.lit(excerptProbe)})`
  const columns = shownColumns.map((column) => sql.ref(`requests.${column}`))
  return sql`${sql.join(columns)}, ${description} as description, ${topicNames} as topics`
}

/** @param row as `recordColumns` gives it with the same choice. */
export const toRecord = (row: RequestRow, { fullText }: TextChoice): RequestRecord => ({
  _id: row.id,
  title: row.title,
  ...(fullText ? { description: row.description, descriptionTruncated: false } : excerptOf(row.description)),
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
export async function readRequests(
  executor: Executor,
  ids: readonly string[],
  choice: TextChoice,
): Promise<RequestRecord[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<RequestRow>`
    select ${recordColumns(choice)} from requests where id = any(${[...ids]}::uuid[])`.execute(executor)
  const records = new Map(rows.map((row) => [row.id, toRecord(row, choice)]))
  return ids.flatMap((id) => records.get(id) ?? [])
}
