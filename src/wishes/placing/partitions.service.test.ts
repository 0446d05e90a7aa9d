import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { seededRandom } from '../../../scripts/detection/random.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { dayMs } from '../../runtime/durations.ts'
import { openSearchIndex, type SearchIndex } from '../../search/search-index.ts'
import { undoWishCorrection } from '../corrections/undo.ts'
import { createWordCounter } from '../pairs/rarity.ts'
import { compareAgain } from './grown.ts'
import { placeSlice } from './placing.ts'

// Holds (Data): requests arriving together are placed as if in sequence, whatever their pages; upkeep joins what was separated before

let opened: TestDatabase
let searchIndex: SearchIndex
beforeAll(async () => {
  opened = await openTestDatabase()
  searchIndex = await openSearchIndex(opened.database)
})
afterAll(() => opened.close())
beforeEach(() => opened.reset())

/** Six people ask on one board for the same under one title, each in words of their own; beside them others, and a chore of three days. */
const subjects: [title: string, texts: string[]][] = [
  [
    'Rows in alternating colours',
    [
      'Our drivers read the wrong line twice a week.',
      'I print it and colour every second row by hand.',
      'A wide table is hard to follow with tired eyes.',
      'Please, zebra stripes for the list of deliveries.',
      'My ruler on the screen is a sad sight.',
      'Accounting wants it for the monthly sheet.',
    ],
  ],
  [
    'Print labels over the network',
    [
      'We walk forty metres to the one USB printer.',
      'The warehouse has three printers and no computer.',
      'Bluetooth drops out at the far end of the hall.',
      'Shipping stands in a queue every morning.',
    ],
  ],
  [
    'Remember the last filter',
    ['I set it anew each day.', 'It forgets what I chose when I come back.', 'Two clicks, forty times a day.'],
  ],
  ['Weekly report', ['All is well.', 'All is well.', 'All is well.']],
  ['Undo after deleting', ['I lost a route.']],
  ['Archive for old customers', ['They clutter the list.']],
]

const requests: FoundRequest[] = subjects.flatMap(([title, texts], subject) =>
  texts.map((description, at) =>
    foundRequest(`${subject}-${at}`, {
      ...{ title, description, tags: [], confidence: 1, sourceName: 'ideas.example' },
      authorHandle: title === 'Weekly report' ? 'robot' : `author-${subject}-${at}`,
      originalCreatedAt: new Date(Date.UTC(2026, 0, 1 + at)),
    }),
  ),
)

async function store(page: FoundRequest[]): Promise<void> {
  const prepared = await preparePage('fider', { requests: page }, null)
  const common = { platform: 'fider' as const, topic: 'lists', jobId: null, now: new Date(), markSeenBefore: null }
  await storePageAlone(opened.database, { ...prepared, ...common })
}

async function placeAll(): Promise<void> {
  const onError = (error: unknown) => {
    throw error
  }
  const words = createWordCounter()
  while ((await placeSlice({ database: opened.database, searchIndex, words, onError })) !== null);
}

/** The members of each stored wish, by their ids on the platform. */
const storedWishes = async (): Promise<string[]> => {
  const { rows } = await sql<{ members: string }>`
    select string_agg(source_id, ' ' order by source_id) as members
    from wish_members join requests on id = request_id group by wish_id having count(*) > 1 order by 1`.execute(
    opened.database,
  )
  return rows.map(({ members }) => members)
}

const expected = ['0-0 0-1 0-2 0-3 0-4 0-5', '1-0 1-1 1-2 1-3', '2-0 2-1 2-2']

it('any partition into pages gives the wishes that one request at a time gives', async () => {
  const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
  console.log(`partitions into pages: seed ${seed}`)
  const uniform = seededRandom(seed)
  const shuffled = <Item>(items: readonly Item[]) =>
    items
      .map((item) => ({ item, key: uniform() }))
      .sort((one, other) => one.key - other.key)
      .map(({ item }) => item)
  for (let run = 0; run < 4; run++) {
    const order = shuffled(requests)
    const wishesOf = async (pages: readonly FoundRequest[][], isPlacedAtOnce: boolean) => {
      await opened.reset()
      for (const page of pages) {
        await store(page)
        if (!isPlacedAtOnce) await placeAll()
      }
      await placeAll()
      return storedWishes()
    }
    const pages: FoundRequest[][] = []
    for (let at = 0; at < order.length; ) {
      const size = 1 + Math.floor(uniform() * order.length)
      pages.push(order.slice(at, at + size))
      at += size
    }
    const oneByOne = await wishesOf(
      order.map((request) => [request]),
      false,
    )
    const label = `seed ${seed}, run ${run}: pages of ${pages.map(({ length }) => length)}`
    expect(oneByOne, label).toEqual(expected)
    expect(await wishesOf(pages, false), label).toEqual(oneByOne)
    expect(await wishesOf(pages, true), label).toEqual(oneByOne)
  }
})

/** The requests of a subject as two wishes, as pages of one time were placed before they were placed one after the other. */
async function splitBefore(): Promise<void> {
  await store(requests.filter(({ sourceId }) => sourceId.startsWith('0-')))
  await sql`
    with halves as (
      select id, row_number() over (order by source_id) <= 4 as is_first, min(source_id) over (partition by source_id in ('0-4', '0-5')) = source_id as is_core
      from requests
    ), cores as (select id, is_first from halves where is_core),
    founded as (insert into wishes (id) select id from cores)
    insert into wish_members (request_id, wish_id, is_core, similarity)
    select halves.id, cores.id, is_core, case when is_core then 1 else 0.5 end from halves join cores using (is_first)`.execute(
    opened.database,
  )
  await sql`delete from wish_queue`.execute(opened.database)
}

it('two wishes that were split before are joined by the upkeep, for good until somebody undoes it', async () => {
  await splitBefore()
  expect(await storedWishes()).toEqual(['0-0 0-1 0-2 0-3', '0-4 0-5'])
  const tomorrow = new Date(Date.now() + 1.1 * dayMs)
  await compareAgain(opened.database, tomorrow)
  await placeAll()
  expect(await storedWishes()).toEqual(['0-0 0-1 0-2 0-3 0-4 0-5'])
  const { rows } = await sql<{ id: string; made_by: string }>`select id, made_by from wish_corrections`.execute(
    opened.database,
  )
  expect(rows).toMatchObject([{ made_by: 'placing' }])
  await opened.database
    .transaction()
    .execute((transaction) =>
      undoWishCorrection(transaction, rows[0]!.id, { accountId: null, madeBy: 'admin', now: new Date() }),
    )
  expect(await storedWishes()).toEqual(['0-0 0-1 0-2 0-3', '0-4 0-5'])
  await compareAgain(opened.database, tomorrow)
  expect(await sql`select from wish_queue`.execute(opened.database)).toMatchObject({ rows: [] })
  await compareAgain(opened.database, new Date(tomorrow.getTime() + 1.1 * dayMs))
  await placeAll()
  expect(await storedWishes()).toEqual(['0-0 0-1 0-2 0-3', '0-4 0-5'])
})

it('two wishes are compared again when one of them grows', async () => {
  await splitBefore()
  await store([
    foundRequest('0-6', {
      ...requests[0]!,
      sourceId: '0-6',
      description: 'Everybody here asks for it.',
      authorHandle: 'late',
    }),
  ])
  await placeAll()
  expect(await storedWishes()).toEqual(['0-0 0-1 0-2 0-3 0-4 0-5 0-6'])
})
