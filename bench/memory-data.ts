import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'
import { corpusFile, createRandom, readCorpus } from './engines/corpus.ts'
import type { BenchDocument } from './engines/engine.ts'
import { createLoader } from './engines/load.ts'

const batchSize = 1_000

/** Texts of made-up words, common and rare, for where the corpus is not. */
export function madeUpDocument(number: number): BenchDocument {
  const random = createRandom(number)
  const words = (count: number) =>
    Array.from({ length: count }, () => `word${Math.floor(20_000 * random() ** 4).toString(36)}`).join(' ')
  return {
    id: `post-${number}`,
    title: words(10),
    description: words(80),
    votes: Math.floor(100 * random() ** 3),
    topic: `topic ${Math.floor(number / 100) % 500}`,
  }
}

/** Words of many texts: of the corpus, or made-up ones. */
export const searchWords = (): string[] =>
  existsSync(corpusFile)
    ? readCorpus().frequentWords
    : Array.from({ length: 60 }, (_, word) => `word${word.toString(36)}`)

/** Makes a data directory with so many requests, stored as scrapes store them. */
export async function loadRequests(dataDir: string, adminKey: string, count: number): Promise<void> {
  const document = existsSync(corpusFile) ? readCorpus().document : madeUpDocument
  const onCrash = (error: Error) => {
    throw error
  }
  const config = readConfig({ DATA_DIR: dataDir, PORT: '0', ADMIN_API_KEY: adminKey })
  const service = await startService(config, pino({ level: 'silent' }), onCrash)
  try {
    const load = await createLoader(service.database.database)
    for (let start = 0; start < count; start += batchSize) {
      await load(Array.from({ length: Math.min(batchSize, count - start) }, (_, index) => document(start + index)))
    }
    // Placing in wishes is another bench's subject.
    await sql`delete from wish_queue`.execute(service.database.database)
    await sql`analyze`.execute(service.database.database)
  } finally {
    await service.stop()
  }
}
