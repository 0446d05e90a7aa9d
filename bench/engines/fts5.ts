import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type BenchEngine, plainWords } from './engine.ts'

/** SQLite FTS5 with the Porter stemmer and BM25, a title counting three times, in a file. */
export function createFts5(): BenchEngine {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-bench-fts5-'))
  const database = new DatabaseSync(join(directory, 'search.db'))
  database.exec(`
    pragma journal_mode = wal;
    create table documents (id text, title text, description text);
    create virtual table texts using fts5(title, description, content = '', tokenize = 'porter unicode61')`)
  const addDocument = database.prepare('insert into documents (id, title, description) values (?, ?, ?)')
  const addText = database.prepare('insert into texts (rowid, title, description) values (?, ?, ?)')
  const find = database.prepare(`
    select documents.id from texts join documents on documents.rowid = texts.rowid
    where texts match ? order by bm25(texts, 3, 1), texts.rowid limit ?`)
  return {
    name: 'SQLite FTS5',
    load: async (documents) => {
      database.exec('begin')
      for (const { id, title, description } of documents) {
        const { lastInsertRowid } = addDocument.run(id, title, description)
        addText.run(lastInsertRowid, title, description)
      }
      database.exec('commit')
    },
    finish: async () => {
      database.exec(`insert into texts (texts) values ('optimize')`)
    },
    search: async (query, limit) => {
      const words = plainWords(query)
      if (words.length === 0) return []
      const any = words.map((word) => `"${word}"`).join(' OR ')
      return find.all(any, limit).map((row) => String(row.id))
    },
    indexBytes: async () => {
      const { bytes } = database.prepare(`select sum(length(block)) as bytes from texts_data`).get() as {
        bytes: number
      }
      return Number(bytes)
    },
    close: async () => {
      database.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
