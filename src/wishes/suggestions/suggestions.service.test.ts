import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import { joinWish } from '../../../test/stored-wish.ts'
import { runCommand } from '../../cli/command-testing.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest, Platform } from '../../platforms/platform.ts'

// Holds (Data): an answered suggestion returns only after an undo, and other accounts never see the answer

const platforms = new Map<PlatformName, Platform>()
let service: TestService

const wish = (id: string, title: string, description: string, more: Partial<FoundRequest> = {}) =>
  foundRequest(id, { title, description, tags: [], votes: 0, confidence: 1, sourceName: 'acme/app', ...more })

const eyes = 'White hurts my eyes at night, so give the editor dark colours.'
const darkModes = (votes: number) => [
  wish('1', 'Dark mode for the editor', eyes, { votes }),
  wish('2', 'Dark mode for the terminal', 'White hurts my eyes at night, so give the terminal dark colours.', {
    votes: 1,
  }),
]
const exportsToCsv = [
  wish('3', 'Export the table as CSV', 'I open the exported table in a spreadsheet each week.', {
    votes: 3,
    sourceName: 'other/app',
  }),
  wish('4', 'Export the table as XML', 'I open the exported table in a spreadsheet each month.', {
    sourceName: 'other/app',
  }),
]
const unrelated = [
  wish('5', 'Sign in with a passkey', 'I forget my password every day and would like to be without one.'),
  wish('6', 'Undo a closed tab', 'I close tabs by mistake and miss them.'),
]

