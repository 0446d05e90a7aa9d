import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { vocabularyCounts } from '../../search/testing.ts'
import { purgeRequests } from '../purge/purge.ts'
import { refreshCopies } from '../store/copies.ts'
import { preparePage } from '../store/prepared-page.ts'
import { storePageAlone } from '../store/store.ts'
import { countListings, countSlice, countTexts, countUncounted } from './uncounted-texts.ts'

// Holds (Search, lists and export): a new text's words are counted once, whatever happens to it or the process

// No service runs here, so nothing counts words but the tests.

let opened: TestDatabase

beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.reset())
afterAll(() => opened.close())

async function store(requests: FoundRequest[]) {
  const prepared = await preparePage('github', { requests }, null)
  const page = { ...prepared, platform: 'github' as const, jobId: null, topic: 'words', now: new Date() }
  return storePageAlone(opened.database, page)
}

/** Exact for the texts that are counted, at any time, and for all texts when the backlog is empty. */
async function expectExact() {
  const before = await vocabularyCounts(opened.database)
  expect(before.stored).toEqual(before.counted)
  await countTexts(opened.database)
  const { stored, counted, left } = await vocabularyCounts(opened.database)
  expect([stored, left]).toEqual([counted, 0])
  return stored
}

const rose = foundRequest('1', { title: 'Rose', description: 'a red flower of the garden' })
const tulip = foundRequest('2', { title: 'Tulip', description: 'a red flower', authorName: 'Unheard Gardener' })
const purgeTulip = () =>
  purgeRequests(opened.database, { author: 'Unheard Gardener', suppress: false, dryRun: false, now: new Date() })

describe('texts whose words are not counted yet', () => {
  it('are in no vocabulary, and are counted as they are then', async () => {
    await store([rose, tulip])
    await store([{ ...rose, description: 'a blue flower' }])
    expect(await vocabularyCounts(opened.database)).toMatchObject({ left: 2, stored: new Map() })
    await purgeTulip()
    const words = await expectExact()
    expect(['blue', 'red', 'tulip'].map((word) => words.get(word))).toEqual([1, undefined, undefined])
  })

  it('are counted once, also when slices meet pages and each other, or one of them is rolled back', async () => {
    const many = Array.from({ length: 30 }, (_, number) => ({ ...rose, sourceId: `${number}`, title: `Rose${number}` }))
    await store(many)
    const slices = () => Promise.all(Array.from({ length: 4 }, () => countSlice(opened.database, 3)))
    await Promise.all([slices(), store(many.map((one) => ({ ...one, title: `${one.title} blossom` }))), slices()])
    const failing = opened.database.transaction().execute(async (transaction) => {
      await countUncounted(transaction, 5)
      throw new Error('killed')
    })
    await expect(failing).rejects.toThrow('killed')
    const words = await expectExact()
    expect([words.get('blossom'), words.get('rose7')]).toEqual([30, 1])
  })

  it('leave the words of other texts when they become unlisted or go', async () => {
    await store([rose])
    await countTexts(opened.database)
    await store([tulip, { ...tulip, sourceId: '3', authorName: 'Known Gardener' }])
    await opened.database.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ id: string }>`
        update requests set standing = -1 where source_id in ('1', '3') returning id`.execute(transaction)
      const ids = rows.map(({ id }) => id)
      await refreshCopies(transaction, ids)
      await countListings(
        transaction,
        ids.map((id) => ({ id, isListed: false })),
      )
    })
    expect(await vocabularyCounts(opened.database)).toMatchObject({ left: 1, stored: new Map() })
    await purgeTulip()
    expect((await expectExact()).size).toBe(0)
  })
})
