import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import type { Executor } from '../../database/open.ts'
import { nullable } from '../../http/schemas.ts'

export const personName = nullable(
  Type.String({ description: 'For whom the link was made that signed them in; null for a key, and where nobody said' }),
)

/** SQL for the person behind an origin `session <id>`, even after the session; null for a key or if unnamed. */
export const personOf = (origin: RawBuilder<unknown>): RawBuilder<string | null> => sql<string | null>`(
  select person_name from session_people where session_id = case when ${origin} like 'session %' then substr(${origin}, 9)::uuid end)`

/** Remembers an account's last sign-ins up to this number, which bounds storage. */
const maxNamed = 1_000

interface NamedSession {
  sessionId: string
  accountId: string
  personName: string
  now: Date
}

/** Stores whom a session is for. */
export async function nameSession(
  executor: Executor,
  { sessionId, accountId, personName: name, now }: NamedSession,
): Promise<void> {
  const person = { session_id: sessionId, account_id: accountId, person_name: name, signed_in_at: now }
  await executor.insertInto('session_people').values(person).execute()
  await sql`delete from session_people where session_id in (
    select session_id from session_people where account_id = ${accountId}
    order by signed_in_at desc, session_id offset ${maxNamed} for update skip locked)`.execute(executor)
}
