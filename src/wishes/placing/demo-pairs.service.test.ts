import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { storeDemo } from '../../../test/demo-requests.ts'
import { sharedView } from '../../requests/view.ts'
import { readWishIds } from '../../requests/wish-numbers/numbers.ts'
import { openSearchIndex } from '../../search/search-index.ts'
import type { CandidatesInput } from '../pairs/candidates.ts'
import { createWordCounter } from '../pairs/rarity.ts'
import { keyOf, listSuggestions } from '../suggestions/list.ts'
import pairs from './demo-pairs.json' with { type: 'json' }
import { placeSlice } from './placing.ts'

// Holds (Data): in the demo, pairs that read the same are joined or suggested, and siblings stay apart

let opened: TestDatabase
let input: CandidatesInput

/** The id of the request of each title, as the section has it. */
let idOfTitle: Map<string, string>

beforeAll(async () => {
  opened = await openTestDatabase()
  const { database } = opened
  const searchIndex = await openSearchIndex(database)
  input = { executor: database, searchIndex, words: createWordCounter() }
  idOfTitle = await storeDemo(database)
  const onError = (error: unknown) => {
    throw error
  }
  while ((await placeSlice({ ...input, database, onError })) !== null);
})
afterAll(() => opened.close())

async function areJoined(one: string, other: string): Promise<boolean> {
  const ids = [idOfTitle.get(one)!, idOfTitle.get(other)!]
  const wishes = await readWishIds(opened.database, ids, sharedView)
  return wishes.get(ids[0]!) === wishes.get(ids[1]!)
}

/** The pairs of wishes that are asked whether they are the same, both ways. */
async function readSuggested(): Promise<Set<string>> {
  const suggested = new Set<string>()
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page = await listSuggestions(opened.database, { limit: 100, cursor, view: sharedView, now: new Date() })
    for (const { wishes } of page.results) suggested.add(keyOf(wishes[0].wishId, wishes[1].wishId))
    cursor = page.cursor
  }
  return suggested
}

/** So many of the 20 pairs are found; the others have hardly a word in common, or name a product that their source does not. */
const leastFound = 18

it('pairs of the demo that read the same are joined or suggested', async () => {
  const suggested = await readSuggested()
  const wishes = await readWishIds(opened.database, [...idOfTitle.values()], sharedView)
  const wishOf = (title: string) => wishes.get(idOfTitle.get(title)!)!
  const apart = (pairs.same as [string, string][]).flatMap(([one, other]) =>
    wishOf(one) === wishOf(other) || suggested.has(keyOf(wishOf(one), wishOf(other))) ? [] : [`${one} / ${other}`],
  )
  expect(pairs.same.length - apart.length, apart.join('\n')).toBeGreaterThanOrEqual(leastFound)
})

it('siblings of the demo are never joined', async () => {
  for (const [one, other] of pairs.siblings as [string, string][]) {
    expect(await areJoined(one, other), `${one} / ${other}`).toBe(false)
  }
})
