import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { openTestSearchIndex } from '../../test/search.ts'
import { changeRequests } from '../../test/stored-requests.ts'
import type { SearchIndex } from './search-index.ts'
import { store } from './testing.ts'

// The copies that exact searches read, and their index of words, follow every change of a request and of its text.

const rowCount = 200
const row = { platform: 'github', topic: 'topic' }

let opened: TestDatabase
let index: SearchIndex
let ids: string[]
beforeAll(async () => {
  opened = await openTestDatabase()
  index = await openTestSearchIndex(opened.database)
})
beforeEach(async () => {
  await opened.reset()
  ids = await store(
    opened.database,
    Array.from({ length: rowCount }, (_, number) => ({ ...row, text: `everywhere number${number}` })),
  )
})
afterAll(() => opened.close())

const totalOf = async (query: string) => (await index.totals(opened.database, { query })).total
const newest = async (query: string) => {
  const { results } = await index.search(opened.database, { query, sortBy: 'new', offset: 0, limit: 10 })
  return results.map(({ _id }) => _id)
}

it('a changed text is counted and ordered by its new words, and no longer by the old ones', async () => {
  const changed = ids.slice(3, 6)
  await changeRequests(
    opened.database,
    sql`update request_texts set text = 'other words' where request_id = any(${changed}::uuid[])`,
  )
  expect([await totalOf('everywhere'), await totalOf('other'), await totalOf('number4')]).toEqual([rowCount - 3, 3, 0])
  expect((await newest('other words')).toSorted()).toEqual(changed.toSorted())
  await changeRequests(opened.database, sql`delete from requests where id = ${changed[0]!}`)
  expect(await totalOf('other')).toBe(2)
})

it('the sample has one request in 32, as bounds.ts reckons', async () => {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_indexdef('searchable_requests_sample'::regclass) as definition`.execute(opened.database)
  const [, first] = /request_id < '(..)0{6}-/.exec(rows[0]!.definition) ?? []
  expect(256 / Number.parseInt(first ?? '', 16)).toBe(32)
})

it('every copied column follows the request', async () => {
  await changeRequests(
    opened.database,
    sql`update requests set votes = 7, standing = 1, status = 'open', tags = '{ui}', original_created_at = '2020-02-02'
    where id = any(${ids.slice(0, 90)}::uuid[])`,
  )
  const { rows } = await sql<{ different: number }>`
    select count(*)::int as different from requests full join searchable_requests as copy on request_id = id
    where (copy.platform, copy.status, copy.standing, copy.votes, copy.posted_at, copy.tags)
      is distinct from (requests.platform, requests.status, requests.standing, requests.votes, requests.posted_at, requests.tags)`.execute(
    opened.database,
  )
  expect(rows).toEqual([{ different: 0 }])
})