async function collect(topic: string, requests: FoundRequest[]): Promise<void> {
  platforms.set(
    'github',
    scriptedPlatform('github', () => ({ requests, nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic, platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId, 30_000)
  await service.placeRequests()
}

interface Listed {
  suggestionId: string
  wishes: { title: string; votes: number }[]
  reasons: Record<'for' | 'against', { kind: string; words: string[] }[]>
}
const read = async (query = '', client = service.client) =>
  (await client.get(`/api/v1/suggestions/wishes${query}`)).body.data as {
    results: Listed[]
    hasMore: boolean
    cursor: string
  }
const asked = async (query = '', client = service.client) =>
  (await read(query, client)).results.map(({ wishes }) => wishes.map(({ title }) => title.split(' ').at(-1)))
const answer = async (suggestionId: string, given: string, client = service.client) =>
  client.post(`/api/v1/suggestions/wishes/${suggestionId}`, { answer: given })
const undo = (correctionId: string, client = service.client) =>
  client.send('DELETE', `/api/v1/corrections/wishes/${correctionId}`)

const dark = ['editor', 'terminal']
const tables = ['CSV', 'XML']

beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterAll(() => service.stop())
beforeEach(async () => {
  await service.reset()
  await collect('everything', [...darkModes(9), ...exportsToCsv, ...unrelated])
  await collect('tables', exportsToCsv)
})

describe('suggestions', () => {
  it('are pairs that are alike, the most votes times similarity first, with reasons; by topic and product', async () => {
    const { results } = await read()
    expect(await asked()).toEqual([dark, tables])
    expect(results[0]!.reasons.for).toContainEqual({ kind: 'same_words', words: ['dark', 'mode'] })
    expect(results[1]!.reasons.against).toContainEqual({ kind: 'words', words: expect.arrayContaining(['csv', 'xml']) })
    expect(await asked('?topic=tables')).toEqual([tables])
    expect(await asked('?product=ACME/app')).toEqual([dark])
    expect(await asked('?product=nobody/app')).toEqual([])
  })

  it('are paged', async () => {
    const first = await read('?limit=1')
    expect([first.results.length, first.hasMore]).toEqual([1, true])
    expect(await asked(`?limit=1&cursor=${first.cursor}`)).toEqual([tables])
    expect((await service.client.get('/api/v1/suggestions/wishes?cursor=x')).status).toBe(400)
  })

  it('follow their votes', async () => {
    await collect('everything', [...darkModes(2), { ...exportsToCsv[0]!, votes: 50 }])
    await service.runMaintenance()
    expect(await asked()).toEqual([tables, dark])
  })

  it('follow the votes of their wishes', async () => {
    await collect('everything', [{ ...unrelated[1]!, votes: 100 }])
    const ids = new Map(
      (await service.client.get('/api/v1/wishes')).body.data.results.map(
        (one: { title: string; wishId: string }) => [one.title, one.wishId] as const,
      ),
    )
    await service.clientFor(service.adminKey).post('/api/admin/corrections/wishes', {
      kind: 'merge',
      wishId: ids.get('Export the table as CSV'),
      otherWishId: ids.get('Undo a closed tab'),
    })
    await service.runMaintenance()
    expect((await read()).results[0]!.wishes.map(({ votes }) => votes)).toEqual([103, 0])
  })

  it('stay when another request of the pair is placed again, and go when the one that found them finds them no more', async () => {
    await sql`
      insert into wish_suggestions (one_id, other_id, found_by, similarity, priority)
      select least(one.id, other.id), greatest(one.id, other.id), one.id, 0.1, 0.1 from requests as one, requests as other
      where one.source_id = '5' and other.source_id = '6'`.execute(service.database)
    const isAsked = async () => (await asked()).some((pair) => pair.includes('passkey') && pair.includes('tab'))
    const edited = (request: FoundRequest) => [{ ...request, description: `${request.description} Please.` }]
    expect(await isAsked()).toBe(true)
    await collect('everything', edited(unrelated[1]!))
    expect(await isAsked()).toBe(true)
    await collect('everything', edited(unrelated[0]!))
    expect(await isAsked()).toBe(false)
  })

  it('of one day come later than those of other days', async () => {
    const [first, second] = exportsToCsv as [FoundRequest, FoundRequest]
    for (const [day, expected] of [
      ['2026-01-02', [dark, tables]],
      ['2026-01-04', [tables, dark]],
    ] as const) {
      await service.reset()
      await collect('everything', [...darkModes(4), first, { ...second, originalCreatedAt: new Date(day) }])
      expect(await asked()).toEqual(expected)
    }
  })

  it.each(['same', 'not_the_same', 'skip'])(
    'that were answered %s are asked no more, until that is undone',
    async (given) => {
      const [first] = (await read()).results
      const { status, body } = await answer(first!.suggestionId, given)
      expect(status).toBe(200)
      expect(await asked()).toEqual([tables])
      expect((await answer(first!.suggestionId, given)).status).toBe(409)
      const page = (await service.client.get(`/api/v1/wishes/${body.data.wishId}`)).body.data
      expect(page.possiblySame).toEqual([])
      const wishes = (await service.client.get(`/api/v1/wishes/${body.data.wishId}`)).body.data
      expect(wishes.requestCount).toBe(given === 'same' ? 2 : 1)
      const listed = (await service.client.get('/api/v1/corrections/wishes')).body.data.results
      expect(listed).toMatchObject([{ correctionId: body.data.correctionId, undoneAt: null }])
      // Placed again, it is no news.
      await collect('everything', [{ ...darkModes(9)[0]!, description: `${eyes} Please.` }])
      expect(await asked()).toEqual([tables])
      expect((await undo(body.data.correctionId)).status).toBe(200)
      expect((await asked()).toSorted()).toEqual([dark, tables].toSorted())
    },
  )

  it('can be skipped and parted where a wish is too large to be merged', async () => {
    const { database } = service
    const { id } = await database
      .selectFrom('requests')
      .select('id')
      .where('source_id', '=', '1')
      .executeTakeFirstOrThrow()
    const others = Array.from({ length: 1_001 }, () => crypto.randomUUID())
    await changeRequests(
      database,
      sql`
      insert into requests (confidence, id, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at, standing)
      select 1, id, 'gitlab', position, 'Dark', '', 1, '{}', 'https://example.org', 'everything', now(), now(), 2
      from unnest(${others}::uuid[]) with ordinality as one (id, position)`,
    )
    await joinWish(database, id, [id, ...others])
    const [first] = (await read()).results
    expect((await answer(first!.suggestionId, 'same')).status).toBe(409)
    for (const given of ['skip', 'not_the_same']) {
      const { status, body } = await answer(first!.suggestionId, given)
      expect([given, status]).toEqual([given, 200])
      expect(await asked()).toEqual([tables])
      await undo(body.data.correctionId)
    }
  })

  it('belong to each account, but for what the operator answers', async () => {
    const { client: other } = await service.createAccount()
    const [first, second] = (await read()).results
    await answer(first!.suggestionId, 'not_the_same')
    expect([await asked(), await asked('', other)]).toEqual([[tables], [dark, tables]])
    const operate = (given: string) =>
      service
        .clientFor(service.adminKey)
        .post(`/api/admin/suggestions/wishes/${second!.suggestionId}`, { answer: given })
    const skipped = (await operate('skip')).body.data
    expect(await asked('', other)).toEqual([dark, tables])
    await service.clientFor(service.adminKey).send('DELETE', `/api/admin/corrections/wishes/${skipped.correctionId}`)
    expect((await operate('not_the_same')).status).toBe(200)
    expect([await asked(), await asked('', other)]).toEqual([[], [dark]])
  })

  it('go with a purged request, and unknown ones are not found', async () => {
    const [first] = (await read()).results
    await answer(first!.suggestionId, 'skip')
    const admin = service.clientFor(service.adminKey)
    const id = (await service.client.search('terminal')).body.data.results[0]._id
    expect((await admin.post('/api/admin/purge', { id })).status).toBe(200)
    expect((await answer(first!.suggestionId, 'same')).status).toBe(404)
    expect((await answer('no-id', 'same')).status).toBe(404)
    expect((await service.client.get('/api/v1/corrections/wishes')).body.data.results).toEqual([])
  })

  it('are reviewed one after the other by single keys', async () => {
    const { stdout, stderr, exitCode } = await runCommand(['wishes', 'review'], service, 'snxu\nkq')
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Dark mode for the editor')
    expect(stdout).toMatch(/against: only one says: (?:editor, terminal|terminal, editor)/)
    const said = stdout.match(/They are one wish now|They stay apart|Undone|Not asked again|No pair is left/g)
    expect(said).toEqual([
      'They are one wish now',
      'They stay apart',
      'No pair is left',
      'No pair is left',
      'Undone',
      'Not asked again',
      'No pair is left',
    ])
    expect(await asked()).toEqual([])
  })
})
