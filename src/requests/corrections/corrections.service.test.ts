import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import { unknownId } from '../../../test/contract/testing.ts'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService, testAdminKey } from '../../../test/service.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import { openBrowser } from '../../accounts/sessions/testing.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Platform } from '../../platforms/platform.ts'
import { findWrongCounts } from '../../wishes/topics/verify.ts'
import { deleteExpiredRequests } from '../store/delete.ts'

// Holds (Search, lists and export): a repeated correction counts once, and an account has at most 10,000
// Holds (Search, lists and export): a correction survives expiry and re-collection of its request; a purge deletes it
// Holds (Search, lists and export): the operator's corrections change topic counts; an account's change no other view

const found = ['Dark mode', 'Offline maps', 'Crash at start'].map((title, index) =>
  foundRequest(`${index}`, { title, description: `About ${title}`, votes: 10 - index, confidence: 1 }),
)
const platforms = new Map<PlatformName, Platform>([
  ['github', scriptedPlatform('github', () => ({ requests: found, nextCursor: null }))],
])
let service: TestService
let accountId: string

beforeAll(async () => {
  service = await startTestService({ platforms })
})
beforeEach(async () => {
  await collect()
  accountId = (await admin().get('/api/admin/accounts')).body.data.results[0].accountId
})
afterEach(async () => {
  expect(await findWrongCounts(service.database)).toEqual([])
  await service.reset()
})
afterAll(() => service.stop())

const admin = () => service.clientFor(testAdminKey)
const v1 = '/api/v1'
const all = '/api/admin'

