import { request } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/service.ts'
import { generateApiKey } from '../api-key.ts'
import { makeLink, purgeExpiredLinks } from './links.ts'
import { maxSessions, openSession, purgeExpiredSessions } from './sessions.ts'
import { openBrowser } from './testing.ts'

// Holds (HTTP and secrets): a link with a secret uses the configured address, never one from a caller
// Holds (HTTP and secrets): a session ends with the key, account or admin key it depends on
// Holds (HTTP and secrets): no other site can act for a signed-in user
// Holds (HTTP and secrets): a sign-in link works once, even under simultaneous use

const dayMs = 24 * 60 * 60_000
let now = new Date('2026-11-21T12:00:00.000Z')
let service: TestService
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now }, environment: { LIVE_DEADLINE_SECONDS: '1' } })
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const later = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}
const browser = () => openBrowser(() => service.url)
const admin = () => service.clientFor(service.adminKey)

async function signedIn(apiKey = service.apiKey) {
  const opened = browser()
  expect((await opened.signIn({ apiKey })).status).toBe(200)
  return opened
}
type Browser = Awaited<ReturnType<typeof signedIn>>
const usageOf = async (opened: Browser) => (await opened.call('GET', '/api/v1/usage')).status

describe('a session', () => {
  it('opened by an API key makes the calls of its account without the key', async () => {
    const { accountId, apiKey } = await service.createAccount('pro')
    const opened = browser()
    const answer = await opened.signIn({ apiKey })
    const account = { accountId, name: 'a pro account', tier: 'pro', scope: 'manage', personName: null }
    const data = { kind: 'account', csrfToken: expect.stringMatching(/^[\w-]{43}$/), account }
    expect([answer.status, answer.body]).toEqual([200, { data }])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const read = await opened.call('GET', '/api/session')
    expect(read.body).toEqual({ data: { ...data, csrfToken: opened.csrfToken() } })
    const search = await opened.call('POST', '/api/v1/requests/search', { body: { query: 'a' } })
    expect([search.status, search.body.usage.credits.limit]).toEqual([200, 5_000])
    expect(search.headers.get('cache-control')).toBe('no-store')
    expect((await opened.call('GET', '/api/admin/accounts')).status).toBe(401)
  })

  it('of the operator is opened by the admin key, and makes the admin calls only', async () => {
    const opened = browser()
    const { body } = await opened.signIn({ apiKey: service.adminKey })
    expect(body.data).toEqual({ kind: 'operator', csrfToken: expect.any(String), account: null })
    expect((await opened.call('GET', '/api/admin/accounts')).status).toBe(200)
    const made = await opened.call('POST', '/api/admin/accounts', { body: { name: 'a', tier: 'free' } })
    expect(made.status).toBe(200)
    expect(await usageOf(opened)).toBe(401)
  })

  it('is a cookie that scripts and other sites cannot read, and only its hash is in the database', async () => {
    const opened = browser()
    const answer = await opened.signIn({ apiKey: service.apiKey })
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect(cookie.split('; ').slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=7776000', 'Path=/', 'SameSite=Lax'])
    const rows = JSON.stringify(await service.database.selectFrom('sessions').selectAll().execute())
    expect(rows).toMatch(/token_hash/)
    for (const secret of [opened.token(), opened.csrfToken()]) expect(rows).not.toContain(secret)
    expect(answer.text).not.toContain(opened.token())
  })

  it('ends at a sign-out, and only that one', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const token = one.token()
    const out = await one.call('DELETE', '/api/session')
    expect([out.status, out.body]).toEqual([200, { data: {} }])
    expect(out.headers.get('set-cookie')).toMatch(/^ww_session=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/)
    const kept = await service
      .clientFor(null)
      .send('GET', '/api/v1/usage', { headers: { cookie: `ww_session=${token}` } })
    expect(kept.status).toBe(401)
    expect(await usageOf(other)).toBe(200)
  })

  it('is replaced by a second sign-in', async () => {
    const opened = await signedIn()
    await opened.signIn({ apiKey: service.adminKey })
    expect(await service.database.selectFrom('sessions').select('account_id').execute()).toEqual([{ account_id: null }])
  })

  it('ends at once when its key is revoked; those of other keys go on', async () => {
    const { client } = await service.createAccount()
    const { body } = await client.post('/api/v1/keys', { name: 'laptop' })
    const [first, second] = [await signedIn(body.data.apiKey), await signedIn()]
    expect(await usageOf(first)).toBe(200)
    expect((await admin().send('DELETE', `/api/admin/keys/${body.data.keyId}`)).status).toBe(200)
    expect(await usageOf(first)).toBe(401)
    expect(await usageOf(second)).toBe(200)
    expect((await client.get('/api/v1/usage')).status).toBe(200)
  })

  it('ends when its account is deleted, by key and by link alike', async () => {
    const { accountId, apiKey } = await service.createAccount()
    const byKey = await signedIn(apiKey)
    const { body } = await admin().post(`/api/admin/accounts/${accountId}/links`, {})
    const byLink = browser()
    await byLink.signIn({ link: new URL(body.data.url).hash.slice(1) })
    expect([await usageOf(byKey), await usageOf(byLink)]).toEqual([200, 200])
    expect((await admin().send('DELETE', `/api/admin/accounts/${accountId}`)).status).toBe(200)
    expect([await usageOf(byKey), await usageOf(byLink)]).toEqual([401, 401])
  })

  it('of the admin key ends when that is changed', async () => {
    const { accountId } = await service.createAccount()
    // Opened under another admin key: to this service that is a former one.
    const options = { adminKey: 'a-former-admin-key', accountId }
    const tokens = [
      await openSession(service.database, { ...options, accountId: null }, now),
      await openSession(service.database, options, now),
    ]
    const paths = ['/api/admin/accounts', '/api/v1/usage']
    for (const [index, path] of paths.entries()) {
      const headers = { cookie: `ww_session=${tokens[index]}` }
      expect((await service.clientFor(null).send('GET', path, { headers })).status).toBe(401)
    }
    const same = await openSession(service.database, { ...options, adminKey: service.adminKey }, now)
    const headers = { cookie: `ww_session=${same}` }
    expect((await service.clientFor(null).send('GET', '/api/v1/usage', { headers })).status).toBe(200)
  })

  it('ends after 30 days without use, and after 90 days in any case', async () => {
    const [unused, used] = [await signedIn(), await signedIn()]
    const start = now
    later(30 * dayMs - 1)
    expect(await usageOf(used)).toBe(200)
    later(1)
    expect(await usageOf(unused)).toBe(401)
    for (const days of [45, 60, 75, 89]) {
      now = new Date(start.getTime() + days * dayMs)
      expect(await usageOf(used)).toBe(200)
    }
    now = new Date(start.getTime() + 90 * dayMs)
    expect(await usageOf(used)).toBe(401)
    expect(await purgeExpiredSessions(service.database, now)).toBe(false)
    expect(await service.database.selectFrom('sessions').select('id').execute()).toEqual([])
  })

  it(`is one of ${maxSessions} at most of an account: one more ends the one that was unused for longest`, async () => {
    const opened = await signedIn()
    const { accountId } = (await opened.call('GET', '/api/session')).body.data.account
    for (let index = 0; index < maxSessions; index++) {
      later(1)
      await openSession(service.database, { accountId, adminKey: service.adminKey }, now)
    }
    expect(await usageOf(opened)).toBe(401)
    expect(await service.database.selectFrom('sessions').select('id').execute()).toHaveLength(maxSessions)
  })

  it('is ended by the operator, with every other of its account and with no other', async () => {
    const { accountId, apiKey } = await service.createAccount()
    const [one, two, other] = [await signedIn(apiKey), await signedIn(apiKey), await signedIn()]
    const answer = await admin().send('DELETE', `/api/admin/accounts/${accountId}/sessions`)
    expect([answer.status, answer.body]).toEqual([200, { data: { ended: 2 } }])
    expect([await usageOf(one), await usageOf(two), await usageOf(other)]).toEqual([401, 401, 200])
    expect((await service.clientFor(apiKey).get('/api/v1/usage')).status).toBe(200)
  })

  it('with a cookie that opens nothing, or without one, is a 401; it clears no cookie, which may be a newer one by then', async () => {
    const cookies = ['nonsense', 'A'.repeat(43), '', `${'A'.repeat(43)}%00`]
    for (const cookie of cookies) {
      const headers = { cookie: `ww_session=${cookie}` }
      const stale = await service.clientFor(null).send('GET', '/api/session', { headers })
      expect([stale.status, stale.body.error.code]).toEqual([401, 'UNAUTHORIZED'])
      expect(stale.headers.get('set-cookie')).toBeNull()
    }
    const without = await service.clientFor(null).get('/api/session')
    expect([without.status, without.headers.get('set-cookie')]).toEqual([401, null])
  })

  it('is ignored beside a Bearer header, also a wrong one', async () => {
    const { client, accountId } = await service.createAccount('free')
    const opened = await signedIn()
    const cookie = `ww_session=${opened.token()}`
    const { body } = await client.send('POST', '/api/v1/keys', {
      headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
      body: '{"name":"by key"}',
    })
    expect(body.data.keyId).toEqual(expect.any(String))
    const keys = await admin().get(`/api/admin/accounts/${accountId}/keys`)
    expect(keys.body.data.results).toHaveLength(2)
    const wrong = await service.clientFor(generateApiKey()).send('GET', '/api/v1/usage', { headers: { cookie } })
    expect(wrong.status).toBe(401)
    const proxied = await opened.call('GET', '/api/v1/usage', { headers: { authorization: 'Basic dTpw' } })
    expect(proxied.status).toBe(200)
  })

  it('repeats an answer that holds a secret to itself only', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const headers = { 'idempotency-key': 'the-same' }
    const first = await one.call('POST', '/api/v1/keys', { body: { name: 'a' }, headers })
    const again = await one.call('POST', '/api/v1/keys', { body: { name: 'a' }, headers })
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect((await other.call('POST', '/api/v1/keys', { body: { name: 'a' }, headers })).status).toBe(409)
  })
})

