import { type Kysely, sql } from 'kysely'
import { corrections } from './version-2/corrections.ts'
import { refresh } from './version-2/refresh.ts'
import { requests } from './version-2/requests.ts'
import { sources } from './version-2/sources.ts'
import { topics } from './version-2/topics.ts'

/** A table comes after those that it refers to. */
const statements: readonly string[] = [requests, topics, corrections, sources, refresh].flat()

/** How likely a request is a feature request, its status, corrections, sources of accounts, and what reading again needs. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
