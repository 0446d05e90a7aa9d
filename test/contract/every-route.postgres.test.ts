import { describe, expect, it } from 'vitest'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { testAdminKey } from '../service.ts'
import { json, type Key, prepareContract, unknownId } from './testing.ts'

// Holds (Jobs): several processes answer like one, also while each is killed and restarted
// Holds (HTTP and secrets): bad input gets a clear 4xx on every route

// The rules of every route: keys, bodies and request ids.

const contract = prepareContract(140)

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
  ...(['account', 'admin'] as const).flatMap((key) => {
    const path = `/api/${key === 'admin' ? key : 'v1'}/corrections`
    return [
      { method: 'POST', path: `${path}/requests`, key, body: { requestId: unknownId, isRequest: true } },
      { method: 'GET', path: `${path}/requests`, key },
      { method: 'DELETE', path: `${path}/requests/unknown`, key },
      {
        method: 'POST',
        path: `${path}/wishes`,
        key,
        body: { kind: 'split', wishId: unknownId, requestIds: [unknownId] },
      },
    ]
  }),
  { method: 'GET', path: '/api/admin/corrections/requests/export', key: 'admin' },
  ...(['account', 'admin'] as const).flatMap((key) => {
    const path = `/api/${key === 'admin' ? key : 'v1'}/accuracy`
    return [
      { method: 'GET', path, key },
      { method: 'POST', path: `${path}/draw`, key },
    ]
  }),
  { method: 'PUT', path: `/api/v1/wishes/${unknownId}/mark`, key: 'account', body: { starred: true } },
  { method: 'GET', path: '/api/v1/corrections/wishes', key: 'account' },
  { method: 'GET', path: '/api/v1/suggestions/wishes', key: 'account' },
  { method: 'POST', path: `/api/v1/suggestions/wishes/${unknownId}`, key: 'account', body: { answer: 'skip' } },
  { method: 'GET', path: '/api/admin/suggestions/wishes', key: 'admin' },
  { method: 'POST', path: `/api/admin/suggestions/wishes/${unknownId}`, key: 'admin', body: { answer: 'skip' } },
  { method: 'DELETE', path: `/api/v1/corrections/wishes/${unknownId}`, key: 'account' },
  { method: 'GET', path: '/api/admin/corrections/wishes', key: 'admin' },
  { method: 'DELETE', path: `/api/admin/corrections/wishes/${unknownId}`, key: 'admin' },
  { method: 'GET', path: '/api/v1/wishes', key: 'account' },
  { method: 'GET', path: '/api/v1/changes?since=2026-01-01', key: 'account' },
  { method: 'GET', path: `/api/v1/trends/wishes?wishId=${unknownId}`, key: 'account' },
  { method: 'GET', path: '/api/v1/requests/facets', key: 'account' },
  { method: 'GET', path: `/api/v1/wishes/${unknownId}`, key: 'account' },
  { method: 'GET', path: '/api/v1/topics', key: 'account' },
  { method: 'GET', path: '/compat/requesthunt/api/v1/requests', key: 'account' },
  { method: 'GET', path: '/compat/requesthunt/api/v1/topics', key: 'account' },
  { method: 'GET', path: '/api/v1/topics/unknown', key: 'account' },
  { method: 'GET', path: '/api/v1/usage', key: 'account' },
  { method: 'GET', path: '/api/v1/usage/entries', key: 'account' },
  { method: 'GET', path: '/api/v1/platforms', key: 'account' },
  { method: 'POST', path: '/api/admin/accounts', key: 'admin', body: { name: 'a', tier: 'free' } },
  { method: 'GET', path: '/api/admin/accounts', key: 'admin' },
  { method: 'PATCH', path: `/api/admin/accounts/${unknownId}`, key: 'admin', body: { tier: 'pro' } },
  { method: 'POST', path: `/api/admin/accounts/${unknownId}/packs`, key: 'admin', body: { pack: 'starter' } },
  { method: 'POST', path: `/api/admin/accounts/${unknownId}/keys`, key: 'admin', body: { name: 'a' } },
  { method: 'DELETE', path: `/api/admin/keys/${unknownId}`, key: 'admin' },
  { method: 'DELETE', path: `/api/admin/accounts/${unknownId}`, key: 'admin' },
  { method: 'GET', path: `/api/admin/accounts/${unknownId}/keys`, key: 'admin' },
  { method: 'GET', path: '/api/admin/verify', key: 'admin' },
  { method: 'GET', path: '/api/admin/verify/topics', key: 'admin' },
  { method: 'GET', path: '/api/admin/backup', key: 'admin' },
  { method: 'POST', path: `/api/admin/accounts/${unknownId}/links`, key: 'admin' },
  { method: 'GET', path: `/api/admin/accounts/${unknownId}/links`, key: 'admin' },
  { method: 'DELETE', path: `/api/admin/accounts/${unknownId}/links`, key: 'admin' },
  { method: 'DELETE', path: `/api/admin/accounts/${unknownId}/sessions`, key: 'admin' },
  { method: 'GET', path: `/api/admin/accounts/${unknownId}/usage`, key: 'admin' },
  { method: 'GET', path: '/api/admin/jobs', key: 'admin' },
  { method: 'GET', path: '/metrics', key: 'admin' },
  { method: 'GET', path: '/api/admin/platforms', key: 'admin' },
  { method: 'POST', path: '/api/admin/purge', key: 'admin', body: { platform: 'github' } },
  { method: 'GET', path: '/api/admin/suppressions', key: 'admin' },
  { method: 'POST', path: '/api/admin/suppressions/lift', key: 'admin', body: { author: 'nobody' } },
  { method: 'GET', path: '/api/v1/keys', key: 'account' },
  { method: 'POST', path: '/api/v1/keys', key: 'account', body: { name: 'a' } },
  { method: 'DELETE', path: `/api/v1/keys/${unknownId}`, key: 'account' },
  { method: 'POST', path: '/api/v1/views', key: 'account', body: { name: 'a', view: {} } },
  { method: 'POST', path: '/api/v1/briefs', key: 'account', body: { topic: 'dark mode' } },
  { method: 'GET', path: `/api/v1/briefs/${unknownId}`, key: 'account' },
  { method: 'POST', path: '/api/v1/feedback', key: 'account', body: { text: 'Please add tabs' } },
  { method: 'GET', path: '/api/v1/feedback/imports', key: 'account' },
  { method: 'DELETE', path: '/api/v1/feedback/imports/unknown', key: 'account' },
  { method: 'GET', path: '/api/admin/feedback/imports', key: 'admin' },
  { method: 'POST', path: '/api/v1/briefs/verify', key: 'account', body: { file: 'a' } },
  { method: 'PATCH', path: `/api/v1/views/${unknownId}`, key: 'account', body: { name: 'a' } },
  { method: 'GET', path: '/api/v1/trackers', key: 'account' },
  { method: 'PATCH', path: `/api/v1/trackers/${unknownId}`, key: 'account', body: { name: 'a' } },
  { method: 'POST', path: `/api/v1/wishes/${unknownId}/pushes`, key: 'account', body: { trackerId: unknownId } },
  { method: 'GET', path: '/api/v1/pushes', key: 'account' },
  { method: 'DELETE', path: `/api/v1/pushes/${unknownId}`, key: 'account' },
]
const withBody = routes.filter((route) => route.body !== undefined)

