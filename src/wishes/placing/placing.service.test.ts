import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { deleteAlone } from '../../requests/store/delete.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { correctionHash, recomputeStandings } from '../../requests/store/standings.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { systemClock } from '../../runtime/clock.ts'
import { openSearchIndex, type SearchIndex } from '../../search/search-index.ts'
import { createWordCounter } from '../pairs/rarity.ts'
import { placeRequests } from './place.ts'
import { claimRequests, placeSlice, readBacklog, startPlacing } from './placing.ts'

// Holds (Data): processes placing requests in parallel, or killed, neither duplicate nor lose any
// Holds (Data): wishes never grow by chaining, and what the operator split is never rejoined
// Holds (Data): what only some accounts see neither founds a wish nor is a candidate

let opened: TestDatabase
let searchIndex: SearchIndex
let account: string

beforeAll(async () => {
  opened = await openTestDatabase()
  searchIndex = await openSearchIndex(opened.database)
})
afterAll(() => opened.close())
beforeEach(async () => {
  await opened.reset()
  const values = { name: 'test', tier: 'max' as const, created_at: new Date() }
  account = (await opened.database.insertInto('accounts').values(values).returning('id').executeTakeFirstOrThrow()).id
})

async function store(...requests: FoundRequest[]): Promise<void> {
  const prepared = await preparePage('github', { requests }, null)
  const page = { ...prepared, platform: 'github', topic: 'editor', jobId: null, now: new Date(), markSeenBefore: null }
  await storePageAlone(opened.database, page)
}
const wish = (id: string, title: string, description = '', fields: Partial<FoundRequest> = {}) =>
  foundRequest(id, { title, description, tags: [], confidence: 1, ...fields })

const darkMode = (id: string, fields: Partial<FoundRequest> = {}) =>
  wish(
    id,
    'Dark mode for the code editor',
    'White hurts my eyes at night, so give the code editor dark colours.',
    fields,
  )
const csv = (id: string) =>
  wish(id, 'Export the table of results as CSV', 'I would like to open the exported table in a spreadsheet.')
const unrelated = [
  'Keyboard shortcuts for the outline',
  'Sign in with a passkey',
  'Wider sidebar on small screens',
  'Undo a closed tab',
].map((title, index) => wish(`u${index}`, title, `I miss this every day: ${title.toLowerCase()}.`))

const placeAll = async (): Promise<{ placed: number; joined: number }> => {
  const words = createWordCounter()
  const onError = (error: unknown) => {
    throw error
  }
  const sum = { placed: 0, joined: 0 }
  for (;;) {
    const slice = await placeSlice({ database: opened.database, searchIndex, words, maxRequests: 3, onError })
    if (slice === null) return sum
    sum.placed += slice.placed
    sum.joined += slice.joined
  }
}

const idOf = async (sourceId: string): Promise<string> =>
  (
    await opened.database
      .selectFrom('requests')
      .select('id')
      .where('source_id', '=', sourceId)
      .executeTakeFirstOrThrow()
  ).id

/** The members of each stored wish, by their ids on the platform. */
const storedWishes = async (): Promise<string[]> => {
  const { rows } = await sql<{ members: string }>`
    select string_agg(source_id, ' ' order by source_id) as members
    from wish_members join requests on id = request_id group by wish_id order by 1`.execute(opened.database)
  return rows.map(({ members }) => members)
}
const waiting = () => readBacklog(opened.database)
const cores = async () => {
  const { rows } = await sql<{ cores: number }>`
    select count(*) filter (where is_core)::int as cores from wish_members group by wish_id`.execute(opened.database)
  return rows.map((row) => row.cores)
}
const expireClaims = () =>
  sql`update wish_queue set claimed_until = now() - interval '1 second'`.execute(opened.database)

