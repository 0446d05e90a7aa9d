import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { copyDatabase, type DatabaseCopy } from '../../../test/database.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import { readConfig } from '../../app/config.ts'
import { prepareDatabase } from '../../app/prepare-database.ts'
import { queueOpenTasks } from '../../collecting/scraping/tasks.ts'
import { type Database, type OpenDatabase, openDatabase, type Transaction } from '../../database/open.ts'
import { copyAllRequests } from '../../requests/store/copies.ts'
import { foldTopicCounts } from '../../requests/store/topic-counts.ts'
import { countLater, countTexts } from '../../requests/words/uncounted-texts.ts'
import { noteChangedWords } from '../../requests/words/vocabulary.ts'
import { comeBackRows, spendByBudgets } from './come-back-testing.ts'
import { dumpData } from './dump-data.ts'
import { openDump } from './dump-format.ts'
import { type Restored, restoreDump } from './restore-dump.ts'

/** Where a database is, for `openDatabase` and `readConfig`. */
export type Place = DatabaseCopy['options']

const onCrash = (error: Error) => {
  throw error
}

/** A data directory that does not exist yet. */
export function newDataDirectory(): Place {
  const scratch = mkdtempSync(join(tmpdir(), 'wishwell-moving-'))
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }))
  return { databaseUrl: undefined, dataDir: join(scratch, 'data') }
}

/** An empty, migrated database of the backend under test. */
export async function newDatabase(): Promise<Place> {
  const copy = await copyDatabase()
  onTestFinished(copy.remove)
  return copy.options
}

/** A copy of an embedded database that no process uses. */
export function copyOf(source: Place): Place {
  const copy = newDataDirectory()
  cpSync(source.dataDir, copy.dataDir, { recursive: true })
  return copy
}

export const environmentOf = ({ databaseUrl, dataDir }: Place): Record<string, string> => ({
  DATA_DIR: dataDir,
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
})

/** Prepares a database and uses it. */
export async function withDatabase<T>(
  place: Place,
  use: (prepared: Awaited<ReturnType<typeof prepareDatabase>>) => Promise<T>,
): Promise<T> {
  const prepared = await prepareDatabase(readConfig(environmentOf(place)), pino({ level: 'silent' }), onCrash, {
    offline: true,
  })
  try {
    return await use(prepared)
  } finally {
    await prepared.queue.stop()
    await prepared.opened.close()
  }
}

const someRows = readFileSync(new URL('../../../test/rows.sql', import.meta.url), 'utf8')

const account = (number: number) => `a0000000-0000-4000-8000-00000000000${number}`
const request = (number: number) => `e0000000-0000-4000-8000-00000000000${number}`
const wish = '90000000-0000-4000-8000-000000000001'
const correction = '80000000-0000-4000-8000-000000000001'

