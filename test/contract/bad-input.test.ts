import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateApiKey } from '../../src/accounts/keys.ts'
import { startTestService, type TestService, testAdminKey } from '../service.ts'

// Every route's table of bad input: what is wrong, what it is answered, and where the answer says the fault is.

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const json = { 'content-type': 'application/json' }
const unknownId = '00000000-0000-4000-8000-000000000000'

type Key = 'account' | 'admin'
const routes: { method: string; path: string; key: Key; body?: unknown }[] = [
  { method: 'POST', path: '/api/v1/scrape', key: 'account', body: { topic: 'dark mode' } },
  { method: 'GET', path: `/api/v1/scrape/${unknownId}`, key: 'account' },
  { method: 'GET', path: '/api/v1/scrape', key: 'account' },
  { method: 'DELETE', path: `/api/v1/scrape/${unknownId}`, key: 'account' },
  { method: 'GET', path: `/api/v1/scrape/${unknownId}/events`, key: 'account' },
  { method: 'POST', path: '/api/v1/requests/search', key: 'account', body: { query: 'dark mode' } },
  { method: 'GET', path: '/api/v1/requests', key: 'account' },
  { method: 'GET', path: '/api/v1/requests/export?format=csv', key: 'account' },
  { method: 'GET', path: `/api/v1/requests/${unknownId}`, key: 'account' },
  { method: 'GET', path: `/api/v1/requests/${unknownId}/similar`, key: 'account' },
  { method: 'GET', path: '/api/v1/topics', key: 'account' },
  { method: 'GET', path: '/api/v1/topics/unknown', key: 'account' },
  { method: 'GET', path: '/api/v1/usage', key: 'account' },
  { method: 'GET', path: '/api/v1/usage/entries', key: 'account' },
  { method: 'POST', path: '/api/admin/accounts', key: 'admin', body: { name: 'a', tier: 'free' } },
  { method: 'GET', path: '/api/admin/accounts', key: 'admin' },
  { method: 'PATCH', path: `/api/admin/accounts/${unknownId}`, key: 'admin', body: { tier: 'pro' } },
  { method: 'POST', path: `/api/admin/accounts/${unknownId}/packs`, key: 'admin', body: { pack: 'starter' } },
  { method: 'POST', path: `/api/admin/accounts/${unknownId}/keys`, key: 'admin', body: { name: 'a' } },
  { method: 'DELETE', path: `/api/admin/keys/${unknownId}`, key: 'admin' },
  { method: 'DELETE', path: `/api/admin/accounts/${unknownId}`, key: 'admin' },
  { method: 'GET', path: `/api/admin/accounts/${unknownId}/keys`, key: 'admin' },
  { method: 'GET', path: '/api/admin/verify', key: 'admin' },
  { method: 'GET', path: '/api/v1/usage', key: 'account' },
  { method: 'GET', path: '/api/v1/usage/entries', key: 'account' },
  { method: 'GET', path: '/api/admin/backup', key: 'admin' },
  { method: 'POST', path: `/api/admin/accounts/${unknownId}/links`, key: 'admin' },
  { method: 'GET', path: `/api/admin/accounts/${unknownId}/links`, key: 'admin' },
  { method: 'DELETE', path: `/api/admin/accounts/${unknownId}/links`, key: 'admin' },
  { method: 'DELETE', path: `/api/admin/accounts/${unknownId}/sessions`, key: 'admin' },
  { method: 'GET', path: `/api/admin/accounts/${unknownId}/usage`, key: 'admin' },
  { method: 'GET', path: '/api/admin/jobs', key: 'admin' },
  { method: 'GET', path: '/api/admin/platforms', key: 'admin' },
  { method: 'POST', path: '/api/admin/purge', key: 'admin', body: { platform: 'github' } },
  { method: 'GET', path: '/api/admin/suppressions', key: 'admin' },
  { method: 'POST', path: '/api/admin/suppressions/lift', key: 'admin', body: { author: 'nobody' } },
  { method: 'GET', path: '/api/v1/keys', key: 'account' },
  { method: 'POST', path: '/api/v1/keys', key: 'account', body: { name: 'a' } },
  { method: 'DELETE', path: `/api/v1/keys/${unknownId}`, key: 'account' },
]
const withBody = routes.filter((route) => route.body !== undefined)
const clientOf = (key: Key) => service.clientFor(key === 'admin' ? testAdminKey : service.apiKey)
const scrapeJobs = async () => (await service.database.selectFrom('scrape_jobs').select('id').execute()).length