describe.each(routes)('$method $path', ({ method, path, key, body }) => {
  const options = body === undefined ? {} : { headers: json, body: JSON.stringify(body) }

  it('answers every wrong key alike: 401', async () => {
    const { service } = contract
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

  it('says nothing about the body to a caller without a key', async () => {
    const answer = await contract.service
      .clientFor(null)
      .send(method, path, body === undefined ? {} : { headers: json, body: '{' })
    expect(answer.status).toBe(401)
  })

  it('carries a request id, and keeps a harmless one of the caller', async () => {
    const own = await contract.clientOf(key).send(method, path, {
      ...options,
      headers: { ...json, 'x-request-id': 'mine-1.2:3' },
    })
    expect(own.headers.get('x-request-id')).toBe('mine-1.2:3')
    const made = await contract
      .clientOf(key)
      .send(method, path, { ...options, headers: { ...json, 'x-request-id': 'a b' } })
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe.each(withBody)('the body of $method $path', ({ method, path, key, body }) => {
  const send = (text: string, headers: Record<string, string> = json) =>
    contract.clientOf(key).send(method, path, { headers, body: text })

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
    expect(answer.body.error.details).toEqual([
      { path: 'platfrom', message: expect.stringMatching(/^unknown field(?:\. Did you mean platforms?\?)?$/) },
    ])
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data', 'nonsense'])(
    'refuses the content type %s: 415',
    async (type) => {
      const answer = await send(JSON.stringify(body), { 'content-type': type })
      expect([answer.status, answer.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    },
  )

  it('refuses more than 64 KiB, of a file more than 512 KiB: 413', async () => {
    const limit = path.endsWith('/verify') ? 512 : 64
    const answer = await send(JSON.stringify({ ...(body as object), filler: 'x'.repeat(limit * 1024) }))
    expect([answer.status, answer.body.error]).toMatchObject([
      413,
      { code: 'PAYLOAD_TOO_LARGE', message: `The body is larger than ${limit} KiB.` },
    ])
  })

  it('survives nesting of any depth: 400', async () => {
    const answer = await send(`{"topic": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`)
    expect(answer.status).toBe(400)
  })
})

/** They change nothing that a second call would change again. */
const withoutIdempotencyKey = /\/(search|verify|purge|lift|links|corrections\/requests|accuracy\/draw|pushes)$/

describe.each(routes.filter(({ method, path }) => method === 'POST' && !withoutIdempotencyKey.test(path)))(
  'the Idempotency-Key of $method $path',
  ({ method, path, key, body }) => {
    it.each(['', 'a b', 'é', 'k'.repeat(256)])('refuses %j: 400, and says where', async (idempotencyKey) => {
      const headers = { ...json, 'idempotency-key': idempotencyKey }
      const answer = await contract.clientOf(key).send(method, path, { headers, body: JSON.stringify(body) })
      expect([answer.status, answer.body.error.details?.[0].path]).toEqual([400, 'idempotency-key'])
    })
  },
)
