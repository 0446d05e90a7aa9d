import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import { unknownId } from '../../../test/contract/testing.ts'
import { foundRequest, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService, testAdminKey } from '../../../test/service.ts'
import { openBrowser } from '../../accounts/sessions/testing.ts'
import { deleteExpiredRequests } from '../../requests/store/delete.ts'
import { readWishIds } from '../../requests/wish-numbers/numbers.ts'

// Holds (Search, lists and export): a merge or split happens once, can be undone in any order, and survives expiry; a purge deletes it

const letters = ['a', 'b', 'c', 'd', 'e']
const found = letters.map((letter, index) =>
  foundRequest(letter, { title: `Wish ${letter}`, votes: 10 - index, confidence: 1 }),
)
const v1 = '/api/v1'
const all = '/api/admin'
let service: TestService
let accountId: string

beforeAll(async () => {
  const platforms = platformMap(scriptedPlatform('github', () => ({ requests: found, nextCursor: null })))
  service = await startTestService({ platforms })
})
beforeEach(async () => {
  await collect()
  accountId = (await admin().get('/api/admin/accounts')).body.data.results[0].accountId
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const admin = () => service.clientFor(testAdminKey)

async function collect() {
  const { body } = await service.client.scrape({ topic: 'maps', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
}
const idOf = async (letter: string): Promise<string> => {
  const query = service.database.selectFrom('requests').select('id').where('source_id', '=', letter)
  return (await query.executeTakeFirstOrThrow()).id
}
const wishOf = async (letter: string, account: string | null = accountId): Promise<string> => {
  const id = await idOf(letter)
  return (await readWishIds(service.database, [id], { account, least: 2 })).get(id)!
}
/** The wishes that a view shows, as the letters of their requests. */
async function wishesIn(account: string | null = accountId): Promise<string[]> {
  const rows = await service.database.selectFrom('requests').select(['id', 'source_id']).execute()
  const wishIds = await readWishIds(
    service.database,
    rows.map(({ id }) => id),
    { account, least: 2 },
  )
  const groups = Map.groupBy(
    rows.filter(({ id }) => wishIds.has(id)),
    ({ id }) => wishIds.get(id),
  )
  return [...groups.values()]
    .map((members) =>
      members
        .map(({ source_id }) => source_id)
        .sort()
        .join(''),
    )
    .sort()
}
const mergeIds = (client: TestClient, wishId: string, otherWishId: string, prefix = v1) =>
  client.post(`${prefix}/corrections/wishes`, { kind: 'merge', wishId, otherWishId })
const merge = async (client: TestClient, into: string, from: string, prefix = v1, account: string | null = accountId) =>
  mergeIds(client, await wishOf(into, account), await wishOf(from, account), prefix)
const split = async (client: TestClient, taken: string, prefix = v1, account: string | null = accountId) =>
  client.post(`${prefix}/corrections/wishes`, {
    kind: 'split',
    wishId: await wishOf(taken[0]!, account),
    requestIds: await Promise.all([...taken].map(idOf)),
  })
const undo = (client: TestClient, correctionId: string, prefix = v1) =>
  client.send('DELETE', `${prefix}/corrections/wishes/${correctionId}`)
const listed = async (client: TestClient, prefix = v1) =>
  (await client.get(`${prefix}/corrections/wishes`)).body.data.results
const counted = async () => {
  const query = service.database.selectFrom('accounts').select('corrections').where('id', '=', accountId)
  return (await query.executeTakeFirstOrThrow()).corrections
}
const expire = async (...chosen: string[]) => {
  await sql`update requests set updated_at = '2020-01-01', seen_at = null where source_id = any(${chosen}::text[])`.execute(
    service.database,
  )
  await deleteExpiredRequests(service.database, new Map([['github', 30]]), new Date())
}

describe('a merge of an account', () => {
  it('puts the requests of a wish into another one, whose id stays, for this account alone', async () => {
    const [a, b] = [await wishOf('a'), await wishOf('b')]
    const { status, body } = await merge(service.client, 'a', 'b')
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ kind: 'merge', wishId: a, otherWishId: b, request: { title: 'Wish b' } })
    expect(await listed(service.client)).toEqual([body.data])
    expect(await wishOf('b')).toBe(a)
    expect(await wishesIn()).toEqual(['ab', 'c', 'd', 'e'])
    expect(await wishesIn(null)).toEqual(letters)
    const { accountId: other } = await service.createAccount()
    expect(await wishesIn(other)).toEqual(letters)
    // The wish that is gone does not exist for the account.
    expect((await mergeIds(service.client, b, a)).status).toBe(404)
    expect(await counted()).toBe(1)
  })

  it('holds for requests that come into the merged wish later', async () => {
    await merge(service.client, 'a', 'b')
    await merge(admin(), 'b', 'c', all, null)
    expect(await wishesIn()).toEqual(['abc', 'd', 'e'])
    expect(await wishesIn(null)).toEqual(['a', 'bc', 'd', 'e'])
  })

  it('is undone, also twice, with what was merged later unchanged', async () => {
    const [a, c] = [await wishOf('a'), await wishOf('c')]
    const first = (await merge(service.client, 'b', 'a')).body.data.correctionId
    await merge(service.client, 'c', 'b')
    await merge(service.client, 'c', 'd')
    expect(await wishesIn()).toEqual(['abcd', 'e'])
    for (let time = 0; time < 2; time++) {
      expect((await undo(service.client, first)).body).toEqual({ data: { correctionId: first } })
    }
    expect(await wishesIn()).toEqual(['a', 'bcd', 'e'])
    expect([await wishOf('a'), await wishOf('b')]).toEqual([a, c])
    expect(await counted()).toBe(2)
    expect((await undo(service.client, unknownId)).status).toBe(404)
    expect((await undo(service.client, 'not-an-id')).status).toBe(404)
  })

  it('cannot be undone by another account or by the operator', async () => {
    const { correctionId } = (await merge(service.client, 'a', 'b')).body.data
    const other = await service.createAccount()
    expect((await undo(other.client, correctionId)).status).toBe(404)
    expect((await undo(admin(), correctionId, all)).status).toBe(404)
    expect(await wishesIn()).toEqual(['ab', 'c', 'd', 'e'])
  })

  it('refuses a wish with itself, and wishes that the account does not see', async () => {
    const a = await wishOf('a')
    for (const kind of ['merge', 'part']) {
      const itself = await service.client.post(`${v1}/corrections/wishes`, {
        kind,
        wishId: a,
        otherWishId: a.toUpperCase(),
      })
      expect([itself.status, itself.body.error.details[0].path]).toEqual([400, 'otherWishId'])
    }
    for (const wishId of [unknownId, 'not-an-id']) {
      expect((await mergeIds(service.client, a, wishId)).status).toBe(404)
    }
    const id = await idOf('b')
    await sql`insert into request_sources values ('github', 'acme/app', ${id})`.execute(service.database)
    await sql`update requests set standing = -1 where id = ${id}`.execute(service.database)
    expect((await mergeIds(service.client, a, id)).status).toBe(404)
    expect(await counted()).toBe(0)
  })

  it('made many times at once is made once', async () => {
    const [a, b] = [await wishOf('a'), await wishOf('b')]
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2 ? mergeIds(service.client, a, b) : mergeIds(service.client, b, a),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)])
    expect([await counted(), await wishesIn()]).toEqual([1, ['ab', 'c', 'd', 'e']])
  })

  it('is refused beyond 10,000 corrections, until one is undone', async () => {
    await service.database.updateTable('accounts').set({ corrections: 9_999 }).where('id', '=', accountId).execute()
    const { correctionId } = (await merge(service.client, 'a', 'b')).body.data
    for (const refused of [await merge(service.client, 'a', 'c'), await split(service.client, 'b')]) {
      expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('10,000 corrections')])
    }
    await undo(service.client, correctionId)
    expect((await merge(service.client, 'a', 'c')).status).toBe(200)
    expect(await counted()).toBe(10_000)
  })
})

