import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { openSearchIndex } from '../../requests/search/search-index.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePage } from '../../requests/store/store.ts'
import { sharedView } from '../../requests/views/view.ts'
import { readWishIds } from '../../requests/wishes/numbers.ts'
import { createWordCounter } from '../pairs/rarity.ts'
import { placeSlice } from './placing.ts'
import { possiblySame } from './possibly-same.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

it('wishes that are possibly the same are others than the wish itself, the most similar first', async () => {
  const { database } = opened
  const searchIndex = await openSearchIndex(database)
  const texts: [string, string][] = [
    ['Dark mode for the code editor', 'White hurts my eyes at night.'],
    ['Dark mode for the code editor', 'White hurts my eyes at night.'],
    ['Dark colours in the editor', 'A mode for the night: white hurts my eyes.'],
    ['Export as CSV', 'For spreadsheets.'],
  ]
  const requests = texts.map(([title, description], index) =>
    foundRequest(String(index), { title, description, tags: [], confidence: 1 }),
  )
  const page = await preparePage('github', { requests }, null)
  const rest = { platform: 'github', topic: 'editor', jobId: null, now: new Date(), markSeenBefore: null }
  await database.transaction().execute((transaction) => storePage(transaction, { ...page, ...rest }))
  const words = createWordCounter()
  const onError = (error: unknown) => {
    throw error
  }
  while ((await placeSlice({ database, searchIndex, words, onError })) !== null);
  const rows = await database.selectFrom('requests').select(['id', 'source_id']).execute()
  const idOf = new Map(rows.map((row) => [row.source_id, row.id]))
  const wishIds = await readWishIds(database, [...idOf.values()], sharedView)
  const wishOf = (sourceId: string) => wishIds.get(idOf.get(sourceId)!)!
  expect(wishOf('1')).toBe(wishOf('0'))
  const input = { executor: database, searchIndex, words }
  const same = await possiblySame(input, { wishId: wishOf('0'), requestId: idOf.get('0')!, view: sharedView })
  expect(same.map(({ wishId }) => wishId)).toEqual([wishOf('2')])
  expect(await possiblySame(input, { wishId: wishOf('3'), requestId: idOf.get('3')!, view: sharedView })).toEqual([])
})
