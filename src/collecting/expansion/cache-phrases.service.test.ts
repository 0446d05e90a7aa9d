import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import type { Database } from '../../database/open.ts'
import { openSearchIndex, type SearchIndex } from '../../search/search-index.ts'
import { createCachePhrases } from './cache-phrases.ts'
import { type CachedRequest, darkModeRequests, fillCache, otherRequests } from './testing.ts'

const clock = { now: () => new Date('2026-06-01T12:00:00Z') }
const never = new AbortController().signal
let opened: TestDatabase
let searchIndex: SearchIndex
beforeAll(async () => {
  opened = await openTestDatabase()
  searchIndex = await openSearchIndex(opened.database)
  await fillCache(opened.database, [...darkModeRequests(20, ['night theme']), ...otherRequests])
})
afterAll(() => opened.close())

const ofSecret = (request: CachedRequest) => ({ ...request, author: `secret ${request.author}` })

/** Phrases of the cache; `onRead` is called at each read of the table of requests, searches aside. */
function watch(onRead: (reads: number) => void) {
  let reads = 0
  const database = {
    selectFrom: (table: 'requests') => {
      onRead(++reads)
      return opened.database.selectFrom(table)
    },
  } as unknown as Database
  const index = {
    search: (_database: Database, ...rest: [never]) => searchIndex.search(opened.database, ...rest),
  } as unknown as SearchIndex
  return { phrases: createCachePhrases({ database, searchIndex: index, clock }), reads: () => reads }
}

it('counts the words of all requests once, also when the first caller aborts', async () => {
  const caller = new AbortController()
  // The first call reads the found requests, then the sample.
  const { phrases, reads } = watch((count) => {
    if (count === 2) caller.abort()
  })
  await expect(phrases.phrasesFor('dark mode', 3, caller.signal)).rejects.toMatchObject({ name: 'AbortError' })
  const others = await Promise.all([1, 2].map(() => phrases.phrasesFor('dark mode', 3, never)))
  for (const found of others) expect(found).toContain('night theme')
  expect(reads()).toBe(4)
})

it('tries again after a failure', async () => {
  const { phrases } = watch((count) => {
    if (count === 2) throw new Error('away')
  })
  await expect(phrases.phrasesFor('dark mode', 3, never)).rejects.toThrow('away')
  expect(await phrases.phrasesFor('dark mode', 3, never)).toContain('night theme')
})

it('counts no words of unlisted requests, and takes no phrase from them', async () => {
  const unlisted = Array.from({ length: 80 }, (_, index) => ({ title: 'Night theme', author: `unlisted${index}` }))
  await fillCache(opened.database, [...unlisted, ...darkModeRequests(9, ['purple lantern'])].map(ofSecret))
  await changeRequests(opened.database, sql`update requests set standing = -1 where author_handle like 'secret %'`)
  const { phrases } = watch(() => {})
  const found = await phrases.phrasesFor('dark mode', 20, never)
  expect(found).toContain('night theme')
  expect(found).not.toContain('purple lantern')
})
