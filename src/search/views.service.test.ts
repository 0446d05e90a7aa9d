import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { openTestSearchIndex } from '../../test/search.ts'
import { changeRequests } from '../../test/stored-requests.ts'
import { sharedView } from '../requests/view.ts'
import type { SearchIndex } from './search-index.ts'
import { findIds, store, syntheticRow } from './testing.ts'

// Holds (Search, lists and export): a search fills its pages with likely requests, even when nearly all matches are hidden

// Takes seconds: 6,000 texts are searched page by page in every view.

// A search among many requests of which most are hidden finds what a plain scan of all texts finds.

const size = 6_000
let opened: TestDatabase
let index: SearchIndex
let ids: string[]

beforeAll(async () => {
  opened = await openTestDatabase()
  index = await openTestSearchIndex(opened.database)
  ids = await store(
    opened.database,
    Array.from({ length: size }, (_, number) => syntheticRow(number)),
  )
})
afterAll(() => opened.close())

/** Makes so many of a hundred requests unlikely, and one more of them maybe a request. */
async function hide(percent: number): Promise<void> {
  const rows = ids.map((id, number) => {
    const share = (number * 37) % 100
    return { id, standing: share < percent ? 0 : share === percent ? 1 : 2 }
  })
  await changeRequests(
    opened.database,
    sql`update requests set standing = row.standing
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (id uuid, standing integer) where requests.id = row.id`,
  )
  await sql`analyze`.execute(opened.database)
}

/** The likely requests that have a word, by a scan of all texts. */
async function scan(word: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from requests join request_texts on request_id = id
    where standing = 2 and ' ' || text || ' ' like ${`% ${word} %`}`.execute(opened.database)
  return rows.map(({ id }) => id)
}

describe.each([60, 96])('with %i of a hundred requests hidden', (percent) => {
  beforeAll(() => hide(percent))

  test.each(['everywhere', 'minority', 'majority', 'group3', 'filler', 'needle', 'row77'])(
    'a search for %s returns a full page of likely requests where there are so many',
    async (query) => {
      const right = new Set(await scan(query))
      const { ids: found } = await findIds(index, opened.database, { query })
      expect(found.length).toBe(Math.min(100, right.size))
      expect(found.filter((id) => !right.has(id))).toEqual([])
    },
  )

  test('pages fit together, and are the same as one long page', async () => {
    for (const query of ['everywhere minority', 'group3', 'filler']) {
      const { ids: whole } = await findIds(index, opened.database, { query })
      const pages: string[] = []
      for (let offset = 0; offset < 100; offset += 10) {
        pages.push(...(await findIds(index, opened.database, { query, offset, limit: 10 })).ids)
      }
      expect(pages, query).toEqual(whole)
    }
  })

  test.each(['relevance', 'votes', 'new'] as const)(
    'what may be a request follows the likely ones, by %s',
    async (sortBy) => {
      const filters = { view: { ...sharedView, least: 0 as const } }
      const query = Array.from({ length: 30 }, (_, number) => `row${number}`).join(' ')
      const { ids: found } = await findIds(index, opened.database, { query, sortBy, filters })
      const { rows } = await sql<{ id: string; standing: number }>`
      select id, standing from requests where id = any(${found}::uuid[])`.execute(opened.database)
      const standingOf = new Map(rows.map(({ id, standing }) => [id, standing]))
      const standings = found.map((id) => standingOf.get(id)!)
      expect(new Set(standings).size).toBeGreaterThan(1)
      expect(standings).toEqual([...standings].sort((a, b) => b - a))
    },
  )

  test('filters apply to the likely ones of the best matches', async () => {
    const right = await scan('filler')
    const { ids: found, window } = await findIds(index, opened.database, {
      query: 'filler',
      sortBy: 'votes',
      filters: { view: sharedView },
    })
    expect(found.length).toBe(Math.min(100, right.length))
    if (window !== null) expect(window).toBeLessThanOrEqual(right.length)
  })
})
