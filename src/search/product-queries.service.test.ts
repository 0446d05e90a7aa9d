import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { storeDemo } from '../../test/demo-requests.ts'
import { openTestSearchIndex } from '../../test/search.ts'
import { countTexts } from '../requests/words/uncounted-texts.ts'
import { answerSearch } from './answer.ts'
import queries from './product-queries.json' with { type: 'json' }
import type { SearchIndex } from './search-index.ts'

// Holds (Search, lists and export): of 120 typical product queries, at least 95 % find the target in the first three results

/** What is wanted is among the first of the results; of a query for which there is nothing, nothing has all words. */
const firstOnes = 3
const leastShare = 0.95

let opened: TestDatabase
let searchIndex: SearchIndex
let idOfTitle: Map<string, string>

beforeAll(async () => {
  opened = await openTestDatabase()
  searchIndex = await openTestSearchIndex(opened.database)
  idOfTitle = await storeDemo(opened.database)
  await countTexts(opened.database)
})
afterAll(() => opened.close())

async function isAsWanted(query: string, wanted: string | null): Promise<boolean> {
  const input = { query, offset: 0, limit: firstOnes, total: true }
  const { data, meta } = await answerSearch({ searchIndex, executor: opened.database }, input)
  if (wanted === null) return meta.total === 0
  const id = idOfTitle.get(wanted)
  if (id === undefined) throw new Error(`the demo has no ${wanted}`)
  return data.results.some(({ _id }) => _id === id)
}

it('queries of product people find what they want', async () => {
  const all = Object.entries(queries).flatMap(([kind, ofKind]) =>
    (ofKind as [string, string | null][]).map(([query, wanted]) => ({ kind, query, wanted })),
  )
  const missed: string[] = []
  for (const { kind, query, wanted } of all) if (!(await isAsWanted(query, wanted))) missed.push(`${kind}: ${query}`)
  expect(all).toHaveLength(120)
  expect(1 - missed.length / all.length, missed.join('\n')).toBeGreaterThanOrEqual(leastShare)
})
