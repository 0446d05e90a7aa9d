import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { deleteAlone } from './delete.ts'
import { preparePage } from './prepared-page.ts'
import { storePageAlone } from './store.ts'
import { createTextWriting, writeUnwritten } from './unwritten-texts.ts'

// Holds (Search, lists and export): a large import writes each text once, in its latest state, and makes it searchable

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())
beforeEach(() => opened.reset())

async function store(requests: FoundRequest[], isFoundLater = false): Promise<void> {
  const prepared = await preparePage('github', { requests }, null, isFoundLater)
  const now = new Date('2026-06-01T10:00:00Z')
  await storePageAlone(opened.database, { platform: 'github', topic: 'maps', jobId: null, now, ...prepared })
}

/** The source ids of the requests that a table has. */
async function ofTable(table: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select source_id as id from ${sql.table(table)} join requests on requests.id = request_id`.execute(opened.database)
  return rows.map(({ id }) => id)
}

async function textsOf(): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`select text from request_texts`.execute(opened.database)
  return rows.map(({ text }) => text)
}

const followers = ['wish_queue', 'searchable_requests', 'uncounted_texts']

it('a request is searchable, counted and queued when its text is written, and not before', async () => {
  await store([foundRequest('later', { title: 'Please add maps' })], true)
  expect(await ofTable('unwritten_texts')).toEqual(['later'])
  for (const table of followers) expect(await ofTable(table), table).toEqual([])
  expect(await textsOf()).toEqual([])
  while (await writeUnwritten(opened.database));
  expect(await textsOf()).toEqual([expect.stringContaining('please add maps')])
  for (const table of followers) expect(await ofTable(table), table).toEqual(['later'])
  expect(await ofTable('unwritten_texts')).toEqual([])
})

it('a text is that of the request as it is then, also where another page wrote it first, and none is of a deleted one', async () => {
  await store([foundRequest('kept', { title: 'Please add maps' }), foundRequest('deleted')], true)
  await store([foundRequest('kept', { title: 'Please add offline maps' })])
  await deleteAlone(opened.database, sql`select id from requests where source_id = 'deleted' for update`)
  while (await writeUnwritten(opened.database));
  expect(await textsOf()).toEqual([expect.stringContaining('please add offline maps')])
  for (const table of followers) expect(await ofTable(table), table).toEqual(['kept'])
  const { rows } = await sql`select from unwritten_texts`.execute(opened.database)
  expect(rows).toEqual([])
})

it('the texts of an import are written when it is stored, not meanwhile', async () => {
  const writing = createTextWriting(opened.database, {
    error: (problem: unknown) => expect.unreachable(String(problem)),
  })
  await writing.after(async () => {
    await store([foundRequest('later')], true)
    await writing.run()
    expect(await ofTable('unwritten_texts')).toEqual(['later'])
  })
  await expect.poll(() => ofTable('unwritten_texts')).toEqual([])
  expect(await ofTable('searchable_requests')).toEqual(['later'])
  await writing.stop()
})