/** More of them, in the other tables. */
const laterRows = `
  update accounts set has_own_view = true, corrections = 2 where id = '${account(1)}';
  update requests set confidence = 0.1 + 0.2::real, status = 'planned', status_changed_at = '2026-11-20T10:00:00.123456Z',
    description = E'Tabs\\t, \\\\ backslashes, "quotes", \\u2028, null \\\\u0000 and 😀' where id = '${request(1)}';
  update requests set standing = 1, confidence = 0.2 where id = '${request(2)}';
  insert into adapter_cache (platform, key, value, expires_at) values
    ('github', 'nothing found', 'null', '2126-11-21T10:00:00Z'),
    ('github', 'large', '{"n": 12345678901234567890.000100, "s": "\\\\u0041"}', 'infinity');
  insert into account_requests (account_id, request_id, standing) values ('${account(1)}', '${request(2)}', 2);
  insert into account_sources values ('${account(1)}', 'github', 'example/app', '2026-11-20T10:00:00Z');
  insert into request_sources values ('github', 'example/app', '${request(2)}');
  insert into request_corrections values
    ('${account(1)}', 'stackexchange', repeat('1f', 32), '${request(2)}', true, 'key b0000000', '2026-11-20T10:00:00Z'),
    (null, 'github', repeat('2f', 32), null, false, 'admin', '2026-11-20T10:00:00Z'),
    (null, 'stackexchange', repeat('1f', 32), null, false, 'admin', '2026-11-20T10:00:00Z');
  insert into label_draws values
    ('${account(1)}', 'stackexchange', repeat('1f', 32), '${request(2)}', '2026-11-16', 1, 0.3, 5, '0.5/0.2'),
    (null, 'github', repeat('2f', 32), '${request(1)}', '2026-11-16', 2, 0.8, 9, '0.5/0.2');
  insert into request_judgements values ('${request(2)}', repeat('3f', 32), 0.2, '2026-11-20T10:00:00Z', repeat('4f', 32));
  insert into judgement_tries values ('${request(2)}', repeat('3f', 32), 2, '2026-11-20T10:00:00Z');
  insert into judgement_days values ('2026-11-20', 7);
  insert into request_refreshes values ('${request(1)}', 'github', 'I_abc', '2026-11-20T10:00:00Z', null, 1, '2026-11-19');
  insert into vote_samples values ('${request(1)}', '2026-11-19', 40), ('${request(1)}', '2026-11-20', 42);
  insert into wishes (id, created_at) values ('${wish}', '2026-11-20T10:00:00.000001Z');
  insert into wish_members (request_id, wish_id, is_core, similarity, joined_at) values
    ('${request(1)}', '${wish}', true, null, '2026-11-20T10:00:00Z'),
    ('${request(3)}', '${wish}', false, 0.7, '2026-11-20T10:00:00Z');
  insert into wish_corrections (id, account_id, kind, made_by, created_at, from_wish_id, to_wish_id) values
    ('${correction}', '${account(1)}', 'split', 'key b0000000', '2026-11-20T10:00:00Z', '${wish}', '${request(3)}');
  insert into wish_moves values ('${correction}', repeat('4f', 32), '${wish}', '${request(3)}');
  insert into wish_partings values ('${correction}', '${account(1)}', repeat('4f', 32), repeat('5f', 32));
  insert into wish_placings values
    ('${account(1)}', repeat('4f', 32), '${request(3)}', '${request(3)}', true, '${correction}'),
    (null, repeat('4f', 32), '${request(3)}', '${wish}', false, '${correction}');
  insert into account_wish_members values ('${account(1)}', '${request(3)}', '${request(3)}', '${correction}');
  insert into account_wish_merges values ('${account(2)}', '${wish}', '${request(2)}', '${correction}');
  insert into wish_marks values ('${account(1)}', '${wish}', 'planned', true, 'for the spring', 'Ada', 'admin', '2026-11-20T10:00:00Z');
  insert into saved_views (account_id, name, view, period_days, created_at, updated_at) values
    ('${account(1)}', 'Our „dark" week', '{"query": "dark \\"mode\\"", "sortBy": "new"}', 7, '2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z');
  insert into briefs values ('${correction}', '${account(1)}', 'ab', '{"topic": "dark \\"mode\\""}', '{"wishes": [{"part": 0}]}', 1, '2026-11-20T10:00:00Z');
  insert into brief_parts values ('${correction}', 0, array['${request(1)}', '${request(2)}']::uuid[], '{"text": "„dark“ mode"}'::jsonb);
  insert into wish_suggestions values (gen_random_uuid(), '${request(1)}', '${request(2)}', '${request(1)}', 0.2, 8.4, true, '2026-11-20T10:00:00Z');
  insert into wish_queue values ('${request(2)}', 7, gen_random_uuid(), '2026-11-20T10:05:00Z')
    on conflict (request_id) do update set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until;
`

