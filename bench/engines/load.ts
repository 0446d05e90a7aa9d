import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/database/open.ts'
import { foundRequest } from '../../src/platforms/content/fields.ts'
import type { FoundRequest } from '../../src/platforms/platform.ts'
import { preparePage } from '../../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../../src/requests/store/store.ts'
import type { BenchDocument } from './engine.ts'

const toRequest = ({ id, title, description, votes }: BenchDocument): FoundRequest =>
  foundRequest({
    sourceId: id,
    sourceUrl: `https://example.org/${id}`,
    title,
    description,
    votes,
    confidence: 1,
  })

/** Stores documents as a scrape does: those of a topic as one page. */
export async function storeDocuments(
  database: Database,
  documents: readonly BenchDocument[],
  { jobId, now }: { jobId: string | null; now: Date },
): Promise<void> {
  for (const [topic, ofTopic] of Map.groupBy(documents, (document) => document.topic)) {
    const page = await preparePage('github', { requests: ofTopic.map(toRequest) }, null)
    const stored = { ...page, platform: 'github' as const, jobId, topic, markSeenBefore: null, now }
    await storePageAlone(database, stored)
  }
}

/** Stores documents as `storeDocuments` does, for a job of an account that has no balance of credits. */
export async function createLoader(
  database: Database,
): Promise<(documents: readonly BenchDocument[]) => Promise<void>> {
  const now = new Date()
  const account = await database
    .insertInto('accounts')
    .values({ name: `bench ${randomUUID()}`, tier: 'max', payg_monthly_cap: null, created_at: now, deleted_at: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: jobId } = await database
    .insertInto('scrape_jobs')
    .values({ account_id: account.id, topic: 'bench', depth: 1, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return (documents) => storeDocuments(database, documents, { jobId, now })
}
