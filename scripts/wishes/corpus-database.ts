import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { migrate } from '../../src/database/migrate.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { searchTextOf } from '../../src/requests/words/text.ts'
import { vocabularyOf } from '../../src/requests/words/vocabulary.ts'
import { openSearchIndex, type SearchIndex } from '../../src/search/search-index.ts'
import { followNewRequests } from '../../test/stored-requests.ts'
import type { CorpusText } from './corpora.ts'

export interface CorpusDatabase {
  database: Database
  searchIndex: SearchIndex
  /** Stores texts as likely requests, and counts their words. @returns the id of the request of each text. */
  store(texts: readonly CorpusText[]): Promise<Map<string, string>>
  close(): Promise<void>
}

const pageSize = 1_000

/** Always the same for a text, so that ties are decided the same way in every run. */
const requestIdOf = ({ platform, id }: CorpusText) =>
  hash('md5', `${platform} ${id}`).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

async function countWords(database: Database, counts: ReadonlyMap<string, number>): Promise<void> {
  const entries = [...counts]
  for (let from = 0; from < entries.length; from += 20_000) {
    const some = entries.slice(from, from + 20_000)
    await sql`
      insert into search_words as counted (word, requests)
      select word, requests from unnest(${some.map(([word]) => word)}::text[], ${some.map(([, count]) => count)}::int[])
        as fresh (word, requests)
      on conflict (word) do update set requests = counted.requests + excluded.requests`.execute(database)
  }
}

async function storeTexts(database: Database, texts: readonly CorpusText[]): Promise<Map<string, string>> {
  const requestIds = new Map<string, string>()
  const counts = new Map<string, number>()
  for (let from = 0; from < texts.length; from += pageSize) {
    const rows = texts.slice(from, from + pageSize).map((stored) => {
      const { id, title, description, platform = 'github', sourceName = 'acme/app', createdAt = null } = stored
      const text = searchTextOf({ title, description, tags: [], authorName: null, authorHandle: null })
      for (const word of vocabularyOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
      const requestId = requestIdOf(stored)
      requestIds.set(id, requestId)
      return {
        request_id: requestId,
        id,
        title,
        description,
        text,
        platform,
        source_name: sourceName,
        posted: createdAt,
      }
    })
    await sql`
      with incoming as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as row (request_id uuid, id text, title text, description text, text text, platform text, source_name text, posted timestamptz)
      ), stored as (
        insert into requests
          (id, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at, confidence, source_name, original_created_at)
        select request_id, platform, id, title, description, 0, '{}', '', '', now(), now(), 1, source_name, posted from incoming
      )
      insert into request_texts (request_id, text) select request_id, text from incoming`.execute(database)
    await followNewRequests(
      database,
      rows.map(({ request_id }) => request_id),
    )
  }
  await countWords(database, counts)
  await sql`analyze`.execute(database)
  return requestIds
}

/** Opens an empty database of its own, or what is in `directory`, which is not deleted then. */
export async function openCorpusDatabase(directory?: string): Promise<CorpusDatabase> {
  const dataDir = directory ?? mkdtempSync(join(tmpdir(), 'wishwell-wishes-'))
  const onCrash = (error: Error) => {
    throw error
  }
  const { database, close } = await openDatabase({ databaseUrl: undefined, dataDir, onCrash })
  await migrate(database)
  const searchIndex = await openSearchIndex(database)
  return {
    database,
    searchIndex,
    store: (texts) => storeTexts(database, texts),
    close: async () => {
      await close()
      if (directory === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
