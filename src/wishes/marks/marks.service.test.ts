import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import { unknownId } from '../../../test/contract/testing.ts'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService, testAdminKey } from '../../../test/service.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import { type MarkFilters, markConditions, markedWishes, maxMarkedWishes, readMarks } from './marks.ts'

// Holds (Search, lists and export): marks of wishes are private to an account, and simultaneous calls lose none

let service: TestService
let accountId: string
/** Of requests, each a wish by itself. */
let ids: string[]

beforeAll(async () => {
  service = await startTestService({ platforms: platformMap(scriptedPlatform('github', numberedPages(1, 4))) })
})
beforeEach(async () => {
  const { body } = await service.client.scrape({ topic: 'maps', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
  const accounts = await service.clientFor(testAdminKey).get('/api/admin/accounts')
  accountId = accounts.body.data.results[0].accountId
  ids = (await service.database.selectFrom('requests').select('id').orderBy('source_id').execute()).map(({ id }) => id)
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const mark = (client: TestClient, wishId: string, changes: object) =>
  client.send('PUT', `/api/v1/wishes/${wishId}/mark`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  })

it('changes what is given, and is deleted when nothing is left', async () => {
  const [wishId] = ids as [string]
  expect((await mark(service.client, wishId, { mark: 'planned', note: '  soon ' })).body).toEqual({
    data: {
      wishId,
      mark: {
        mark: 'planned',
        starred: false,
        note: 'soon',
        owner: '',
        personName: null,
        updatedAt: expect.any(String),
      },
    },
  })
  const starred = await mark(service.client, wishId.toUpperCase(), { starred: true })
  expect(starred.body.data).toMatchObject({ wishId, mark: { mark: 'planned', starred: true, note: 'soon' } })
  const owned = await mark(service.client, wishId, { owner: ' Ana ' })
  expect(owned.body.data.mark).toMatchObject({ mark: 'planned', note: 'soon', owner: 'Ana' })
  const stored = await service.database.selectFrom('wish_marks').select('made_by').executeTakeFirstOrThrow()
  expect(stored.made_by).toMatch(/^key /)
  const nothing = await mark(service.client, wishId, { mark: null, starred: false, note: '', owner: '' })
  expect(nothing.body).toEqual({ data: { wishId, mark: null } })
  expect(await service.database.selectFrom('wish_marks').selectAll().execute()).toEqual([])
})

it('keeps every change of calls at the same time', async () => {
  const [wishId] = ids as [string]
  const answers = await Promise.all([
    mark(service.client, wishId, { mark: 'done' }),
    mark(service.client, wishId, { starred: true }),
    mark(service.client, wishId, { note: 'x' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const read = await readMarks(service.database, accountId, [wishId])
  expect(read.get(wishId)).toMatchObject({ mark: 'done', starred: true, note: 'x' })
})

it('is for the account alone', async () => {
  const [wishId] = ids as [string]
  await mark(service.client, wishId, { mark: 'ignored' })
  const other = await service.createAccount()
  expect(await readMarks(service.database, other.accountId, [wishId])).toEqual(new Map())
})

it('refuses wishes that the account does not see, but not the removal of a mark on one', async () => {
  const [wishId] = ids as [string]
  for (const unknown of [unknownId, 'not-an-id']) {
    expect((await mark(service.client, unknown, { starred: true })).status).toBe(404)
  }
  await mark(service.client, wishId, { starred: true })
  await changeRequests(service.database, sql`update requests set standing = 0 where id = ${wishId}`)
  const other = await service.createAccount()
  expect((await mark(other.client, wishId, { starred: true })).status).toBe(404)
  expect((await mark(service.client, wishId, { starred: false })).body.data.mark).toBe(null)
  expect((await mark(service.client, wishId, { starred: true })).status).toBe(404)
})

it.each([
  ['nothing', {}],
  ['an unknown mark', { mark: 'maybe' }],
  ['no star and no absence of one', { starred: null }],
  ['a long note', { note: 'x'.repeat(2_001) }],
  ['an unknown field', { colour: 'red' }],
])('refuses %s', async (_what, body) => {
  expect((await mark(service.client, ids[0]!, body)).status).toBe(400)
})

it('answers every note with a 200 or a 400', async () => {
  for (const note of ['a\0b', '\ud800', '<b>"\'']) {
    expect([200, 400]).toContain((await mark(service.client, ids[0]!, { note })).status)
  }
})

it('is refused beyond 10,000 marked wishes', async () => {
  await sql`
    insert into wish_marks (account_id, wish_id, starred, made_by, updated_at)
    select ${accountId}::uuid, gen_random_uuid(), true, 'key', now() from generate_series(1, ${maxMarkedWishes - 1}::integer)`.execute(
    service.database,
  )
  const answers = await Promise.all(ids.slice(0, 3).map((id) => mark(service.client, id, { starred: true })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

it('goes with a merged wish, unless the wish that stays has marks of its own', async () => {
  const [first, second, third] = ids as [string, string, string]
  await mark(service.client, second, { mark: 'planned' })
  await mark(service.client, third, { mark: 'ignored' })
  for (const otherWishId of [second, third]) {
    await service.client.post('/api/v1/corrections/wishes', { kind: 'merge', wishId: first, otherWishId })
  }
  const read = await readMarks(service.database, accountId, ids)
  expect(read.get(first)?.mark).toBe('planned')
})

it('filters lists of wishes', async () => {
  const [first, second, third, fourth] = ids as [string, string, string, string]
  await mark(service.client, first, { mark: 'planned' })
  await mark(service.client, second, { mark: 'planned', starred: true })
  await mark(service.client, third, { starred: true })
  const filtered = async (filters: MarkFilters) => {
    const conditions = markConditions(accountId, filters, sql.ref('requests.id'))
    const { rows } = await sql<{ id: string }>`
      select id from requests where ${sql.join([sql`true`, ...conditions], sql` and `)}`.execute(service.database)
    const found = rows.map(({ id }) => id).sort()
    const marked = markedWishes(accountId, filters)
    if (marked !== null) expect((await marked.execute(service.database)).rows.map(({ id }) => id).sort()).toEqual(found)
    return found
  }
  const cases: [MarkFilters, string[]][] = [
    [{}, ids],
    [{ mark: 'planned' }, [first, second]],
    [{ mark: 'planned', starred: false }, [first]],
    [{ starred: true }, [second, third]],
    [{ mark: 'none', starred: true }, [third]],
    [{ mark: 'none' }, [third, fourth]],
    [{ starred: false }, [first, fourth]],
    [{ mark: 'done' }, []],
  ]
  for (const [filters, right] of cases)
    expect(await filtered(filters), JSON.stringify(filters)).toEqual(right.toSorted())
})
