import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { idOf, storeRequests } from '../../sharing/shares/testing.ts'
import { openBrowser } from './testing.ts'

// Holds (HTTP and secrets): an invited person has at most the rights of the inviting key, and loses access with it or the link

const dayMs = 24 * 60 * 60_000
let now = new Date('2026-11-21T12:00:00.000Z')
let service: TestService
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } })
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const later = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}
const browser = () => openBrowser(() => service.url)
const linksOf = async (client: TestClient) => (await client.get('/api/v1/links')).body.data.results

async function invite(client: TestClient, personName = 'Ada') {
  const { status, text, body } = await client.post('/api/v1/links', { personName })
  expect(status, text).toBe(200)
  return { ...body.data, link: new URL(body.data.url).hash.slice(1) }
}

async function invited(client: TestClient, personName = 'Ada') {
  const made = await invite(client, personName)
  const opened = browser()
  const answer = await opened.signIn({ link: made.link })
  expect(answer.status, answer.text).toBe(200)
  return { ...made, opened, usage: async () => (await opened.call('GET', '/api/v1/usage')).status }
}

/** Another key of the account of the service. */
async function keyWith(terms: object) {
  const { body } = await service.client.post('/api/v1/keys', { name: 'of a team', ...terms })
  return { keyId: body.data.keyId as string, client: service.clientFor(body.data.apiKey) }
}