describe('a split', () => {
  it('makes a new wish of the requests that were taken out, and is undone', async () => {
    const a = await wishOf('a')
    for (const other of 'bcd') await merge(service.client, 'a', other)
    const { body } = await split(service.client, 'ad')
    expect(body.data.wishId).toBe(a)
    expect(await wishesIn()).toEqual(['ad', 'bc', 'e'])
    expect([await wishOf('a'), await wishOf('b')]).toEqual([body.data.otherWishId, a])
    await undo(service.client, body.data.correctionId)
    expect(await wishesIn()).toEqual(['abcd', 'e'])
  })

  it('leaves at least one request, and names only requests of the wish', async () => {
    await merge(service.client, 'a', 'b')
    expect((await split(service.client, 'ab')).status).toBe(409)
    expect((await split(service.client, 'c')).status).toBe(409)
    expect((await split(service.client, 'ac')).status).toBe(404)
    expect(await wishesIn()).toEqual(['ab', 'c', 'd', 'e'])
  })

  it('of the operator parts pairs for ever, until it is undone', async () => {
    await merge(admin(), 'a', 'b', all, null)
    await merge(admin(), 'a', 'c', all, null)
    const { correctionId } = (await split(admin(), 'b', all, null)).body.data
    const partings = () => service.database.selectFrom('wish_partings').selectAll().execute()
    expect(await partings()).toHaveLength(2)
    expect((await partings()).every((pair) => pair.account_id === null && pair.one_hash < pair.other_hash)).toBe(true)
    await expire('a', 'b', 'c')
    expect(await partings()).toHaveLength(2)
    await collect()
    expect(await wishesIn(null)).toEqual(['ac', 'b', 'd', 'e'])
    await undo(admin(), correctionId, all)
    expect([await wishesIn(null), await partings()]).toEqual([['abc', 'd', 'e'], []])
  })
})