describe('stored requests', () => {
  it('that ask for the same are placed in one wish; others stay wishes by themselves', async () => {
    await store(darkMode('1'), darkMode('2'), csv('3'), ...unrelated)
    expect(await waiting()).toBe(7)
    expect(await placeAll()).toEqual({ placed: 7, joined: 1 })
    expect(await storedWishes()).toEqual(['1 2'])
    expect(await cores()).toEqual([1])
    expect(await waiting()).toBe(0)
    await store(csv('4'), darkMode('5'), darkMode('1', { votes: 9 }))
    expect(await placeAll()).toEqual({ placed: 2, joined: 2 })
    expect(await storedWishes()).toEqual(['1 2 5', '3 4'])
  })

  it('are placed once they count as one, and again when their text changes', async () => {
    await store(darkMode('1'), ...unrelated)
    await store(darkMode('2', { confidence: 0 }), wish('3', 'Something else entirely'))
    await placeAll()
    expect(await storedWishes()).toEqual([])
    await store(darkMode('2'), darkMode('3'))
    await placeAll()
    expect(await storedWishes()).toEqual(['1 2 3'])
  })

  it('join a wish that was there before, though they are even more alike to each other', async () => {
    await store(darkMode('1'), ...unrelated)
    await placeAll()
    const description = 'White hurts my eyes at night, so give the whole code editor dark colours, please.'
    await store(darkMode('2', { description }), darkMode('3', { description }))
    await placeAll()
    expect(await storedWishes()).toEqual(['1 2 3'])
  })

  it('of another product stay wishes by themselves, however alike they are', async () => {
    const of = (id: string, sourceName: string) => darkMode(id, { sourceName })
    await store(of('1', 'acme/app'), of('2', 'acme/site'), of('3', 'acme/app'), ...unrelated)
    expect(await placeAll()).toEqual({ placed: 7, joined: 1 })
    expect(await storedWishes()).toEqual(['1 3'])
  })

  it('that are deleted while they are queued or claimed leave nothing', async () => {
    await store(darkMode('1'), darkMode('2'))
    const claims = await claimRequests(opened.database, 9)
    const [first, second] = [await idOf('1'), await idOf('2')]
    await deleteAlone(opened.database, sql<{ id: string }>`select id from requests where id = ${second} for update`)
    const targets = [{ coreId: second, similarity: 1 }]
    await placeRequests(
      opened.database,
      claims.map((claim) => ({ claim, targets: claim.id === first ? targets : [] })),
    )
    expect(await storedWishes()).toEqual([])
    await placeAll()
    expect([await storedWishes(), await waiting()]).toEqual([[], 0])
  })

  it('are placed in the background by a running service', async () => {
    const joined = Promise.withResolvers<void>()
    const placing = await startPlacing({
      database: opened.database,
      searchIndex,
      listen: opened.listen,
      log: { error: joined.reject, warn: joined.reject },
      clock: systemClock,
      isAutomatic: true,
    })
    await store(darkMode('1'), darkMode('2'), ...unrelated)
    await expect.poll(storedWishes).toEqual(['1 2'])
    await placing.stop()
  })
})

describe('several processes', () => {
  it('that place at once double and lose nothing', async () => {
    const subjects = ['Spell checker', 'Minimap', 'Split view', 'Vim keys', 'Git blame', 'Word wrap', 'Font ligatures']
    const ofSubject = (copy: number) =>
      subjects.map((subject, index) =>
        wish(`${index}-${copy}`, `${subject} for the editor`, `The editor should have ${subject.toLowerCase()}.`),
      )
    await store(...ofSubject(1), ...ofSubject(2), ...ofSubject(3))
    const placed = await Promise.all([placeAll(), placeAll(), placeAll()])
    expect(placed.reduce((sum, one) => sum + one.joined, 0)).toBe(14)
    expect(await waiting()).toBe(0)
    expect(await storedWishes()).toEqual(subjects.map((_, index) => `${index}-1 ${index}-2 ${index}-3`))
    expect(new Set(await cores())).toEqual(new Set([1]))
  })

  it('leave each other what they claimed, and take over what a killed one claimed', async () => {
    await store(darkMode('1'), darkMode('2'))
    const killed = await claimRequests(opened.database, 9)
    expect(killed).toHaveLength(2)
    expect(await placeAll()).toEqual({ placed: 0, joined: 0 })
    expect(await waiting()).toBe(2)
    await expireClaims()
    expect(await placeAll()).toEqual({ placed: 2, joined: 1 })
    // It was only slow: its claims do not hold any more.
    const target = { coreId: killed[1]!.id, similarity: 1 }
    expect(await placeRequests(opened.database, [{ claim: killed[0]!, targets: [target] }])).toMatchObject({
      placed: 0,
      joined: 0,
    })
    expect(await storedWishes()).toEqual(['1 2'])
  })

  it('do not place a request by a text that has changed meanwhile', async () => {
    await store(darkMode('1'), darkMode('2'))
    const claims = await claimRequests(opened.database, 9)
    await store(csv('1'))
    const proposals = claims.map((claim) => ({
      claim,
      targets: claims.filter(({ id }) => id !== claim.id).map(({ id }) => ({ coreId: id, similarity: 1 })),
    }))
    const ofChanged = proposals.filter(({ claim }) => claim.id !== claims[1]!.id)
    const changed = await idOf('1')
    expect(
      await placeRequests(
        opened.database,
        proposals.filter(({ claim }) => claim.id === changed),
      ),
    ).toMatchObject({
      placed: 0,
      joined: 0,
    })
    expect(ofChanged).toHaveLength(1)
    expect(await storedWishes()).toEqual([])
    await expireClaims()
    await placeAll()
    expect(await storedWishes()).toEqual([])
  })
})

