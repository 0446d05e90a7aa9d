import { type Kysely, sql } from 'kysely'
import { accounts } from './version-1/accounts.ts'
import { calls } from './version-1/calls.ts'
import { credits } from './version-1/credits.ts'
import { platforms } from './version-1/platforms.ts'
import { requests } from './version-1/requests.ts'
import { scraping } from './version-1/scraping.ts'
import { topics } from './version-1/topics.ts'

/** A table comes after those that it refers to. */
const areas = [accounts, platforms, requests, topics, scraping, credits, calls]

/** All tables of schema version 1, a file an area. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of areas.flat()) await sql.raw(statement).execute(database)
}
