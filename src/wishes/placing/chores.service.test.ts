import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { correctionHash, recomputeStandings } from '../../requests/store/standings.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { openSearchIndex } from '../../search/search-index.ts'
import { createWordCounter } from '../pairs/rarity.ts'
import { placeSlice } from './placing.ts'

// Holds (Data): a recurring title without new text is no wish, unless several people post it

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.reset())
afterAll(() => opened.close())

const post = (id: string, title: string, description: string, fields: Partial<FoundRequest> = {}) => {
  const day = new Date(Date.UTC(2026, 0, Number(id)))
  const rest = { tags: [], confidence: 1, sourceName: 'acme/app', authorHandle: 'bot', originalCreatedAt: day }
  return foundRequest(id, { title, description, ...rest, ...fields })
}
const bump = (id: string, fields: Partial<FoundRequest> = {}) =>
  post(id, `Bump the bundled runtime to 1.${id}`, 'Tag it, then push it to staging.', fields)

async function storeAndPlace(...requests: FoundRequest[]): Promise<void> {
  const { database } = opened
  const page = await preparePage('github', { requests }, null)
  const about = { platform: 'github', topic: 'editor', jobId: null, now: new Date(), markSeenBefore: null }
  await storePageAlone(database, { ...page, ...about })
  const searchIndex = await openSearchIndex(database)
  const onError = (error: unknown) => {
    throw error
  }
  while ((await placeSlice({ database, searchIndex, words: createWordCounter(), onError })) !== null);
}

/** The ids on the platform of the requests of each standing: 2 is likely, 1 is maybe. */
async function standings(): Promise<Record<number, string>> {
  const { rows } = await sql<{ standing: number; ids: string }>`
    select standing, string_agg(source_id, ' ' order by source_id) as ids from requests group by 1`.execute(
    opened.database,
  )
  return Object.fromEntries(rows.map(({ standing, ids }) => [standing, ids]))
}

/** How many likely requests the wishes with several of them have. */
async function sizesOfWishes(): Promise<number[]> {
  const { rows } = await sql<{ size: number }>`
    select count(*)::int as size from wish_members join requests on id = request_id and standing = 2
    group by wish_id having count(*) > 1`.execute(opened.database)
  return rows.map(({ size }) => size)
}

it('the third post of a title that recurs makes all of them maybe, and later ones are maybe at once', async () => {
  await storeAndPlace(bump('1'), bump('2'))
  expect(await standings()).toEqual({ 2: '1 2' })
  await storeAndPlace(bump('3'))
  expect(await standings()).toEqual({ 1: '1 2 3' })
  await storeAndPlace(bump('4'), bump('5', { sourceName: 'acme/site' }))
  expect(await standings()).toEqual({ 1: '1 2 3 4', 2: '5' })
  expect(await sizesOfWishes()).toEqual([])
})

it('posts of a title without any text are chores too, and leave the wish that they had joined', async () => {
  const thread = (id: string) => post(id, 'Weekly questions about the code editor', '')
  await storeAndPlace(thread('1'), thread('2'), thread('3'))
  expect(await standings()).toEqual({ 1: '1 2 3' })
  expect(await sizesOfWishes()).toEqual([])
})

it('a wish that people post in their own words stays likely, and is one wish', async () => {
  const title = 'Dark mode for the code editor'
  await storeAndPlace(
    post('1', title, 'White hurts my eyes at night, so give the code editor dark colours.', { authorHandle: 'ada' }),
    post('2', title, 'My eyes hurt from all that white. The editor needs dark colours at night.', {
      authorHandle: 'bo',
    }),
    post('3', title, 'Please, dark colours: at night the white code editor hurts the eyes.', { authorHandle: 'cy' }),
  )
  expect(await standings()).toEqual({ 2: '1 2 3' })
  expect(await sizesOfWishes()).toEqual([3])
})

it('a title that each of several people post without a text stays likely', async () => {
  await storeAndPlace(
    ...['1', '2', '3'].map((id) => post(id, 'Dark mode for the code editor', '', { authorHandle: `person-${id}` })),
  )
  expect(await standings()).toEqual({ 2: '1 2 3' })
})

it('a title stays likely where one of many people posts it twice, or one is not known', async () => {
  const by = (authorHandle: string | null, id: string) =>
    post(id, 'Dark mode for the code editor', '', { authorHandle, authorName: null })
  await storeAndPlace(...['ada', 'bo', 'cy', 'dee', 'ada'].map((author, at) => by(author, `${at + 1}`)), by(null, '6'))
  expect(await standings()).toEqual({ 1: '1 2 3 4 5 6' })
  await opened.reset()
  await storeAndPlace(...['ada', 'bo', 'cy', 'dee', 'ada'].map((author, at) => by(author, `${at + 1}`)))
  expect(await standings()).toEqual({ 2: '1 2 3 4 5' })
})

it('posts of a title with texts of their own stay likely, and are no wish by themselves: people are asked', async () => {
  const texts = ['White hurts my eyes at night.', 'Reading in bed needs dark colours.', 'My screen is far too bright.']
  await storeAndPlace(...texts.map((text, at) => post(`${at + 1}`, 'Dark mode for the code editor', text)))
  expect(await standings()).toEqual({ 2: '1 2 3' })
  expect(await sizesOfWishes()).toEqual([])
  const pairs = await opened.database.selectFrom('wish_suggestions').selectAll().execute()
  expect(pairs).toHaveLength(3)
})

it('a title recurs in a source that has a name only, not on all of a platform', async () => {
  const anywhere = { sourceName: null, authorHandle: 'ada' }
  await storeAndPlace(...['1', '2', '3'].map((id) => post(id, 'Dark mode please', '', anywhere)))
  expect(await standings()).toEqual({ 2: '1 2 3' })
})

it('copies that somebody posts on one day stay likely, and are one wish', async () => {
  const day = { originalCreatedAt: new Date('2026-02-03T10:00:00Z') }
  const text = 'The picture is not painted again when it is loaded late, so give it a function for that.'
  await storeAndPlace(...['1', '2', '3'].map((id) => post(id, 'Repaint a picture of a view', text, day)))
  expect(await standings()).toEqual({ 2: '1 2 3' })
  expect(await sizesOfWishes()).toEqual([3])
})

it('a chore is likely again once its text is another, or the operator says that it is a wish', async () => {
  await storeAndPlace(bump('1'), bump('2'), bump('3'))
  await storeAndPlace(post('1', 'Dark mode for the code editor', 'White hurts my eyes at night.'))
  expect(await standings()).toEqual({ 1: '2 3', 2: '1' })
  const { id } = await opened.database
    .selectFrom('requests')
    .select('id')
    .where('source_id', '=', '2')
    .executeTakeFirstOrThrow()
  await opened.database.transaction().execute(async (transaction) => {
    await sql`
      insert into request_corrections (account_id, platform, source_hash, is_request, made_by, created_at)
      values (null, 'github', ${correctionHash('github', '2')}, true, 'admin', now())`.execute(transaction)
    await recomputeStandings(transaction, [id])
  })
  await storeAndPlace(bump('4'))
  expect(await standings()).toEqual({ 1: '3 4', 2: '1 2' })
})
