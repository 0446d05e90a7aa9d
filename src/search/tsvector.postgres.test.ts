import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { changeRequests } from '../../test/stored-requests.ts'
import { createDatabaseEngine } from './database-engine.ts'
import { readHits } from './engine.ts'
import { createSearchIndex } from './search-index.ts'
import { store } from './testing.ts'
import { rankByWeights } from './tsvector.ts'
import { prepareTsvector } from './tsvector-preparation.ts'

// Holds (Search, lists and export): beyond its limit `tsvector` ranks the matches with the weightiest words, then most wanted and newest, and says how many

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase({ ownDatabase: true })
  await prepareTsvector(opened.database, { isShared: false, buildsFullIndex: true })
})
afterAll(() => opened.close())
beforeEach(() => opened.reset())

const engineOf = (bounds: Partial<Parameters<typeof rankByWeights>[0]> = {}) =>
  createDatabaseEngine(
    'tsvector',
    rankByWeights({ rankedExactly: 400, maxOfWord: 20, minOfWord: 5, maxOfQuery: 60, ...bounds }),
  )

const storeTexts = async (texts: readonly string[]) => {
  const ids = await store(
    opened.database,
    texts.map((text) => ({ text, platform: 'github', topic: 'topic' })),
  )
  await sql`analyze`.execute(opened.database)
  return ids
}

async function rank(words: readonly string[], engine = engineOf()) {
  const found = await engine.best(opened.database, { words, terms: [], filters: {} }, 101)
  const { rows } = await sql<{
    considered: number | null
  }>`select max(considered) as considered from (${found}) as found`.execute(opened.database)
  return { hits: await readHits(opened.database, found), considered: rows[0]!.considered }
}

describe('of more matches than it ranks', () => {
  let ids: string[]
  beforeEach(async () => {
    ids = await storeTexts(Array.from({ length: 80 }, () => 'everywhere and more'))
    // The later ones are older, with one exception; the first ones have no votes.
    for (const [number, id] of ids.entries()) {
      const posted = new Date(Date.UTC(number === 79 ? 2026 : 2000, 0, 1))
      const votes = number >= 70 && number < 79 ? 50 + number : 0
      await changeRequests(
        opened.database,
        sql`update requests set votes = ${votes}, original_created_at = ${posted} where id = ${id}`,
      )
    }
  })

  test('it ranks the most wanted and the newest of equally good ones, and says how many', async () => {
    const { hits, considered } = await rank(['everywhere'])
    expect(hits).toHaveLength(20)
    expect(considered).toBe(20)
    expect(hits.slice(0, 9).map(({ id }) => id)).toEqual(ids.slice(70, 79).reverse())
    expect(hits[9]!.id).toBe(ids[79])
  })

  test('a text in which the word weighs more comes first, however old it is', async () => {
    const [heavy] = await storeTexts(['everywhere everywhere everywhere'])
    await changeRequests(
      opened.database,
      sql`update requests set original_created_at = '1999-01-01' where id = ${heavy}`,
    )
    const { hits } = await rank(['everywhere'])
    expect(hits[0]!.id).toBe(heavy)
  })

  test('a search says so in its window, whatever its page, and its total stays exact', async () => {
    const index = createSearchIndex(engineOf())
    for (const offset of [0, 15]) {
      const found = await index.search(opened.database, { query: 'everywhere', offset, limit: 5 })
      expect([found.results.length, found.window, found.isAll]).toEqual([5, 20, false])
    }
    expect(await index.totals(opened.database, { query: 'everywhere' })).toEqual({ total: 80, totalIsExact: true })
    expect((await index.rank(opened.database, { query: 'everywhere', offset: 0, limit: 5 })).window).toBe(20)
  })

  test('all matches of a rare word are ranked, beside those of a common one', async () => {
    const [rare, both] = await storeTexts(['needle', `needle ${'filler '.repeat(400)} everywhere`])
    const { hits } = await rank(['needle', 'everywhere'])
    expect(hits.map(({ id }) => id)).toEqual(expect.arrayContaining([rare, both]))
    const alone = await rank(['needle'])
    expect([alone.hits.length, alone.considered]).toEqual([2, null])
  })

  test('of three words and more, a text with all of them is ranked, though it has each of them once', async () => {
    const words = ['everywhere', 'alpha', 'beta']
    await storeTexts(words.flatMap((word) => Array.from({ length: 40 }, () => `${word} ${word} ${word}`)))
    const [all] = await storeTexts([`${words.join(' ')} ${'filler '.repeat(300)}`])
    const { hits } = await rank(words)
    expect(hits.map(({ id }) => id)).toContain(all)
  })
})

test('ranks all matches as BM25 does, with 100 words as the usual length, and the others by their estimates', async () => {
  const words = ['alpha', 'beta', 'gamma', 'delta']
  const texts = Array.from({ length: 60 }, (_, number) =>
    Array.from({ length: 3 + ((number * 7) % 40) }, (_, index) => words[(number * (index + 3) + index * index) % 4]!),
  )
  const ids = await storeTexts(texts.map((text) => text.join(' ')))
  const query = ['alpha', 'delta']
  const frequency = (text: readonly string[], word: string) => text.filter((other) => other === word).length
  const scores = texts.map((text) => {
    const parts = query.map((word) => {
      const having = texts.filter((other) => other.includes(word)).length
      const times = frequency(text, word)
      const saturation = (2.2 * times) / (times + 1.2 * (0.25 + (0.75 * text.length) / 100))
      return Math.log(1 + (texts.length - having + 0.5) / (having + 0.5)) * saturation
    })
    return parts.reduce((sum, part) => sum + part, 0)
  })
  const { hits, considered } = await rank(query, engineOf({ maxOfWord: 100 }))
  expect(considered).toBeNull()
  expect(hits).toHaveLength(scores.filter((score) => score > 0).length)
  for (const { id, score } of hits) expect(score).toBeCloseTo(scores[ids.indexOf(id)]!, 5)
  const { hits: few } = await rank(query, engineOf({ maxOfWord: 100, rankedExactly: 10 }))
  expect(new Set(few.map(({ id }) => id))).toEqual(new Set(hits.map(({ id }) => id)))
  const exact = few.slice(0, 10)
  for (const { id, score } of exact) expect(score).toBeCloseTo(scores[ids.indexOf(id)]!, 5)
})