describe('a call by session', () => {
  const changing = [
    ['POST', '/api/v1/requests/search', { query: 'a' }],
    ['POST', '/api/v1/keys', { name: 'forged' }],
    ['DELETE', '/api/v1/keys/00000000-0000-4000-8000-000000000000', undefined],
    ['DELETE', '/api/session', undefined],
    ['GET', '/api/v1/requests?topic=dark%20mode&source=realtime', undefined],
    ['GET', '/api/v1/requests?source=cached&source=realtime', undefined],
    ['HEAD', '/api/v1/requests?topic=dark%20mode&source=realtime', undefined],
  ] as const
  it.each(changing)(
    '%s %s changes something: without the CSRF token of the session it is a 403',
    async (method, path, body) => {
      const [opened, other] = [await signedIn(), await signedIn()]
      const withBody = body === undefined ? {} : { body }
      const wrong = [
        { csrfToken: null },
        { csrfToken: '' },
        { csrfToken: 'nonsense' },
        { csrfToken: other.csrfToken() },
      ]
      for (const csrf of [...wrong, { csrfToken: opened.token() }]) {
        const answer = await opened.call(method, path, { ...withBody, ...csrf })
        expect([answer.status, answer.body.error?.code]).toEqual([403, method === 'HEAD' ? undefined : 'FORBIDDEN'])
      }
      const headers = { 'x-csrf-token': opened.csrfToken() ?? '' }
      expect((await opened.call(method, path, { ...withBody, headers })).status).not.toBe(403)
    },
  )

  it('only reads without one', async () => {
    const opened = await signedIn()
    for (const path of ['/api/v1/requests', '/api/v1/requests?source=cached', '/api/v1/usage', '/api/session']) {
      expect((await opened.call('GET', path)).status).toBe(200)
    }
  })

  const elsewhere = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://SELF' },
    { origin: 'https://evil.example' },
    { origin: 'http://SELF.evil.example' },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'null' },
    { origin: 'nonsense' },
  ]
  it.each(elsewhere)('from elsewhere (%j) is a 403, whether it reads, changes or signs in', async (given) => {
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace('SELF', new URL(service.url).host)]),
    )
    const opened = await signedIn()
    const answers = [
      await opened.call('GET', '/api/v1/usage', { headers }),
      await opened.call('POST', '/api/v1/keys', { body: { name: 'forged' }, headers }),
      await opened.call('GET', '/api/session', { headers }),
      await browser().call('POST', '/api/session', { body: { apiKey: service.apiKey }, headers }),
    ]
    for (const answer of answers) expect([answer.status, answer.body.error?.code]).toEqual([403, 'FORBIDDEN'])
    expect(answers.at(-1)?.headers.get('set-cookie')).toBeNull()
  })

  const ourOwn = [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, { origin: 'http://SELF' }]
  it.each(ourOwn)('from our own page (%j) is answered', async (given) => {
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace('SELF', new URL(service.url).host)]),
    )
    const opened = await signedIn()
    expect((await opened.call('GET', '/api/v1/usage', { headers })).status).toBe(200)
    expect((await opened.call('POST', '/api/v1/keys', { body: { name: 'own' }, headers })).status).toBe(200)
  })
})