describe('a wish', () => {
  it('never grows by a chain: only its core is a target', async () => {
    await store(darkMode('1'), darkMode('2'))
    await placeAll()
    const { rows } = await sql<{ request_id: string }>`select request_id from wish_members where not is_core`.execute(
      opened.database,
    )
    await store(csv('3'))
    const [claim] = await claimRequests(opened.database, 9)
    const targets = [{ coreId: rows[0]!.request_id, similarity: 1 }]
    expect(await placeRequests(opened.database, [{ claim: claim!, targets }])).toMatchObject({ placed: 0, joined: 0 })
    // It is tried again, with targets of its own.
    expect(await placeAll()).toEqual({ placed: 1, joined: 0 })
    expect(await storedWishes()).toEqual(['1 2'])
  })

  it.each([
    ['is not joined by a request that the operator parted from one of its members', false, 0],
    ['is joined by a request about which the operator only asked no more', true, 1],
  ])('%s', async (_what, isSkipped, joined) => {
    await store(darkMode('1'), darkMode('2'))
    await placeAll()
    const hashes = ['2', '3'].map((id) => correctionHash('github', id)).sort()
    await sql`
      with correction as (
        insert into wish_corrections (kind, made_by, created_at, from_wish_id, to_wish_id)
        values ('split', 'admin', now(), gen_random_uuid(), gen_random_uuid()) returning id
      )
      insert into wish_partings (correction_id, one_hash, other_hash, is_skipped)
      select id, ${hashes[0]}, ${hashes[1]}, ${isSkipped} from correction`.execute(opened.database)
    await store(darkMode('3'))
    expect(await placeAll()).toEqual({ placed: 1, joined })
    await store(darkMode('4'))
    expect(await placeAll()).toEqual({ placed: 1, joined: 1 })
    expect(isSkipped ? ['1 2 3 4'] : ['1 2', '1 2 4']).toContain((await storedWishes())[0])
  })
})

describe('a request that only an account sees', () => {
  const nameSource = (source: string) =>
    sql`insert into account_sources values (${account}, 'github', ${source}, now())`.execute(opened.database)

  it('joins a wish of listed requests, and is no member that others could join', async () => {
    await nameSource('acme/app')
    await store(darkMode('private-1', { ownSource: 'acme/app' }), darkMode('private-2', { ownSource: 'acme/app' }))
    expect(await placeAll()).toEqual({ placed: 2, joined: 0 })
    await store(darkMode('listed-1'))
    expect(await placeAll()).toEqual({ placed: 1, joined: 0 })
    await store(darkMode('private-3', { ownSource: 'acme/app' }), ...unrelated)
    expect(await placeAll()).toEqual({ placed: 5, joined: 1 })
    const { rows } = await sql<{ source_id: string }>`
      select source_id from wish_members join requests on id = request_id where is_core`.execute(opened.database)
    expect(rows).toEqual([{ source_id: 'listed-1' }])
  })

  it('is placed when a correction makes it likely for the account', async () => {
    await store(darkMode('1'), darkMode('2', { confidence: 0 }), ...unrelated)
    await placeAll()
    const id = await idOf('2')
    await opened.database.transaction().execute(async (transaction) => {
      await sql`
        insert into request_corrections (account_id, platform, source_hash, is_request, made_by, created_at)
        values (${account}, 'github', ${correctionHash('github', '2')}, true, 'admin', now())`.execute(transaction)
      await recomputeStandings(transaction, [id])
    })
    expect(await placeAll()).toEqual({ placed: 1, joined: 1 })
    expect(await storedWishes()).toEqual(['1 2'])
  })
})
