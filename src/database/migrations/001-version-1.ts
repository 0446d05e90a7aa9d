import { type Kysely, sql } from 'kysely'
import { accounts } from './version-1/accounts.ts'
import { credits } from './version-1/credits.ts'
import { idempotency } from './version-1/idempotency.ts'
import { platforms } from './version-1/platforms.ts'
import { rateLimits } from './version-1/rate-limits.ts'
import { requests } from './version-1/requests.ts'
import { scraping } from './version-1/scraping.ts'
import { topics } from './version-1/topics.ts'

/** A table comes after those that it refers to. */
export const statements: readonly string[] = [
  accounts,
  platforms,
  requests,
  topics,
  scraping,
  credits,
  idempotency,
  rateLimits,
].flat()

/** All tables of schema version 1, a file an area. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