describe('a sign-in link', () => {
  const links = (accountId: string) => `/api/admin/accounts/${accountId}/links`
  async function invite(accountId: string) {
    const { status, body } = await admin().post(links(accountId), {})
    expect(status).toBe(200)
    const url = new URL(body.data.url)
    return { url, link: url.hash.slice(1), expiresAt: new Date(body.data.expiresAt) }
  }

  it('opens the dashboard at the address of the service, lasts a day and is stored as a hash', async () => {
    const { accountId } = await service.createAccount()
    const { url, link, expiresAt } = await invite(accountId)
    expect([url.origin, url.pathname]).toEqual([service.url, '/sign-in'])
    expect(expiresAt.getTime() - now.getTime()).toBe(dayMs)
    const rows = await service.database.selectFrom('sign_in_links').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(link)
    const bare = await admin().send('POST', links(accountId))
    expect(bare.status).toBe(200)
  })

  it('never has the host of a forged Host header', async () => {
    const { accountId } = await service.createAccount()
    const { body } = await request(service.url + links(accountId), {
      method: 'POST',
      headers: {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        authorization: `Bearer ${service.adminKey}`,
      },
    })
    const { data } = (await body.json()) as { data: { url: string } }
    expect(new URL(data.url).origin).toBe(service.url)
  })

  it('signs in to its account, once', async () => {
    const { accountId } = await service.createAccount('free')
    const { link } = await invite(accountId)
    const opened = browser()
    const answer = await opened.signIn({ link })
    expect([answer.status, answer.body.data.account]).toEqual([
      200,
      { accountId, name: 'a free account', tier: 'free', scope: 'manage', personName: null },
    ])
    expect(await usageOf(opened)).toBe(200)
    const again = await browser().signIn({ link })
    expect([again.status, again.body.error.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(await usageOf(opened)).toBe(200)
  })

  it('signs in one of many concurrent calls', async () => {
    const { accountId } = await service.createAccount()
    for (let round = 0; round < 5; round++) {
      const { link } = await invite(accountId)
      const answers = await Promise.all(Array.from({ length: 6 }, () => browser().signIn({ link })))
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401, 401, 401, 401, 401])
    }
    expect(await service.database.selectFrom('sessions').select('id').execute()).toHaveLength(5)
  })

  it('opens nothing once it has expired, and is deleted', async () => {
    const { accountId } = await service.createAccount()
    const [first, second] = [await invite(accountId), await invite(accountId)]
    later(dayMs - 1)
    expect((await browser().signIn({ link: first.link })).status).toBe(200)
    later(1)
    expect((await browser().signIn({ link: second.link })).status).toBe(401)
    expect((await admin().get(links(accountId))).body.data.results).toEqual([])
    expect(await purgeExpiredLinks(service.database, now)).toBe(false)
    expect(await service.database.selectFrom('sign_in_links').select('id').execute()).toEqual([])
  })

  it('opens nothing once its account is deleted or it is revoked, and never another account', async () => {
    const [one, other] = [await service.createAccount(), await service.createAccount()]
    const deleted = await invite(one.accountId)
    const [revoked, kept] = [await invite(other.accountId), await invite((await service.createAccount()).accountId)]
    await admin().send('DELETE', `/api/admin/accounts/${one.accountId}`)
    expect((await admin().send('DELETE', links(other.accountId))).body).toEqual({ data: { revoked: 1 } })
    for (const { link } of [deleted, revoked]) expect((await browser().signIn({ link })).status).toBe(401)
    expect((await browser().signIn({ link: kept.link })).status).toBe(200)
  })

  it('that was made under another admin key opens nothing', async () => {
    const { accountId } = await service.createAccount()
    const make = (adminKey: string) =>
      service.database
        .transaction()
        .execute((transaction) => makeLink(transaction, { accountId, opener: { adminKey }, now, validForMs: 1_000 }))
    const [former, present] = [await make('a-former-admin-key'), await make(service.adminKey)]
    expect((await browser().signIn({ link: former?.token ?? '' })).status).toBe(401)
    expect((await browser().signIn({ link: present?.token ?? '' })).status).toBe(200)
  })

  it('is listed without its token while it is open; 20 are the maximum', async () => {
    const { accountId } = await service.createAccount()
    const { link, expiresAt } = await invite(accountId)
    const listed = await admin().get(links(accountId))
    expect(listed.body.data.results).toEqual([
      {
        ...{ linkId: expect.any(String), personName: null },
        ...{ createdAt: now.toISOString(), expiresAt: expiresAt.toISOString() },
      },
    ])
    expect(listed.text).not.toContain(link)
    const answers = await Promise.all(Array.from({ length: 20 }, () => admin().post(links(accountId), {})))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(19)
    expect(answers.find((answer) => answer.status === 409)?.body.error.code).toBe('CONFLICT')
    expect((await admin().send('DELETE', links(accountId))).body.data.revoked).toBe(20)
  })

  it('is not available to accounts', async () => {
    const { accountId, client } = await service.createAccount()
    expect((await client.post(links(accountId), {})).status).toBe(401)
    expect((await client.get(links(accountId))).status).toBe(401)
  })
})
