import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { sharedView } from '../../requests/view.ts'
import { readWishIds } from '../../requests/wish-numbers/numbers.ts'
import { openSearchIndex } from '../../search/search-index.ts'
import type { CandidatesInput } from '../pairs/candidates.ts'
import { createWordCounter } from '../pairs/rarity.ts'
import { placeSlice } from './placing.ts'
import { possiblySame } from './targets.ts'

let opened: TestDatabase
let input: CandidatesInput
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(async () => {
  await opened.reset()
  const searchIndex = await openSearchIndex(opened.database)
  input = { executor: opened.database, searchIndex, words: createWordCounter() }
})
afterAll(() => opened.close())

/** Their ids on the platform are their places in the list, from the first id on. */
async function store(firstId: number, ...texts: [title: string, description: string][]): Promise<void> {
  const requests = texts.map(([title, description], index) =>
    foundRequest(String(firstId + index), { title, description, tags: [], confidence: 1 }),
  )
  const page = await preparePage('github', { requests }, null)
  const rest = { platform: 'github', topic: 'editor', jobId: null, now: new Date(), markSeenBefore: null }
  await storePageAlone(opened.database, { ...page, ...rest })
}

async function placeAll(): Promise<void> {
  const onError = (error: unknown) => {
    throw error
  }
  while ((await placeSlice({ ...input, database: opened.database, onError })) !== null);
}

/** The wish of a request. */
async function wishOf(sourceId: string): Promise<string> {
  const id = await idOf(sourceId)
  return (await readWishIds(opened.database, [id], sharedView)).get(id)!
}

const idOf = async (sourceId: string): Promise<string> => {
  const requests = opened.database.selectFrom('requests').select('id').where('source_id', '=', sourceId)
  return (await requests.executeTakeFirstOrThrow()).id
}

const samePossibly = async (sourceId: string) =>
  possiblySame(input, { wishId: await wishOf(sourceId), requestId: await idOf(sourceId), view: sharedView })

const darkMode: [string, string] = ['Dark mode for the code editor', 'White hurts my eyes at night.']
const darkColours: [string, string] = ['Dark colours in the editor', 'A mode for the night: white hurts my eyes.']
const csv: [string, string] = ['Export as CSV', 'For spreadsheets.']

describe('wishes that are possibly the same', () => {
  it('are others than the wish itself', async () => {
    await store(0, darkMode, darkMode, darkColours, csv)
    await placeAll()
    expect(await wishOf('1')).toBe(await wishOf('0'))
    expect((await samePossibly('0')).map(({ wishId }) => wishId)).toEqual([await wishOf('2')])
    expect(await samePossibly('3')).toEqual([])
  })

  it('come in the order of their similarity, also when the most similar one is not placed yet', async () => {
    await store(0, darkMode, darkColours, csv)
    await placeAll()
    await store(3, darkMode)
    const same = await samePossibly('0')
    expect(same.map(({ wishId }) => wishId)).toEqual([await wishOf('3'), await wishOf('1')])
    expect(same[0]!.similarity).toBeGreaterThan(same[1]!.similarity)
  })
})