/** Takes a text out of the vocabulary, and has it counted again later: rows of `word_deltas` and `uncounted_texts`. */
async function countAgainLater(transaction: Transaction, id: string): Promise<void> {
  const { rows } = await sql<{ text: string }>`
    select text from request_texts where request_id = ${id}`.execute(transaction)
  await noteChangedWords(
    transaction,
    rows.map(({ text }) => ({ before: text, after: null })),
  )
  await countLater(transaction, [id])
}

/** The statements of a script each end with a line. */
async function runScript(transaction: Transaction, script: string): Promise<void> {
  for (const statement of script.split(/;\n/))
    if (statement.trim() !== '') await sql.raw(statement).execute(transaction)
}

/** Gives an empty database rows in every table. */
export async function fillDatabase({ embedded, database }: OpenDatabase): Promise<void> {
  await changeRequests(database, (transaction) => runScript(transaction, someRows))
  await foldTopicCounts(database)
  // The vocabulary in the script is made up.
  await embedded?.exec('delete from search_words; insert into uncounted_texts select request_id from request_texts')
  await countTexts(database)
  await changeRequests(database, (transaction) => runScript(transaction, laterRows + comeBackRows))
  await spendByBudgets(database)
  await database.transaction().execute((transaction) => countAgainLater(transaction, request(3)))
}

/**
 * Makes an embedded database with rows in every table. Call it in `beforeAll`: that takes seconds.
 * @returns what deletes it, for `beforeAll` to return.
 */
export async function makeFilledDatabase(): Promise<{ place: Place; remove: () => void }> {
  const scratch = mkdtempSync(join(tmpdir(), 'wishwell-moving-'))
  const place = { databaseUrl: undefined, dataDir: join(scratch, 'data') }
  await withDatabase(place, ({ opened }) => fillDatabase(opened))
  return { place, remove: () => rmSync(scratch, { recursive: true, force: true }) }
}

/** Bytes as a stream, in pieces that end anywhere. */
export async function* streamOf(bytes: Buffer, pieceBytes = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Dumps a database into memory. */
export async function dumpOf(place: Place) {
  const opened = await openDatabase({ ...place, statementTimeoutMs: 0, onCrash })
  const parts: Uint8Array[] = []
  const options = {
    write: async (bytes: Uint8Array) => void parts.push(bytes),
    now: new Date('2026-11-23T00:00:00Z'),
    onProgress: () => {},
  }
  const dumped = await dumpData(opened.database, options).finally(opened.close)
  return { ...dumped, dump: Buffer.concat(parts) }
}

/** Restores a dump. @param meanwhile called when all rows are stored, before they are counted. */
export const restoreInto = (
  place: Place,
  dump: Buffer | AsyncIterable<Uint8Array>,
  meanwhile: () => Promise<void> = async () => {},
): Promise<Restored> =>
  withDatabase(place, async ({ opened, queue }) =>
    restoreDump(opened, {
      dump: await openDump(Buffer.isBuffer(dump) ? streamOf(dump) : dump),
      onProgress: () => {},
      derive: async (transaction) => {
        await copyAllRequests(transaction)
        await meanwhile()
      },
      startQueue: () => queue.start(),
      queueWork: async (transaction) => void (await queueOpenTasks(transaction, queue)),
    }),
  )

type Rows = Record<string, unknown[]>

/** Every row of every table, as JSON, without what a dump leaves out. */
export async function readRows(database: Database): Promise<Rows> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() and tablename not like 'kysely_%'
      and tablename not in ('rate_limit_windows', 'search_engine')
    order by 1`.execute(database)
  const contents: Rows = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ row: unknown }>`
      select to_jsonb(t) - 'queue_message_id' as row from ${sql.table(name)} as t order by 1`.execute(database)
    contents[name] = rows.map(({ row }) => row)
  }
  return contents
}

/** The same of a database that no process uses. */
export const readPlace = (place: Place): Promise<Rows> => withDatabase(place, ({ opened }) => readRows(opened.database))