describe('a correction of the operator', () => {
  it('holds for all accounts; what an account says takes precedence for it', async () => {
    const { correctionId } = (await merge(admin(), 'a', 'b', all, null)).body.data
    expect([await wishesIn(null), await wishesIn()]).toEqual([
      ['ab', 'c', 'd', 'e'],
      ['ab', 'c', 'd', 'e'],
    ])
    await split(service.client, 'b')
    expect([await wishesIn(null), await wishesIn()]).toEqual([['ab', 'c', 'd', 'e'], letters])
    await undo(admin(), correctionId, all)
    expect([await wishesIn(null), await wishesIn()]).toEqual([letters, letters])
  })

  it('joins what an account had merged with its wishes', async () => {
    await merge(service.client, 'b', 'a')
    await merge(service.client, 'd', 'c')
    const { correctionId } = (await merge(admin(), 'c', 'a', all, null)).body.data
    expect([await wishesIn(null), await wishesIn()]).toEqual([
      ['ac', 'b', 'd', 'e'],
      ['abcd', 'e'],
    ])
    await undo(admin(), correctionId, all)
    expect([await wishesIn(null), await wishesIn()]).toEqual([letters, ['ab', 'cd', 'e']])
  })

  it('gives each wish one core', async () => {
    await merge(admin(), 'a', 'b', all, null)
    await merge(admin(), 'c', 'd', all, null)
    await merge(admin(), 'a', 'c', all, null)
    await split(admin(), 'a', all, null)
    const { rows } = await sql<{ cores: number }>`
      select count(*) filter (where is_core)::integer as cores from wish_members group by wish_id`.execute(
      service.database,
    )
    expect(rows).toEqual([{ cores: 1 }, { cores: 1 }])
  })
})

describe.each([
  ['an account', v1],
  ['the operator', all],
])('what %s said', (_who, prefix) => {
  const [client, account] = [
    () => (prefix === all ? admin() : service.client),
    () => (prefix === all ? null : accountId),
  ]

  it('survives the expiry of its requests, also of all of them', async () => {
    await merge(client(), 'a', 'b', prefix, account())
    await merge(client(), 'c', 'd', prefix, account())
    await merge(client(), 'a', 'c', prefix, account())
    await split(client(), 'd', prefix, account())
    const wishId = await wishOf('a', account())
    expect(await wishesIn(account())).toEqual(['abc', 'd', 'e'])
    await expire('a', 'c')
    await collect()
    expect(await wishesIn(account())).toEqual(['abc', 'd', 'e'])
    await expire(...letters)
    await collect()
    expect(await wishesIn(account())).toEqual(['abc', 'd', 'e'])
    expect(await wishOf('a', account())).toBe(wishId)
  })

  it('is undone when its requests were collected again', async () => {
    const { correctionId } = (await merge(client(), 'a', 'b', prefix, account())).body.data
    await merge(client(), 'a', 'c', prefix, account())
    await expire('b', 'c')
    await undo(client(), correctionId, prefix)
    await collect()
    expect(await wishesIn(account())).toEqual(['ac', 'b', 'd', 'e'])
  })

  it('is deleted by a purge of its requests', async () => {
    await merge(client(), 'a', 'b', prefix, account())
    await split(client(), 'b', prefix, account())
    expect(await listed(client(), prefix)).toHaveLength(2)
    await expire('b')
    const purge = (id: string) => admin().post('/api/admin/purge', { platform: 'github', id })
    expect((await purge('b')).status).toBe(200)
    expect(await listed(client(), prefix)).toMatchObject([{ kind: 'merge' }])
    expect((await purge('a')).status).toBe(200)
    expect(await listed(client(), prefix)).toEqual([])
    for (const table of ['wish_moves', 'wish_partings', 'wish_placings', 'account_wish_merges'] as const) {
      expect(await service.database.selectFrom(table).selectAll().execute(), table).toEqual([])
    }
    expect(await counted()).toBe(0)
  })

  it('is listed with the request, who made it and who undid it, in pages', async () => {
    const { correctionId } = (await merge(client(), 'a', 'b', prefix, account())).body.data
    await merge(client(), 'c', 'd', prefix, account())
    await undo(client(), correctionId, prefix)
    const [d, first] = await listed(client(), prefix)
    expect(d).toMatchObject({ kind: 'merge', undoneAt: null, undoneBy: null, request: { title: 'Wish d' } })
    expect(first).toMatchObject({ correctionId, undoneAt: expect.any(String), request: null })
    expect(first.undoneBy).toBe(first.madeBy)
    expect(first.madeBy).toMatch(prefix === all ? /^admin$/ : /^key /)
    const page = await client().get(`${prefix}/corrections/wishes?limit=1`)
    expect(page.body.data).toMatchObject({ results: [{ correctionId: d.correctionId }], hasMore: true })
    const next = await client().get(`${prefix}/corrections/wishes?limit=1&cursor=${page.body.data.cursor}`)
    expect(next.body.data).toMatchObject({ results: [{ correctionId }], hasMore: false, cursor: null })
    expect((await client().get(`${prefix}/corrections/wishes?cursor=abc`)).status).toBe(400)
  })
})

