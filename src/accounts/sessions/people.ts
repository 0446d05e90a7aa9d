import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { nullable } from '../../http/schemas.ts'

/** How an answer names who did something. */
export const personName = nullable(
  Type.String({ description: 'For whom the link was made that signed them in; null for a key, and where nobody said' }),
)

/** For a query: who did what has `session <id>` as its origin, also after that session; null for a key, and where nobody said. */
export const personOf = (origin: RawBuilder<unknown>): RawBuilder<string | null> => sql<string | null>`(
  select person_name from session_people where session_id = case when ${origin} like 'session %' then substr(${origin}, 9)::uuid end)`
