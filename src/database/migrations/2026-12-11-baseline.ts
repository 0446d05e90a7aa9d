import { readFileSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'

/** SQL files by area: tables follow those they refer to; functions used by several areas come last. */
const areas = [
  'accounts',
  'platforms',
  'requests',
  'topics',
  'wishes',
  'scraping',
  'credits',
  'http',
  'events',
  'watches',
  'channels',
  'mail',
  'news',
  'briefs',
  'shares',
  'trackers',
  'search',
  'request-copies',
  'wish-numbers',
  'answers',
]

/** One statement at a time, for the extended protocol. Only statements, comments and brackets start a line. */
function statementsOf(script: string): string[] {
  const strange = /^(?!create |alter |do |--|\)|\$|end\b|case\b|\s|$).*/im.exec(script)?.[0]
  if (strange !== undefined) throw new Error(`no statement of the schema begins like this: ${strange}`)
  return script.split(/^(?=(?:create|alter|do) )/m).filter((part) => /^(?:create|alter|do) /.test(part))
}

/** All tables of the first release. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const area of areas) {
    const script = readFileSync(new URL(`../schema/${area}.sql`, import.meta.url), 'utf8')
    for (const statement of statementsOf(script)) await sql.raw(statement).execute(database)
  }
}