async function collect() {
  const { body } = await service.client.scrape({ topic: 'maps', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
}
const put = (client: TestClient, id: string, isRequest: unknown, prefix = v1) =>
  client.post(`${prefix}/corrections/requests`, { requestId: id, isRequest })
const undo = async (client: TestClient, id: string, prefix = v1) => {
  const { results } = (await client.get(`${prefix}/corrections/requests?requestId=${id}`)).body.data
  return client.send('DELETE', `${prefix}/corrections/requests/${results[0]?.correctionId}`)
}
const idOf = async (title: string): Promise<string> => {
  const { id } = await service.database
    .selectFrom('requests')
    .select('id')
    .where('title', '=', title)
    .executeTakeFirstOrThrow()
  return id
}
const standingOf = async (title: string) => {
  const { rows } = await sql<{ shared: number; own: number | null }>`
    select requests.standing as shared, own.standing as own from requests
    left join account_requests as own on own.request_id = requests.id and own.account_id = ${accountId}
    where title = ${title}`.execute(service.database)
  return rows[0]
}
const counted = async () => {
  const { corrections } = await service.database
    .selectFrom('accounts')
    .select('corrections')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return corrections
}
const listed = async (client: TestClient, prefix = v1) =>
  (await client.get(`${prefix}/corrections/requests`)).body.data.results as {
    correctionId: string
    isRequest: boolean
    madeBy: string
    request: { title: string } | null
  }[]
const expire = () =>
  sql`update requests set updated_at = '2020-01-01', seen_at = null`
    .execute(service.database)
    .then(() => deleteExpiredRequests(service.database, new Map([['github', 30]]), new Date()))

describe('a correction of an account', () => {
  it('changes how this account sees the request, and no other one', async () => {
    const id = await idOf('Crash at start')
    const { data } = (await put(service.client, id, false)).body
    expect(data).toMatchObject({ isRequest: false, request: { _id: id, title: 'Crash at start' } })
    expect(await listed(service.client)).toEqual([data])
    expect(await standingOf('Crash at start')).toEqual({ shared: 2, own: 0 })
    expect((await put(service.client, id, true)).status).toBe(200)
    // As all others see it: no difference is left.
    expect(await standingOf('Crash at start')).toEqual({ shared: 2, own: null })
    expect(await counted()).toBe(1)
    const other = await service.createAccount()
    expect(await listed(other.client)).toEqual([])
  })

  it('is undone, also twice, and is not counted any more', async () => {
    const id = await idOf('Dark mode')
    await put(service.client, id, false)
    const correctionId = (await listed(service.client))[0]!.correctionId
    expect((await undo(service.client, id)).body).toEqual({ data: { correctionId } })
    expect((await undo(service.client, id)).status).toBe(404)
    expect(await standingOf('Dark mode')).toEqual({ shared: 2, own: null })
    expect(await counted()).toBe(0)
    expect(await listed(service.client)).toEqual([])
  })

  it('made many times at once counts once', async () => {
    const id = await idOf('Dark mode')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => put(service.client, id, index % 3 !== 0)),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await counted()).toBe(1)
    expect(await listed(service.client)).toHaveLength(1)
  })

  it('is refused beyond 10,000 with a clear text, until one is undone', async () => {
    await service.database.updateTable('accounts').set({ corrections: 9_999 }).where('id', '=', accountId).execute()
    const ids = await Promise.all(['Dark mode', 'Offline maps', 'Crash at start'].map(idOf))
    const answers = await Promise.all(ids.map((id) => put(service.client, id, false)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body.error).toEqual({
      code: 'CONFLICT',
      message: 'The account has 10,000 corrections, which is the maximum. Undo some of them first.',
    })
    expect(await counted()).toBe(10_000)
    const made = ids[answers.findIndex(({ status }) => status === 200)]!
    // A correction that exists may be changed.
    expect((await put(service.client, made, true)).status).toBe(200)
    await undo(service.client, made)
    expect((await put(service.client, ids.find((id) => id !== made)!, false)).status).toBe(200)
    expect(await counted()).toBe(10_000)
  })

  it('survives the expiry of its request, and holds again when that is collected again', async () => {
    await put(service.client, await idOf('Dark mode'), false)
    await expire()
    expect(await listed(service.client)).toMatchObject([{ isRequest: false, request: null }])
    expect(await counted()).toBe(1)
    await collect()
    expect(await listed(service.client)).toMatchObject([{ isRequest: false, request: { title: 'Dark mode' } }])
    expect(await standingOf('Dark mode')).toEqual({ shared: 2, own: 0 })
  })

  it('of a request that is gone is undone by its own id', async () => {
    await put(service.client, await idOf('Dark mode'), false)
    await expire()
    const correctionId = (await listed(service.client))[0]?.correctionId
    const path = `${v1}/corrections/requests/${correctionId}`
    const other = await service.createAccount()
    expect((await other.client.send('DELETE', path)).status).toBe(404)
    expect((await service.client.send('DELETE', path)).body).toEqual({ data: { correctionId } })
    expect((await service.client.send('DELETE', path)).status).toBe(404)
    expect(await counted()).toBe(0)
  })

  it.each<[string, (title: string, id: string) => Record<string, unknown>, boolean]>([
    ['its _id', (_title, id) => ({ id }), true],
    ['its address', () => ({ url: 'https://example.org/0' }), true],
    ['its platform, without a suppression,', () => ({ platform: 'github' }), true],
    ['its id, after it has expired,', () => ({ platform: 'github', id: '0' }), false],
  ])('is deleted by a purge of its request by %s', async (_what, selection, isStored) => {
    const id = await idOf('Dark mode')
    await put(service.client, id, false)
    await put(admin(), id, false, all)
    if (!isStored) await expire()
    expect((await admin().post('/api/admin/purge', selection('Dark mode', id))).status).toBe(200)
    expect(await listed(service.client)).toEqual([])
    expect(await listed(admin(), all)).toEqual([])
    expect(await counted()).toBe(0)
  })

  it('is deleted with the account', async () => {
    const other = await service.createAccount()
    await put(other.client, await idOf('Dark mode'), false)
    await put(service.client, await idOf('Dark mode'), false)
    expect((await admin().send('DELETE', `/api/admin/accounts/${other.accountId}`)).status).toBe(200)
    const { rows } = await sql<{ rows: number }>`
      select (select count(*) from request_corrections where account_id = ${other.accountId})
        + (select count(*) from account_requests where account_id = ${other.accountId}) as rows`.execute(
      service.database,
    )
    expect(Number(rows[0]?.rows)).toBe(0)
    expect(await listed(service.client)).toHaveLength(1)
  })

  it('of a request that the account cannot see is the 404 of an unknown one', async () => {
    const id = await idOf('Dark mode')
    const insert = (statement: string) => changeRequests(service.database, sql.raw(statement))
    await insert(`insert into request_sources values ('github', 'acme/app', '${id}')`)
    await insert(`update requests set standing = -1 where id = '${id}'`)
    const { body: unknown } = await put(service.client, unknownId, true)
    expect(unknown.error.code).toBe('NOT_FOUND')
    const answer = await put(service.client, id, true)
    expect([answer.status, answer.body]).toEqual([404, unknown])
    expect((await put(service.client, 'not-an-id', true)).body).toEqual(unknown)
    await insert(`insert into account_sources values ('${accountId}', 'github', 'acme/app', now())`)
    await insert(`insert into account_requests values ('${accountId}', '${id}', 2)`)
    expect((await put(service.client, id, false)).status).toBe(200)
    expect(await standingOf('Dark mode')).toEqual({ shared: -1, own: 0 })
    // The operator sees every request; nothing makes an unlisted one visible to all.
    expect((await put(admin(), id, true, all)).status).toBe(200)
    expect(await standingOf('Dark mode')).toEqual({ shared: -1, own: 0 })
  })

  it('says which key or session made it', async () => {
    const keyId = (await service.client.get('/api/v1/keys')).body.data.results[0].keyId
    await put(service.client, await idOf('Dark mode'), false)
    const browser = openBrowser(() => service.url)
    await browser.signIn({ apiKey: service.apiKey })
    const body = { requestId: await idOf('Offline maps'), isRequest: false }
    expect((await browser.call('POST', `${v1}/corrections/requests`, { body })).status).toBe(200)
    await put(admin(), await idOf('Crash at start'), false, all)
    const session = await service.database.selectFrom('sessions').select('id').executeTakeFirstOrThrow()
    expect((await listed(service.client)).map(({ madeBy }) => madeBy)).toEqual([
      `session ${session.id}`,
      `key ${keyId}`,
    ])
    expect((await listed(admin(), all)).map(({ madeBy }) => madeBy)).toEqual(['admin'])
  })
})

describe('a correction of the operator', () => {
  it('holds for all accounts, and for the counts of topics', async () => {
    const topic = async () => {
      const { requests, votes } = (await service.client.get('/api/v1/topics/maps')).body.data
      return { requests, votes }
    }
    expect(await topic()).toEqual({ requests: 3, votes: 27 })
    const id = await idOf('Crash at start')
    expect((await put(admin(), id, false, all)).status).toBe(200)
    expect(await standingOf('Crash at start')).toEqual({ shared: 0, own: null })
    expect(await topic()).toEqual({ requests: 2, votes: 19 })
    expect((await undo(admin(), id, all)).status).toBe(200)
    expect(await topic()).toEqual({ requests: 3, votes: 27 })
  })

  it('leaves the opposite correction of an account to that account', async () => {
    const id = await idOf('Crash at start')
    await put(service.client, id, true)
    await put(admin(), id, false, all)
    expect(await standingOf('Crash at start')).toEqual({ shared: 0, own: 2 })
    await undo(service.client, id)
    expect(await standingOf('Crash at start')).toEqual({ shared: 0, own: null })
  })
})

describe('the list of corrections', () => {
  it('has each once, in pages, the last made first, with the request', async () => {
    const titles = ['Dark mode', 'Offline maps', 'Crash at start']
    for (const title of titles) await put(service.client, await idOf(title), false)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await service.client.get(`${v1}/corrections/requests?limit=1${cursor && `&cursor=${cursor}`}`)
      const { results, hasMore, cursor: next } = answer.body.data
      expect(hasMore).toBe(next !== null)
      seen.push(results[0].request.title)
      cursor = next
    }
    expect(seen).toEqual(titles.toReversed())
    const wrong = await service.client.get(`${v1}/corrections/requests?cursor=abc`)
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, 'cursor'])
  })
})