describe('a sign-in link of an account', () => {
  it('signs the person in for whom it is, once, and names them', async () => {
    const { client, accountId } = await service.createAccount('free')
    const { linkId, link, url, expiresAt } = await invite(client, '  Ada Lovelace ')
    expect([new URL(url).origin, new URL(url).pathname]).toEqual([service.url, '/sign-in'])
    expect(new Date(expiresAt).getTime() - now.getTime()).toBe(dayMs)
    expect(await linksOf(client)).toMatchObject([
      { linkId, personName: 'Ada Lovelace', state: 'open', lastUsedAt: null },
    ])
    const rows = JSON.stringify(await service.database.selectFrom('sign_in_links').selectAll().execute())
    expect(rows).not.toContain(link)
    const opened = browser()
    const { body } = await opened.signIn({ link })
    const account = { accountId, name: 'a free account', tier: 'free', scope: 'manage', personName: 'Ada Lovelace' }
    expect(body.data.account).toEqual(account)
    expect((await opened.call('GET', '/api/session')).body.data.account).toEqual(account)
    expect((await browser().signIn({ link })).status).toBe(401)
    const listed = await linksOf(client)
    expect(listed).toMatchObject([{ linkId, personName: 'Ada Lovelace', state: 'used', lastUsedAt: now.toISOString() }])
  })

  it('that is ended opens nothing, and signs out who used it, and nobody else', async () => {
    const { client } = service
    const open = await invite(client)
    const [ada, bob] = [await invited(client), await invited(client, 'Bob')]
    for (const { linkId } of [open, ada]) {
      const { status, body } = await client.send('DELETE', `/api/v1/links/${linkId}`)
      expect([status, body]).toEqual([200, { data: { linkId } }])
      expect((await client.send('DELETE', `/api/v1/links/${linkId}`)).status).toBe(404)
    }
    expect((await browser().signIn({ link: open.link })).status).toBe(401)
    expect([await ada.usage(), await bob.usage()]).toEqual([401, 200])
    expect(await linksOf(client)).toMatchObject([{ personName: 'Bob' }])
  })

  it('depends on the key that made it: its budget, its expiry, its end', async () => {
    const expiresAt = new Date(now.getTime() + 2 * dayMs).toISOString()
    const team = await keyWith({ monthlyCredits: 1, expiresAt })
    const [ada, bob] = [await invited(team.client), await invited(team.client, 'Bob')]
    expect(await linksOf(service.client)).toMatchObject([{ madeBy: team.keyId }, { madeBy: team.keyId }])
    const body = { topic: 'dark mode', depth: 2 }
    const dear = await ada.opened.call('POST', '/api/v1/scrape', { body })
    expect([dear.status, dear.body.error?.reason]).toEqual([429, 'key_budget'])
    later(2 * dayMs)
    expect(await bob.usage()).toBe(401)

    const ended = await keyWith({})
    const unused = await invite(ended.client)
    const eve = await invited(ended.client, 'Eve')
    expect(await eve.usage()).toBe(200)
    await service.client.send('DELETE', `/api/v1/keys/${ended.keyId}`)
    expect(await eve.usage()).toBe(401)
    expect((await browser().signIn({ link: unused.link })).status).toBe(401)
    expect(await linksOf(service.client)).toEqual([])
  })

  it('is made by a person who was invited, too, and lasts as long as their key', async () => {
    const team = await keyWith({})
    const ada = await invited(team.client)
    const made = await ada.opened.call('POST', '/api/v1/links', { body: { personName: 'Bob' } })
    expect(made.body.data).toMatchObject({ personName: 'Bob', madeBy: team.keyId })
    const admin = service.clientFor(service.adminKey)
    const { accountId } = (await ada.opened.call('GET', '/api/session')).body.data.account
    const first = await admin.post(`/api/admin/accounts/${accountId}/links`, { personName: 'Owner' })
    expect(first.body.data.personName).toBe('Owner')
    const owner = browser()
    await owner.signIn({ link: new URL(first.body.data.url).hash.slice(1) })
    const byOwner = await owner.call('POST', '/api/v1/links', { body: { personName: 'Eve' } })
    expect(byOwner.body.data).toMatchObject({ personName: 'Eve', madeBy: null })
    const eve = browser()
    const signedIn = await eve.signIn({ link: new URL(byOwner.body.data.url).hash.slice(1) })
    expect(signedIn.body.data.account).toMatchObject({ personName: 'Eve', scope: 'manage' })
  })

  it('names who did what, also after they are out, to their account alone', async () => {
    await storeRequests(service, [foundRequest('1'), foundRequest('2')], { now })
    const [one, two] = (await Promise.all([idOf(service, '1'), idOf(service, '2')])) as [string, string]
    const ada = await invited(service.client)
    const said = [
      await ada.opened.call('PUT', `/api/v1/wishes/${one}/mark`, { body: { mark: 'planned' } }),
      await ada.opened.call('POST', '/api/v1/corrections/requests', { body: { requestId: one, isRequest: true } }),
      await ada.opened.call('POST', '/api/v1/corrections/wishes', {
        body: { kind: 'part', wishId: one, otherWishId: two },
      }),
      await ada.opened.call('POST', '/api/v1/shares', { body: { wishId: one } }),
    ]
    expect(said.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await service.client.send('DELETE', `/api/v1/links/${ada.linkId}`)
    await service.client.send('PUT', `/api/v1/wishes/${two}/mark`, {
      headers: { 'content-type': 'application/json' },
      body: '{"mark":"done"}',
    })
    const read = async (path: string) => (await service.client.get(path)).body.data
    for (const path of ['/api/v1/corrections/requests', '/api/v1/corrections/wishes', '/api/v1/shares'])
      expect([path, (await read(path)).results]).toMatchObject([path, [{ personName: 'Ada' }]])
    expect((await read(`/api/v1/wishes/${one}`)).mark.personName).toBe('Ada')
    expect((await read(`/api/v1/wishes/${two}`)).mark.personName).toBeNull()
    const other = await service.createAccount()
    expect((await other.client.get(`/api/v1/wishes/${one}`)).body.data.mark).toBeNull()
    expect(await linksOf(other.client)).toEqual([])
  })

  it('is the own of its account, for keys that manage, 20 open ones at most', async () => {
    const { client } = service
    const other = (await service.createAccount()).client
    const { linkId } = await invite(client)
    expect(await linksOf(other)).toEqual([])
    for (const id of [linkId, 'nonsense']) {
      expect((await other.send('DELETE', `/api/v1/links/${id}`)).status).toBe(404)
    }
    for (const body of [{}, { personName: ' ' }, { personName: 'a'.repeat(101) }, { personName: 'a', scope: 'read' }]) {
      expect((await client.post('/api/v1/links', body)).status).toBe(400)
    }
    const collector = await keyWith({ scope: 'collect' })
    expect((await collector.client.post('/api/v1/links', { personName: 'Ada' })).status).toBe(403)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post('/api/v1/links', { personName: 'b' })),
    )
    expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(1)
  })

  it('is remembered after its session for the last 1,000 sign-ins', async () => {
    const { client, accountId } = await service.createAccount()
    await sql`insert into session_people select gen_random_uuid(), ${accountId}, 'Bob', ${now}::timestamptz - n * interval '1 hour'
      from generate_series(1, 1000) as n`.execute(service.database)
    await invited(client)
    const people = await service.database.selectFrom('session_people').selectAll().orderBy('signed_in_at').execute()
    expect([people.length, people[0]!.signed_in_at]).toEqual([1_000, new Date(now.getTime() - 999 * 3_600_000)])
    expect(people.at(-1)!.person_name).toBe('Ada')
  })

  it('leaves no name behind when its account is deleted', async () => {
    const { client, accountId } = await service.createAccount()
    await invite(client, 'Ada')
    await invited(client, 'Bob')
    await service.clientFor(service.adminKey).send('DELETE', `/api/admin/accounts/${accountId}`)
    const named = await Promise.all(
      (['sign_in_links', 'session_people'] as const).map((table) =>
        service.database.selectFrom(table).select('person_name').where('account_id', '=', accountId).execute(),
      ),
    )
    expect(named).toEqual([[], []])
  })
})