describe.each(routes)('$method $path', ({ method, path, key, body }) => {
  const options = body === undefined ? {} : { headers: json, body: JSON.stringify(body) }

  it('answers every wrong key alike: 401', async () => {
    const wrong = [
      null,
      'nonsense',
      generateApiKey(),
      generateApiKey().toUpperCase(),
      `${service.apiKey}x`,
      `${testAdminKey}x`,
      key === 'admin' ? service.apiKey : testAdminKey,
    ]
    const answers = await Promise.all(wrong.map((wrongKey) => service.clientFor(wrongKey).send(method, path, options)))
    const basic = await service.clientFor(null).send(method, path, {
      ...options,
      headers: { ...json, authorization: `Basic ${Buffer.from(`x:${service.apiKey}`).toString('base64')}` },
    })
    for (const answer of [...answers, basic]) {
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual({ error: { code: 'UNAUTHORIZED', message: expect.stringContaining('API key') } })
    }
  })

  it('tells nobody without a key what is wrong with the body', async () => {
    const answer = await service
      .clientFor(null)
      .send(method, path, body === undefined ? {} : { headers: json, body: '{' })
    expect(answer.status).toBe(401)
  })

  it('carries a request id, and keeps a harmless one of the caller', async () => {
    const own = await clientOf(key).send(method, path, {
      ...options,
      headers: { ...json, 'x-request-id': 'mine-1.2:3' },
    })
    expect(own.headers.get('x-request-id')).toBe('mine-1.2:3')
    const made = await clientOf(key).send(method, path, { ...options, headers: { ...json, 'x-request-id': 'a b' } })
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe.each(withBody)('the body of $method $path', ({ method, path, key, body }) => {
  const send = (text: string, headers: Record<string, string> = json) =>
    clientOf(key).send(method, path, { headers, body: text })

  it.each([
    ['malformed JSON', '{"topic": ', 'body'],
    ['an empty body', '', 'body'],
    ['an array', '[]', 'body'],
    ['a string', '"topic"', 'body'],
    ['null', 'null', 'body'],
    ['nothing in it', '{}', ''],
    ['a prototype to poison', '{"__proto__": {"x": 1}}', 'body'],
  ])('refuses %s: 400', async (_what, text, part) => {
    const answer = await send(text)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining(part) })
  })

  it('names an unknown field: 400', async () => {
    const answer = await send(JSON.stringify({ ...(body as object), platfrom: ['github'] }))
    expect(answer.status).toBe(400)
    expect(answer.body.error.details).toEqual([{ path: 'platfrom', message: 'unknown field' }])
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data', 'nonsense'])(
    'refuses the content type %s: 415',
    async (type) => {
      const answer = await send(JSON.stringify(body), { 'content-type': type })
      expect([answer.status, answer.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    },
  )

  it('refuses more than 64 KiB: 413', async () => {
    const answer = await send(JSON.stringify({ ...(body as object), filler: 'x'.repeat(64 * 1024) }))
    expect([answer.status, answer.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it('survives nesting of any depth: 400', async () => {
    const answer = await send(`{"topic": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`)
    expect(answer.status).toBe(400)
  })
})

/** They change nothing that a second call would change again. */
const withoutIdempotencyKey = /\/(search|purge|lift|links)$/

describe.each(routes.filter(({ method, path }) => method === 'POST' && !withoutIdempotencyKey.test(path)))(
  'the Idempotency-Key of $method $path',
  ({ method, path, key, body }) => {
    it.each(['', 'a b', 'é', 'k'.repeat(256)])('refuses %j: 400, and says where', async (idempotencyKey) => {
      const headers = { ...json, 'idempotency-key': idempotencyKey }
      const answer = await clientOf(key).send(method, path, { headers, body: JSON.stringify(body) })
      expect([answer.status, answer.body.error.details?.[0].path]).toEqual([400, 'idempotency-key'])
    })
  },
)

type Case = [what: string, body: unknown, path: string]
const tables: { method: string; path: string; key: Key; cases: Case[] }[] = [
  {
    method: 'POST',
    path: '/api/v1/scrape',
    key: 'account',
    cases: [
      ['no topic', { depth: 1 }, 'topic'],
      ['topic null', { topic: null }, 'topic'],
      ['topic a number', { topic: 12 }, 'topic'],
      ['topic of 1 character', { topic: 'a' }, 'topic'],
      ['topic of 1 character after trimming', { topic: '   a   ' }, 'topic'],
      ['topic of white space', { topic: ' \t\n ' }, 'topic'],
      ['topic of 101 characters', { topic: 'é'.repeat(101) }, 'topic'],
      ['topic of punctuation only', { topic: '!! ??' }, 'topic'],
      ['topic with NUL', { topic: 'dark\0mode' }, 'topic'],
      ['topic with a lone surrogate', { topic: 'dark \ud800' }, 'topic'],
      ['platforms a string', { topic: 'dark mode', platforms: 'github' }, 'platforms'],
      ['platforms empty', { topic: 'dark mode', platforms: [] }, 'platforms'],
      ['platforms with an unknown name', { topic: 'dark mode', platforms: ['github', 'myspace'] }, 'platforms.1'],
      ['platforms with a number', { topic: 'dark mode', platforms: [1] }, 'platforms.0'],
      ['platforms in capitals', { topic: 'dark mode', platforms: ['GitHub'] }, 'platforms.0'],
      ['101 platforms', { topic: 'dark mode', platforms: Array(101).fill('github') }, 'platforms'],
      ['depth 0', { topic: 'dark mode', depth: 0 }, 'depth'],
      ['depth 41', { topic: 'dark mode', depth: 41 }, 'depth'],
      ['depth -1', { topic: 'dark mode', depth: -1 }, 'depth'],
      ['depth 1.5', { topic: 'dark mode', depth: 1.5 }, 'depth'],
      ['depth a string', { topic: 'dark mode', depth: '1' }, 'depth'],
      ['depth null', { topic: 'dark mode', depth: null }, 'depth'],
      ['depth huge', { topic: 'dark mode', depth: 1e308 }, 'depth'],
      ['maxCredits 0', { topic: 'dark mode', maxCredits: 0 }, 'maxCredits'],
      ['maxCredits 1.5', { topic: 'dark mode', maxCredits: 1.5 }, 'maxCredits'],
      ['maxCredits a string', { topic: 'dark mode', maxCredits: '10' }, 'maxCredits'],
      ['maxCredits null', { topic: 'dark mode', maxCredits: null }, 'maxCredits'],
      ['a job dearer than maxCredits', { topic: 'dark mode', depth: 2, maxCredits: 5 }, 'maxCredits'],
    ],
  },
  {
    method: 'POST',
    path: '/api/v1/requests/search',
    key: 'account',
    cases: [
      ['no query', { limit: 1 }, 'query'],
      ['query empty', { query: '' }, 'query'],
      ['query of white space', { query: '   ' }, 'query'],
      ['query a list', { query: ['a'] }, 'query'],
      ['query of 501 characters', { query: 'x'.repeat(501) }, 'query'],
      ['query of 10,000 characters', { query: 'x '.repeat(5_000) }, 'query'],
      ['query with NUL', { query: 'a\0b' }, 'query'],
      ['limit 0', { query: 'a', limit: 0 }, 'limit'],
      ['limit 101', { query: 'a', limit: 101 }, 'limit'],
      ['limit a string', { query: 'a', limit: '20' }, 'limit'],
      ['offset -1', { query: 'a', offset: -1 }, 'offset'],
      ['offset 100', { query: 'a', offset: 100 }, 'offset'],
      ['expand a string', { query: 'a', expand: 'true' }, 'expand'],
      ['platforms unknown', { query: 'a', platforms: ['myspace'] }, 'platforms.0'],
    ],
  },
  {
    method: 'POST',
    path: '/api/admin/accounts',
    key: 'admin',
    cases: [
      ['no name', { tier: 'free' }, 'name'],
      ['name empty', { name: ' ', tier: 'free' }, 'name'],
      ['name of 101 characters', { name: 'x'.repeat(101), tier: 'free' }, 'name'],
      ['no tier', { name: 'a' }, 'tier'],
      ['tier unknown', { name: 'a', tier: 'gold' }, 'tier'],
    ],
  },
  {
    method: 'PATCH',
    path: `/api/admin/accounts/${unknownId}`,
    key: 'admin',
    cases: [
      ['tier unknown', { tier: 'Free' }, 'tier'],
      ['tier null', { tier: null }, 'tier'],
      ['paygMonthlyCap -1', { paygMonthlyCap: -1 }, 'paygMonthlyCap'],
      ['paygMonthlyCap 1.5', { paygMonthlyCap: 1.5 }, 'paygMonthlyCap'],
      ['paygMonthlyCap a string', { paygMonthlyCap: '100' }, 'paygMonthlyCap'],
      ['paygMonthlyCap huge', { tier: 'pro', paygMonthlyCap: 2 ** 31 }, 'paygMonthlyCap'],
    ],
  },
  {
    method: 'POST',
    path: `/api/admin/accounts/${unknownId}/packs`,
    key: 'admin',
    cases: [
      ['pack unknown', { pack: 'huge' }, 'pack'],
      ['pack in capitals', { pack: 'Starter' }, 'pack'],
      ['pack a number', { pack: 1300 }, 'pack'],
      ['credits instead of a pack', { pack: 'starter', credits: 1 }, 'credits'],
    ],
  },
  {
    method: 'POST',
    path: `/api/admin/accounts/${unknownId}/keys`,
    key: 'admin',
    cases: [['name a number', { name: 1 }, 'name']],
  },
  {
    method: 'POST',
    path: '/api/v1/keys',
    key: 'account',
    cases: [
      ['no name', { apiKey: `ww_live_${'a'.repeat(32)}` }, 'name'],
      ['name of white space', { name: ' \t' }, 'name'],
      ['name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
      ['name with NUL', { name: 'a\0' }, 'name'],
    ],
  },
  {
    method: 'POST',
    path: '/api/admin/purge',
    key: 'admin',
    cases: [
      ['nothing to go by', {}, ''],
      ['nothing but how', { dryRun: true, suppress: true }, ''],
      ['an unknown platform', { platform: 'myspace' }, 'platform'],
      ['a list of platforms', { platform: ['github'] }, 'platform'],
      ['olderThanDays 0', { olderThanDays: 0 }, 'olderThanDays'],
      ['olderThanDays 1.5', { olderThanDays: 1.5 }, 'olderThanDays'],
      ['olderThanDays huge', { olderThanDays: 1e9 }, 'olderThanDays'],
      ['olderThanDays a string', { olderThanDays: '30' }, 'olderThanDays'],
      ['id empty', { id: ' ' }, 'id'],
      ["a platform's own id without the platform", { id: '123' }, 'platform'],
      ['url no web address', { url: 'github.com/acme' }, 'url'],
      ['url of another scheme', { url: 'javascript:alert(1)' }, 'url'],
      ['url too long', { url: `https://x.example/${'x'.repeat(2_000)}` }, 'url'],
      ['author empty', { author: '' }, 'author'],
      ['author nothing but an @', { author: ' @ ' }, 'author'],
      ['author too long', { author: 'x'.repeat(501) }, 'author'],
      ['author with NUL', { author: 'a\0' }, 'author'],
      ['author with a lone surrogate', { author: '\ud800' }, 'author'],
      ['author and url', { author: 'ada', url: 'https://x.example' }, 'author'],
      ['id and an age', { id: unknownId, olderThanDays: 3 }, 'id'],
      ['dryRun a string', { author: 'ada', dryRun: 'true' }, 'dryRun'],
      ['suppress null', { author: 'ada', suppress: null }, 'suppress'],
      ['a misspelt selector beside a good one', { platform: 'github', autor: 'ada' }, 'autor'],
    ],
  },
  {
    method: 'POST',
    path: '/api/admin/suppressions/lift',
    key: 'admin',
    cases: [
      ['nothing to go by', {}, ''],
      ['a platform alone', { platform: 'github' }, ''],
      ['an id without its platform', { id: '123' }, 'platform'],
      ['url no web address', { url: 'x' }, 'url'],
      ['two at once', { purgeId: unknownId, author: 'ada' }, 'author'],
    ],
  },
]

describe('POST /api/session', () => {
  const signIn = (text: string, headers: Record<string, string> = json) =>
    service.clientFor(null).send('POST', '/api/session', { headers, body: text })
  it.each([
    ['nothing in it', {}, ''],
    ['two ways at once', { apiKey: 'a', link: 'a' }, ''],
    ['a key that is no text', { apiKey: 1 }, 'apiKey'],
    ['an empty key', { apiKey: '' }, 'apiKey'],
    ['a key of 501 characters', { apiKey: 'x'.repeat(501) }, 'apiKey'],
    ['a link null', { link: null }, 'link'],
    ['a link with NUL', { link: 'a\0' }, 'link'],
    ['an unknown field', { apiKey: 'a', remember: true }, ''],
    ['an unknown field alone', { token: 'a' }, 'token'],
  ])('refuses %s: 400, and says where', async (_what, body, place) => {
    const answer = await signIn(JSON.stringify(body))
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.body.error.details.map((detail: { path: string }) => detail.path)).toContain(place)
    expect(answer.headers.get('set-cookie')).toBeNull()
  })
  it.each(['', '{', '[]', 'null', '"a"'])('refuses the body %j: 400', async (text) => {
    expect((await signIn(text)).status).toBe(400)
  })
  it('refuses what a form of another site could send: 415', async () => {
    const answer = await signIn('{"apiKey":"a"}', { 'content-type': 'text/plain' })
    expect([answer.status, answer.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })
})

describe('POST /api/admin/accounts/{accountId}/links', () => {
  it.each(['{"validForDays":30}', '[]', '"a"'])('refuses the body %s: 400', async (body) => {
    const path = `/api/admin/accounts/${unknownId}/links`
    const answer = await service.clientFor(testAdminKey).send('POST', path, { headers: json, body })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('GET /api/admin/jobs', () => {
  it.each([
    ['?status=done', 'status'],
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?cursor=nonsense', 'cursor'],
    [`?cursor=${Buffer.from(`["jobs","1","${unknownId}"]`).toString('base64url')}`, 'cursor'],
    ['?account=a', 'account'],
  ])('refuses %s: 400, and says where', async (query, place) => {
    const answer = await service.clientFor(testAdminKey).get(`/api/admin/jobs${query}`)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, place])
  })
})

describe.each(tables)('$method $path', ({ method, path, key, cases }) => {
  it.each(cases)('refuses %s: 400, and says where', async (_what, body, place) => {
    const before = await scrapeJobs()
    const answer = await clientOf(key).send(method, path, { headers: json, body: JSON.stringify(body) })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('INVALID_REQUEST')
    expect(answer.body.error.details[0].path).toBe(place)
    expect(await scrapeJobs()).toBe(before)
  })
})

describe('GET /api/v1/requests', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['topic=a', 'topic'],
    ['topic=a%00b', 'topic'],
    ['tag=', 'tag.0'],
    ['tag=a&tag=', 'tag.1'],
    ['minVotes=x', 'minVotes'],
    ['minVotes=1.5', 'minVotes'],
    ['minVotes=99999999999', 'minVotes'],
    ['since=yesterday', 'since'],
    ['since=2026-13-01', 'since'],
    ['until=2026-02-30', 'until'],
    ['until=2026-01-01T24:61:00Z', 'until'],
    ['until=2026-01-01T10:00', 'until'],
    ['platforms=myspace', 'platforms'],
    ['platforms=github,myspace', 'platforms'],
    ['platforms=', 'platforms'],
    ['sortBy=best', 'sortBy'],
    ['source=realtime', 'topic'],
    ['cursor=nonsense', 'cursor'],
    [`cursor=${Buffer.from('["top",1,"x"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from(`["new","1; drop table requests","${unknownId}"]`).toString('base64url')}`, 'cursor'],
    ['platform=github', 'platform'],
    [`cursor=${Buffer.from('["new",1,"x"]').toString('base64url')}`, 'cursor'],
  ])('refuses ?%s: 400, and says where', async (query, place) => {
    const answer = await service.client.get(`/api/v1/requests?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(place)
  })
})

describe('a cursor that only looks like ours', () => {
  it.each([
    ['top', Number.MAX_SAFE_INTEGER],
    ['top', Number.MIN_SAFE_INTEGER],
    ['new', Number.MAX_SAFE_INTEGER],
    ['new', Number.MIN_SAFE_INTEGER],
  ])('is answered, sorted by %s at %d', async (sortBy, key) => {
    const cursor = Buffer.from(JSON.stringify([sortBy, key, unknownId])).toString('base64url')
    const answer = await service.client.get(`/api/v1/requests?sortBy=${sortBy}&cursor=${cursor}`)
    expect([200, 400]).toContain(answer.status)
  })
})

describe('a query string where none belongs', () => {
  it.each(['POST /api/v1/scrape?depth=40', 'POST /api/v1/requests/search?limit=1'])('%s: 400', async (call) => {
    const [method = '', path = ''] = call.split(' ')
    const options = { headers: json, body: '{"topic":"dark mode","query":"a"}' }
    const answer = await service.client.send(method, path, options)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('DELETE with the content type of JSON', () => {
  it('needs no body', async () => {
    const answer = await service
      .clientFor(testAdminKey)
      .send('DELETE', `/api/admin/keys/${unknownId}`, { headers: json })
    expect(answer.status).toBe(404)
  })
})

describe('what is hardly HTTP', () => {
  /** Sends bytes as they are, and gives all that comes back. */
  async function sendRaw(bytes: string): Promise<string> {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    socket.write(bytes)
    let answer = ''
    for await (const chunk of socket) answer += chunk
    return answer
  }
  it.each([
    ['nonsense', 'HELLO\r\n\r\n', 400],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a badly encoded address', 'GET /api/v1/scrape/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ])('%s is answered in the envelope', async (_what, bytes, status) => {
    const [head = '', body = ''] = (await sendRaw(bytes)).split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(JSON.parse(body)).toEqual({ error: { code: 'INVALID_REQUEST', message: expect.any(String) } })
  })
})

describe('GET /api/v1/usage', () => {
  it.each([
    ['?days=0', 'days'],
    ['?days=91', 'days'],
    ['?days=1.5', 'days'],
    ['?days=week', 'days'],
    ['?days=', 'days'],
    ['?day=7', 'day'],
    ['/entries?limit=0', 'limit'],
    ['/entries?limit=101', 'limit'],
    ['/entries?cursor=nonsense', 'cursor'],
    [`/entries?cursor=${Buffer.from('["entries","1"]').toString('base64url')}`, 'cursor'],
    [`/entries?cursor=${Buffer.from('["entries",1e300]').toString('base64url')}`, 'cursor'],
    [`/entries?cursor=${Buffer.from('["new",1]').toString('base64url')}`, 'cursor'],
    ['/entries?offset=1', 'offset'],
  ])('refuses %s: 400, and says where', async (query, place) => {
    const answer = await service.client.get(`/api/v1/usage${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(place)
  })
})

describe('the query string of an operator or of keys', () => {
  it.each([
    ['/api/admin/accounts?deleted=perhaps', 'admin', 'deleted'],
    ['/api/admin/accounts?delete=true', 'admin', 'delete'],
    ['/api/v1/keys?all=true', 'account', 'all'],
    ['/api/admin/backup?format=zip', 'admin', 'format'],
    [`/api/admin/accounts/${unknownId}/keys?all=true`, 'admin', 'all'],
    [`/api/admin/accounts/${unknownId}/links?all=true`, 'admin', 'all'],
    [`/api/admin/accounts/${unknownId}/usage?days=91`, 'admin', 'days'],
    [`/api/admin/accounts/${unknownId}/usage?day=1`, 'admin', 'day'],
    ['/api/admin/platforms?on=true', 'admin', 'on'],
  ] as const)('refuses %s: 400, and says where', async (path, key, place) => {
    const answer = await clientOf(key).get(path)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(place)
  })
})

describe('what does not exist', () => {
  it.each(['/api/v1/nothing', '/api/v2/scrape', '/favicon.ico', '/%00', '/..%2f..%2fetc/passwd', '/api/v1/scrape/'])(
    'GET %s is an ordinary 404 or 400',
    async (path) => {
      const answer = await service.client.get(path)
      expect([400, 404]).toContain(answer.status)
      expect(answer.body.error.code).toMatch(/NOT_FOUND|INVALID_REQUEST/)
    },
  )
  it.each([
    ['GET', '/api/v1/scrape/nonsense', 'account'],
    ['GET', `/api/v1/scrape/${'x'.repeat(5_000)}`, 'account'],
    ['PATCH', '/api/admin/accounts/nonsense', 'admin'],
    ['PATCH', `/api/admin/accounts/${unknownId}`, 'admin'],
    ['DELETE', '/api/admin/keys/nonsense', 'admin'],
    ['DELETE', `/api/admin/keys/${unknownId}`, 'admin'],
    ['DELETE', '/api/admin/accounts/nonsense', 'admin'],
    ['DELETE', `/api/admin/accounts/${unknownId}`, 'admin'],
    ['GET', '/api/admin/accounts/nonsense/keys', 'admin'],
    ['POST', '/api/admin/accounts/nonsense/links', 'admin'],
    ['GET', `/api/admin/accounts/${unknownId}/links`, 'admin'],
    ['DELETE', '/api/admin/accounts/nonsense/links', 'admin'],
    ['DELETE', `/api/admin/accounts/${unknownId}/sessions`, 'admin'],
    ['GET', '/api/admin/accounts/nonsense/usage', 'admin'],
    ['GET', `/api/admin/accounts/${unknownId}/usage`, 'admin'],
    ['GET', `/api/admin/accounts/${unknownId}/keys`, 'admin'],
    ['DELETE', '/api/v1/keys/nonsense', 'account'],
    ['DELETE', `/api/v1/keys/${unknownId}`, 'account'],
  ] as const)('%s %s: 404', async (method, path, key) => {
    const body = method === 'PATCH' ? { headers: json, body: '{"tier":"pro"}' } : {}
    const answer = await clientOf(key).send(method, path, body)
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND'])
  })
  it('is a 404 whatever is sent there, by whomever', async () => {
    const body = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    const answer = await service.clientFor(null).send('POST', '/nothing', { headers: json, body })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND'])
  })
  it('is the same for a method that a path does not have', async () => {
    expect((await service.client.send('PUT', '/api/v1/scrape')).status).toBe(404)
  })
})

describe('strange but good input', () => {
  it.each([
    'AND OR NOT ( ) & | ! :* <-> "',
    "'; drop table requests; --",
    '🎉🎉 emoji 👩‍👩‍👧',
    'x'.repeat(500),
    '\u202eright to left',
    '%_\\',
    'request_texts_bm25:dark',
  ])('a search for %j is answered', async (query) => {
    const answer = await service.client.search(query)
    expect(answer.status).toBe(200)
    expect(answer.body.meta.originalQuery).toBe(query.trim())
  })
  it('a search for punctuation only finds nothing', async () => {
    const { status, body } = await service.client.search('!?*** --- ()')
    expect([status, body.data]).toEqual([200, { results: [], hasMore: false, limitReached: false }])
  })
  it('counts a topic in characters, not bytes or code units', async () => {
    expect((await service.client.scrape({ topic: '🎉'.repeat(101) })).status).toBe(400)
    expect((await service.client.scrape({ topic: '🎉'.repeat(100), platforms: ['github'] })).status).toBe(200)
  })
})
