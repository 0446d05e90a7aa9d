import { type Kysely, sql } from 'kysely'
import { channels } from './version-5/channels.ts'
import { credits } from './version-5/credits.ts'
import { events } from './version-5/events.ts'
import { feeds } from './version-5/feeds.ts'
import { keys } from './version-5/keys.ts'
import { mail } from './version-5/mail.ts'
import { news } from './version-5/news.ts'
import { watches } from './version-5/watches.ts'

const statements: readonly string[] = [keys, credits, events, watches, channels, mail, news, feeds].flat()

/** Watches, their news, and the ways on which they reach people. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
