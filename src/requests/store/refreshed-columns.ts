import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Tables } from '../../database/tables.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { dayMs } from '../../runtime/durations.ts'
import { productOf } from '../product.ts'

/** Columns that a refresh never changes, or that the database or the statement sets. */
type OtherColumn =
  | 'id'
  | 'platform'
  | 'source_id'
  | 'topic'
  | 'created_at'
  | 'updated_at'
  | 'seen_at'
  | 'posted_at'
  | 'confidence'
  | 'standing'
  | 'status_changed_at'
  | 'status_observed'

/** Clamps a count to the column's range: a bogus number must not fail the whole page. */
const toInteger = (count: number) => Math.trunc(Math.min(Math.max(count || 0, -2_147_483_648), 2_147_483_647))

/** A platform's date; null if implausible (before 1970 or after tomorrow). */
export const toPastDate = (date: Date | null, now: Date) =>
  date !== null && date.getTime() >= 0 && date.getTime() <= now.getTime() + dayMs ? date : null

interface FoundWith {
  platform: PlatformName
  now: Date
  voice: Buffer
}

interface RefreshedColumn {
  type: 'text' | 'text[]' | 'integer' | 'timestamptz' | 'boolean' | 'bytea'
  read(request: FoundRequest, found: FoundWith): unknown
}

/** The columns that a refresh may change. The type makes a forgotten new column a compile error. */
const refreshedColumns: Record<Exclude<keyof Tables['requests'], OtherColumn>, RefreshedColumn> = {
  title: { type: 'text', read: ({ title }) => title },
  description: { type: 'text', read: ({ description }) => description },
  votes: { type: 'integer', read: ({ votes }) => toInteger(votes) },
  tags: { type: 'text[]', read: ({ tags }) => tags },
  comment_count: {
    type: 'integer',
    read: ({ commentCount }) => (commentCount === null ? null : toInteger(commentCount)),
  },
  stars: { type: 'integer', read: ({ stars }) => stars },
  source_url: { type: 'text', read: ({ sourceUrl }) => sourceUrl },
  author_name: { type: 'text', read: ({ authorName }) => authorName },
  author_handle: { type: 'text', read: ({ authorHandle }) => authorHandle },
  author_profile_url: { type: 'text', read: ({ authorProfileUrl }) => authorProfileUrl },
  license: { type: 'text', read: ({ license }) => license },
  status: { type: 'text', read: ({ status }) => status },
  excerpt: { type: 'boolean', read: ({ excerpt }) => excerpt },
  source_name: { type: 'text', read: ({ sourceName }) => sourceName },
  product: { type: 'text', read: ({ sourceName }, { platform }) => productOf({ platform, sourceName }) },
  voice: { type: 'bytea', read: (_, { voice }) => `\\x${voice.toString('hex')}` },
  original_created_at: {
    type: 'timestamptz',
    read: ({ originalCreatedAt }, { now }) => toPastDate(originalCreatedAt, now),
  },
}

const entries = Object.entries(refreshedColumns)
const names = entries.map(([name]) => name)

/** The columns as SQL for each part of the upsert. */
export const refreshed = {
  columns: sql.join(names.map((name) => sql.ref(name))),
  definitions: sql.join(entries.map(([name, { type }]) => sql`${sql.ref(name)} ${sql.raw(type)}`)),
  known: sql.join(names.map((name) => sql.ref(`requests.${name}`))),
  excluded: sql.join(names.map((name) => sql.ref(`excluded.${name}`))),
  assignments: sql.join(names.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`)),
}

/** A request's values of these columns. */
export const refreshedValues = (request: FoundRequest, found: FoundWith): Record<string, unknown> =>
  Object.fromEntries(entries.map(([name, { read }]) => [name, read(request, found)]))