describe('corrections of wishes', () => {
  it('are listed for a wish while they hold', async () => {
    const [a, b] = [await wishOf('a'), await wishOf('b')]
    const { correctionId } = (await merge(service.client, 'a', 'b')).body.data
    await merge(service.client, 'c', 'd')
    const of = async (wishId: string) =>
      (await service.client.get(`${v1}/corrections/wishes?wishId=${wishId}`)).body.data.results
    for (const wishId of [a, b.toUpperCase()]) expect(await of(wishId)).toMatchObject([{ correctionId }])
    expect([await of(await wishOf('e')), await of('not-an-id')]).toEqual([[], []])
    await undo(service.client, correctionId)
    expect(await of(a)).toEqual([])
  })

  it('say that two are not the same, so that placing never joins them; in a body of one kind', async () => {
    const [wishId, otherWishId] = [await wishOf('a'), await wishOf('b')]
    const post = (body: object) => service.client.post(`${v1}/corrections/wishes`, { wishId, ...body })
    const { body } = await post({ kind: 'part', otherWishId })
    expect(body.data).toMatchObject({ kind: 'part', wishId, otherWishId })
    const { rows } = await sql`select from wish_partings where account_id = ${accountId}`.execute(service.database)
    expect(rows).toHaveLength(1)
    for (const [wrong, field] of [
      [{ kind: 'part' }, 'otherWishId'],
      [{ kind: 'split', otherWishId }, 'otherWishId'],
      [{ kind: 'split' }, 'requestIds'],
      [{ kind: 'merge', otherWishId, requestIds: [otherWishId] }, 'requestIds'],
      [{ kind: 'skip', otherWishId }, 'kind'],
    ] as const) {
      const refused = await post(wrong)
      expect([refused.status, refused.body.error.details[0].path], JSON.stringify(wrong)).toEqual([400, field])
    }
  })

  it('name the session that made them', async () => {
    const browser = openBrowser(() => service.url)
    await browser.signIn({ apiKey: service.apiKey })
    const merged = { kind: 'merge', wishId: await wishOf('a'), otherWishId: await wishOf('b') }
    const { status, body } = await browser.call('POST', `${v1}/corrections/wishes`, { body: merged })
    expect(status).toBe(200)
    const session = await service.database.selectFrom('sessions').select('id').executeTakeFirstOrThrow()
    expect((await listed(service.client))[0].madeBy).toBe(`session ${session.id}`)
    await undo(service.client, body.data.correctionId)
    expect((await listed(service.client))[0].undoneBy).toMatch(/^key /)
  })

  it('are deleted with the account', async () => {
    const other = await service.createAccount()
    await merge(other.client, 'a', 'b', v1, other.accountId)
    await split(other.client, 'b', v1, other.accountId)
    await merge(service.client, 'a', 'b')
    await other.client.send('PUT', `${v1}/wishes/${await wishOf('c')}/mark`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ starred: true }),
    })
    expect((await admin().send('DELETE', `/api/admin/accounts/${other.accountId}`)).status).toBe(200)
    const tables = [
      'wish_corrections',
      'wish_placings',
      'wish_partings',
      'account_wish_members',
      'account_wish_merges',
      'account_wishes',
      'wish_marks',
    ] as const
    for (const table of tables) {
      const rows = service.database.selectFrom(table).selectAll().where('account_id', '=', other.accountId)
      expect(await rows.execute(), table).toEqual([])
    }
    expect(await wishesIn()).toEqual(['ab', 'c', 'd', 'e'])
  })

  it('made with one Idempotency-Key have one effect', async () => {
    const [a, b] = [await wishOf('a'), await wishOf('b')]
    const options = {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'merge-1' },
      body: JSON.stringify({ kind: 'merge', wishId: a, otherWishId: b }),
    }
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => service.client.send('POST', `${v1}/corrections/wishes`, options)),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await listed(service.client)).toHaveLength(1)
  })
})
