import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../../src/accounts/sessions/testing.ts'
import { searchKind } from '../search.ts'
import { testAdminKey } from '../service.ts'
import type { ContractService } from './contract-service.ts'
import { json, readDocument, startContractService, unknownId } from './testing.ts'

// Takes seconds: every route is called.

// The document is what people and agents write their callers from: it must be true.

interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  security?: unknown[]
  parameters?: { in: string; name: string }[]
  responses: Record<string, { content?: Record<string, { schema: object }>; headers?: Record<string, object> }>
}

let service: ContractService
let document: { openapi: string; tags: { name: string }[]; paths: Record<string, Record<string, Operation>> }
beforeAll(async () => {
  // The kills are spread over the whole file.
  const platformsFrom = new URL('./platforms.ts', import.meta.url).href
  service = await startContractService({ platformsFrom, callsBetweenKills: 24 })
  document = await readDocument(service.client)
})
afterAll(() => service.stop())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

/** Checks an answer against its schema in the document; no other field is allowed. */
function expectDocumented(method: string, path: string, answer: { status: number; text: string }) {
  const operation = document.paths[path]?.[method.toLowerCase()]
  const schema = operation?.responses[answer.status]?.content?.['application/json']?.schema
  expect(schema, `${method} ${path} ${answer.status} is not in the document`).toBeDefined()
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  addFormats.default(ajv)
  const validate = ajv.compile(schema ?? {})
  expect(validate(JSON.parse(answer.text)), JSON.stringify(validate.errors)).toBe(true)
}

/** A key, or a session that was opened with it; signing in needs neither. */
function securityOf(method: string, path: string): object[] {
  const session = { session: [] }
  if (path === '/api/session') return method === 'POST' ? [] : [session]
  return [path.startsWith('/api/admin') ? { adminKey: [] } : { apiKey: [] }, session]
}

describe('a body that no DELETE needs', () => {
  it.each([
    ['too large', json, 'x'.repeat(70 * 1024), 413],
    ['of another type', { 'content-type': 'text/plain' }, 'x', 415],
    ['not JSON', json, '{', 400],
  ])('is refused as the document says when it is %s', async (_what, headers, body, status) => {
    const deletes = operations().filter(({ method }) => method === 'DELETE')
    expect(deletes.length).toBeGreaterThan(4)
    for (const { path } of deletes) {
      const client = service.clientFor(path.startsWith('/api/admin') ? testAdminKey : service.apiKey)
      const answer = await client.send('DELETE', path.replaceAll(/\{\w+\}/g, unknownId), { headers, body })
      expect([path, answer.status]).toEqual([path, status])
      expectDocumented('DELETE', path, answer)
    }
  })
})

describe('a query that no GET takes', () => {
  it('is refused as the document says', async () => {
    // A session is read with its cookie only.
    const gets = operations().filter(
      ({ method, path }) => method === 'GET' && /^\/(api|compat)\//.test(path) && path !== '/api/session',
    )
    expect(gets.length).toBeGreaterThan(30)
    for (const { path } of gets) {
      const client = service.clientFor(path.startsWith('/api/admin') ? testAdminKey : service.apiKey)
      const answer = await client.get(`${path.replaceAll(/\{\w+\}/g, unknownId)}?unheard=of`)
      expect([path, answer.status]).toEqual([path, 400])
      expectDocumented('GET', path, answer)
    }
  })
})

describe('the API document', () => {
  it('is OpenAPI 3.1 and has every call', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(
      operations()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual([
      'DELETE /api/admin/accounts/{accountId}',
      'DELETE /api/admin/accounts/{accountId}/links',
      'DELETE /api/admin/accounts/{accountId}/sessions',
      'DELETE /api/admin/corrections/requests/{correctionId}',
      'DELETE /api/admin/corrections/wishes/{correctionId}',
      'DELETE /api/admin/feedback/imports/{name}',
      'DELETE /api/admin/keys/{keyId}',
      'DELETE /api/session',
      'DELETE /api/v1/briefs/{briefId}',
      'DELETE /api/v1/channels/{channelId}',
      'DELETE /api/v1/corrections/requests/{correctionId}',
      'DELETE /api/v1/corrections/wishes/{correctionId}',
      'DELETE /api/v1/feedback/imports/{name}',
      'DELETE /api/v1/feeds/{feedId}',
      'DELETE /api/v1/keys/{keyId}',
      'DELETE /api/v1/links/{linkId}',
      'DELETE /api/v1/pushes/{pushId}',
      'DELETE /api/v1/scrape/{jobId}',
      'DELETE /api/v1/shares/{shareId}',
      'DELETE /api/v1/trackers/{trackerId}',
      'DELETE /api/v1/views/{viewId}',
      'DELETE /api/v1/watches/{watchId}',
      'GET /api/admin/accounts',
      'GET /api/admin/accounts/{accountId}/keys',
      'GET /api/admin/accounts/{accountId}/links',
      'GET /api/admin/accounts/{accountId}/usage',
      'GET /api/admin/accounts/{accountId}/usage/collections',
      'GET /api/admin/accounts/{accountId}/usage/entries',
      'GET /api/admin/accuracy',
      'GET /api/admin/backup',
      'GET /api/admin/corrections/requests',
      'GET /api/admin/corrections/requests/export',
      'GET /api/admin/corrections/wishes',
      'GET /api/admin/feedback/imports',
      'GET /api/admin/jobs',
      'GET /api/admin/keys/{keyId}/made',
      'GET /api/admin/overview',
      'GET /api/admin/platforms',
      'GET /api/admin/search-index',
      'GET /api/admin/suggestions/wishes',
      'GET /api/admin/suppressions',
      'GET /api/admin/verify',
      'GET /api/admin/verify/{part}',
      'GET /api/session',
      'GET /api/v1/accuracy',
      'GET /api/v1/briefs',
      'GET /api/v1/briefs/{briefId}',
      'GET /api/v1/briefs/{briefId}/file',
      'GET /api/v1/changes',
      'GET /api/v1/channels',
      'GET /api/v1/channels/{channelId}',
      'GET /api/v1/channels/{channelId}/deliveries',
      'GET /api/v1/corrections/requests',
      'GET /api/v1/corrections/wishes',
      'GET /api/v1/feedback/imports',
      'GET /api/v1/feeds',
      'GET /api/v1/keys',
      'GET /api/v1/keys/{keyId}/made',
      'GET /api/v1/links',
      'GET /api/v1/news',
      'GET /api/v1/platforms',
      'GET /api/v1/pushes',
      'GET /api/v1/pushes/{pushId}',
      'GET /api/v1/requests',
      'GET /api/v1/requests/export',
      'GET /api/v1/requests/facets',
      'GET /api/v1/requests/{requestId}',
      'GET /api/v1/requests/{requestId}/similar',
      'GET /api/v1/scrape',
      'GET /api/v1/scrape/{jobId}',
      'GET /api/v1/scrape/{jobId}/events',
      'GET /api/v1/shares',
      'GET /api/v1/suggestions/wishes',
      'GET /api/v1/topics',
      'GET /api/v1/topics/{topic}',
      'GET /api/v1/trackers',
      'GET /api/v1/trends/wishes',
      'GET /api/v1/usage',
      'GET /api/v1/usage/collections',
      'GET /api/v1/usage/entries',
      'GET /api/v1/views',
      'GET /api/v1/watches',
      'GET /api/v1/watches/{watchId}',
      'GET /api/v1/watches/{watchId}/runs',
      'GET /api/v1/wishes',
      'GET /api/v1/wishes/{wishId}',
      'GET /compat/requesthunt/api/v1/requests',
      'GET /compat/requesthunt/api/v1/topics',
      'GET /healthz',
      'GET /readyz',
      'PATCH /api/admin/accounts/{accountId}',
      'PATCH /api/v1/channels/{channelId}',
      'PATCH /api/v1/trackers/{trackerId}',
      'PATCH /api/v1/views/{viewId}',
      'PATCH /api/v1/watches/{watchId}',
      'POST /api/admin/accounts',
      'POST /api/admin/accounts/{accountId}/keys',
      'POST /api/admin/accounts/{accountId}/links',
      'POST /api/admin/accounts/{accountId}/packs',
      'POST /api/admin/accuracy/draw',
      'POST /api/admin/corrections/requests',
      'POST /api/admin/corrections/wishes',
      'POST /api/admin/feedback/imports',
      'POST /api/admin/purge',
      'POST /api/admin/search-index/rebuild',
      'POST /api/admin/suggestions/wishes/{suggestionId}',
      'POST /api/admin/suppressions/lift',
      'POST /api/session',
      'POST /api/v1/accuracy/draw',
      'POST /api/v1/briefs',
      'POST /api/v1/briefs/verify',
      'POST /api/v1/channels',
      'POST /api/v1/channels/{channelId}/confirmation',
      'POST /api/v1/channels/{channelId}/deliveries/{deliveryId}/replay',
      'POST /api/v1/channels/{channelId}/test',
      'POST /api/v1/corrections/requests',
      'POST /api/v1/corrections/wishes',
      'POST /api/v1/feedback',
      'POST /api/v1/feedback/imports',
      'POST /api/v1/feeds',
      'POST /api/v1/keys',
      'POST /api/v1/links',
      'POST /api/v1/news/read',
      'POST /api/v1/requests/search',
      'POST /api/v1/scrape',
      'POST /api/v1/shares',
      'POST /api/v1/suggestions/wishes/{suggestionId}',
      'POST /api/v1/trackers',
      'POST /api/v1/views',
      'POST /api/v1/watches',
      'POST /api/v1/watches/preview',
      'POST /api/v1/watches/{watchId}/run',
      'POST /api/v1/wishes/{wishId}/pushes',
      'PUT /api/v1/accuracy',
      'PUT /api/v1/wishes/{wishId}/mark',
    ])
  })

  it('declares the keys and the errors of every call', () => {
    for (const { method, path, operation } of operations()) {
      expect(operation.summary, `${method} ${path}`).toBeTruthy()
      if (!path.startsWith('/api/')) continue
      const expected = ['200', '400', '401', '403', '429', '500', '503', ...(method === 'POST' ? ['413', '415'] : [])]
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(expected))
      expect(operation.security).toEqual(securityOf(method, path))
    }
    expect(JSON.stringify(document)).not.toContain('x-trim')
  })

  it('says once what calls share, and where the service is', async () => {
    const answer = await service.clientFor(null).get('/openapi.json')
    // It was three times as large before.
    expect(Buffer.byteLength(answer.text) / operations().length).toBeLessThan(3_300)
    expect(answer.body.servers).toEqual([{ url: '/' }])
    const { schemas, responses, headers } = answer.body.components
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['Error', 'Request', 'Watch', 'Channel']))
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['Unauthorized', 'RateLimitedWithLimits']))
    expect(Object.keys(headers)).toContain('RateLimit')
    expect(JSON.stringify(answer.body)).not.toContain('x-name')
  })

  it('gives every call a name of its own, for generated clients', () => {
    const names = operations().map(
      ({ method, path, operation }) => [`${method} ${path}`, operation.operationId] as const,
    )
    for (const [call, name] of names) expect([call, name]).toEqual([call, expect.stringMatching(/^[a-z][A-Za-z]+$/)])
    expect(new Set(names.map(([, name]) => name)).size).toBe(names.length)
  })

  it('has every call under one of the tags that it declares, and no empty tag', () => {
    const used = operations().map(({ method, path, operation: { tags } }) => {
      expect([`${method} ${path}`, tags]).toEqual([`${method} ${path}`, [expect.any(String)]])
      return tags?.[0]
    })
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...new Set(used)].sort())
  })

  it('has the credits in the answers of the calls that can spend them, and in no others', () => {
    const withUsage = operations().filter(({ operation }) =>
      JSON.stringify(operation.responses['200']?.content?.['application/json'] ?? {}).includes('"usage":'),
    )
    expect(withUsage.map(({ operation }) => operation.operationId).sort()).toEqual([
      'createWatch',
      'listRequests',
      'listRequestsOfRequestHunt',
      'runWatch',
      'searchRequests',
      'startScrapeJob',
    ])
  })

  it('says which calls take an Idempotency-Key, and how that can fail', () => {
    const taking = operations().filter(({ operation }) =>
      operation.parameters?.some((parameter) => parameter.in === 'header' && parameter.name === 'idempotency-key'),
    )
    expect(taking.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /api/v1/requests',
      'GET /compat/requesthunt/api/v1/requests',
      'POST /api/admin/accounts',
      'POST /api/admin/accounts/{accountId}/keys',
      'POST /api/admin/accounts/{accountId}/packs',
      'POST /api/admin/corrections/wishes',
      'POST /api/admin/suggestions/wishes/{suggestionId}',
      'POST /api/v1/briefs',
      'POST /api/v1/channels',
      'POST /api/v1/channels/{channelId}/deliveries/{deliveryId}/replay',
      'POST /api/v1/corrections/wishes',
      'POST /api/v1/feedback',
      'POST /api/v1/feeds',
      'POST /api/v1/keys',
      'POST /api/v1/links',
      'POST /api/v1/requests/search',
      'POST /api/v1/scrape',
      'POST /api/v1/shares',
      'POST /api/v1/suggestions/wishes/{suggestionId}',
      'POST /api/v1/trackers',
      'POST /api/v1/views',
      'POST /api/v1/watches',
      'POST /api/v1/watches/{watchId}/run',
    ])
    for (const { operation } of taking) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['409', '422']))
    }
  })

  it('describes the headers of rate limits and of replays', () => {
    for (const { path, operation } of operations()) {
      const headersOf = (status: string) => Object.keys(operation.responses[status]?.headers ?? {})
      const limited = /^(\/compat\/\w+)?\/api\/v1/.test(path) ? ['RateLimit-Policy', 'RateLimit'] : []
      const replayed = operation.parameters?.some(({ name }) => name === 'idempotency-key')
      expect(headersOf('200')).toEqual([...limited, ...(replayed ? ['Idempotent-Replayed'] : [])])
      if (path.startsWith('/api/')) expect(headersOf('429')).toEqual([...limited, 'Retry-After'])
    }
  })

  it('describes the answers that are really given', async () => {
    const { client } = service
    const admin = service.clientFor(testAdminKey)
    const started = await client.scrape({ topic: 'dark mode', depth: 2 })
    expectDocumented('POST', '/api/v1/scrape', started)
    const jobPath = `/api/v1/scrape/${started.body.data.jobId}`
    expectDocumented('GET', '/api/v1/scrape/{jobId}', await client.get(jobPath))
    await client.waitForJob(started.body.data.jobId)
    expectDocumented('GET', '/api/v1/scrape/{jobId}', await client.get(jobPath))
    expectDocumented('GET', '/api/v1/scrape/{jobId}', await client.get(`${jobPath}x`))
    expectDocumented('GET', '/api/v1/scrape', await client.get('/api/v1/scrape?status=completed'))
    expectDocumented('GET', '/api/v1/scrape', await client.get('/api/v1/scrape?cursor=x'))
    expectDocumented('DELETE', '/api/v1/scrape/{jobId}', await client.send('DELETE', jobPath))
    expectDocumented('DELETE', '/api/v1/scrape/{jobId}', await client.send('DELETE', `${jobPath}x`))
    expectDocumented('GET', '/api/v1/scrape/{jobId}/events', await client.get(`${jobPath}x/events`))
    expectDocumented('POST', '/api/v1/scrape', await client.scrape({ topic: '' }))
    expectDocumented('POST', '/api/v1/requests/search', await client.search('request'))
    expectDocumented('POST', '/api/v1/requests/search', await client.search(''))
    expectDocumented('GET', '/api/v1/requests', await client.get('/api/v1/requests'))
    expectDocumented('GET', '/api/v1/requests', await client.get('/api/v1/requests?limit=x'))
    expectDocumented('GET', '/api/v1/requests', await service.clientFor(null).get('/api/v1/requests'))
    const [{ _id: id }] = (await client.get('/api/v1/requests')).body.data.results
    for (const one of [id, 'x']) {
      expectDocumented('GET', '/api/v1/requests/{requestId}', await client.get(`/api/v1/requests/${one}`))
      expectDocumented(
        'GET',
        '/api/v1/requests/{requestId}/similar',
        await client.get(`/api/v1/requests/${one}/similar`),
      )
    }
    expectDocumented('GET', '/api/v1/requests/export', await client.get('/api/v1/requests/export?cursor=x'))
    expectDocumented('GET', '/api/v1/topics', await client.get('/api/v1/topics'))
    expectDocumented('GET', '/api/v1/wishes', await client.get('/api/v1/wishes'))
    for (const query of ['since=2026-01-01', 'since=x']) {
      expectDocumented('GET', '/api/v1/changes', await client.get(`/api/v1/changes?${query}`))
    }
    expectDocumented('GET', '/api/v1/trends/wishes', await client.get(`/api/v1/trends/wishes?wishId=${id}`))
    expectDocumented('GET', '/api/v1/requests/facets', await client.get('/api/v1/requests/facets?facets=tag'))
    for (const one of [id, 'x']) {
      expectDocumented('GET', '/api/v1/wishes/{wishId}', await client.get(`/api/v1/wishes/${one}`))
    }
    for (const topic of ['dark%20mode', 'x']) {
      expectDocumented('GET', '/api/v1/topics/{topic}', await client.get(`/api/v1/topics/${topic}`))
    }
    expectDocumented('GET', '/readyz', await client.get('/readyz'))
    expectDocumented('GET', '/healthz', await client.get('/healthz'))
    const made = await admin.post('/api/admin/accounts', { name: 'a', tier: 'free' })
    expectDocumented('POST', '/api/admin/accounts', made)
    expectDocumented('GET', '/api/admin/accounts', await admin.get('/api/admin/accounts'))
    const accountPath = `/api/admin/accounts/${made.body.data.accountId}`
    const own = service.clientFor(made.body.data.apiKey)
    const second = await own.post('/api/v1/keys', { name: 'second' })
    expectDocumented('POST', '/api/v1/keys', second)
    expectDocumented('GET', '/api/v1/keys', await own.get('/api/v1/keys'))
    expectDocumented('GET', '/api/admin/accounts/{accountId}/keys', await admin.get(`${accountPath}/keys`))
    const keyPath = `/api/v1/keys/${second.body.data.keyId}`
    expectDocumented('DELETE', '/api/v1/keys/{keyId}', await own.send('DELETE', keyPath))
    const [{ keyId }] = (await own.get('/api/v1/keys')).body.data.results
    const last = await own.send('DELETE', `/api/v1/keys/${keyId}`)
    expect(last.status).toBe(409)
    expectDocumented('DELETE', '/api/v1/keys/{keyId}', last)
    const poor = service.clientFor(made.body.data.apiKey)
    const refused = await poor.scrape({ topic: 'dark mode', depth: 40 })
    expect(refused.body.error).toEqual({
      code: 'RATE_LIMITED',
      message: expect.stringMatching(/^Credit limit exceeded \(0\/100\)\. Resets on \d{4}-\d\d-01\.$/),
      reason: 'credits',
      resetsAt: expect.any(String),
    })
    expectDocumented('POST', '/api/v1/scrape', refused)
    const deletion = await admin.send('DELETE', accountPath)
    expect(deletion.status).toBe(200)
    expectDocumented('DELETE', '/api/admin/accounts/{accountId}', deletion)
    expectDocumented('DELETE', '/api/admin/accounts/{accountId}', await admin.send('DELETE', accountPath))
    expectDocumented('GET', '/api/admin/accounts', await admin.get('/api/admin/accounts?deleted=true'))
  })

  it('describes sessions and sign-in links', async () => {
    const admin = service.clientFor(testAdminKey)
    const { accountId } = (await admin.post('/api/admin/accounts', { name: 'a', tier: 'free' })).body.data
    const links = '/api/admin/accounts/{accountId}/links'
    const path = `/api/admin/accounts/${accountId}`
    const link = await admin.post(`${path}/links`, {})
    expectDocumented('POST', links, link)
    expectDocumented('POST', links, await admin.post(`${path}x/links`, {}))
    expectDocumented('GET', links, await admin.get(`${path}/links`))
    const opened = openBrowser(() => service.url)
    expectDocumented('GET', '/api/session', await opened.call('GET', '/api/session'))
    expectDocumented('POST', '/api/session', await opened.signIn({ link: new URL(link.body.data.url).hash.slice(1) }))
    expectDocumented('POST', '/api/session', await opened.signIn({ link: 'used' }))
    expectDocumented('GET', '/api/session', await opened.call('GET', '/api/session'))
    const forged = await opened.call('POST', '/api/v1/keys', { body: { name: 'a' }, csrfToken: null })
    expect(forged.status).toBe(403)
    expectDocumented('POST', '/api/v1/keys', forged)
    expectDocumented('DELETE', '/api/session', await opened.call('DELETE', '/api/session'))
    expectDocumented('POST', '/api/session', await opened.signIn({ apiKey: testAdminKey }))
    expectDocumented('DELETE', links, await admin.send('DELETE', `${path}/links`))
    const sessions = '/api/admin/accounts/{accountId}/sessions'
    expectDocumented('DELETE', sessions, await admin.send('DELETE', `${path}/sessions`))
    const usage = '/api/admin/accounts/{accountId}/usage'
    expectDocumented('GET', usage, await admin.get(`${path}/usage?days=3`))
    expectDocumented('GET', usage, await admin.get(`${path}x/usage`))
    await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    for (const list of ['collections', 'entries']) {
      expectDocumented('GET', `/api/v1/usage/${list}`, await service.client.get(`/api/v1/usage/${list}`))
      expectDocumented('GET', `${usage}/${list}`, await admin.get(`${path}/usage/${list}`))
      expectDocumented('GET', `${usage}/${list}`, await admin.get(`${path}x/usage/${list}`))
    }
    expectDocumented('GET', '/api/v1/usage', await service.client.get('/api/v1/usage?weeks=2&week=2026-W47'))
    expectDocumented('GET', '/api/admin/jobs', await admin.get('/api/admin/jobs'))
    expectDocumented('GET', '/api/admin/platforms', await admin.get('/api/admin/platforms'))
  })

  it('describes the overview, which knows of no backup and no disk of a Postgres', async () => {
    const overview = await service.clientFor(testAdminKey).get('/api/admin/overview')
    expectDocumented('GET', '/api/admin/overview', overview)
    expect(overview.body.data).toMatchObject({ database: { backend: 'postgres', freeBytes: null }, backup: null })
  })

  it('describes purges, and what they suppress', async () => {
    const admin = service.clientFor(testAdminKey)
    const purge = (body: object) => admin.post('/api/admin/purge', body)
    const lift = (body: object) => admin.post('/api/admin/suppressions/lift', body)
    await service.client.waitForJob((await service.client.scrape({ topic: 'light mode' })).body.data.jobId)
    expectDocumented('POST', '/api/admin/purge', await purge({ platform: 'hackernews', dryRun: true }))
    expectDocumented('POST', '/api/admin/purge', await purge({ author: '@ada' }))
    expectDocumented('POST', '/api/admin/purge', await purge({ platform: 'github', olderThanDays: 1 }))
    expectDocumented('POST', '/api/admin/purge', await purge({}))
    expectDocumented('GET', '/api/admin/suppressions', await admin.get('/api/admin/suppressions'))
    expectDocumented('POST', '/api/admin/suppressions/lift', await lift({ author: 'ADA' }))
    const again = await lift({ author: 'ada' })
    expect(again.status).toBe(404)
    expectDocumented('POST', '/api/admin/suppressions/lift', again)
  })

  it('describes merges, splits and marks of wishes', async () => {
    const { body } = await service.client.scrape({ topic: 'merged mode', platforms: ['github'], depth: 2 })
    await service.client.waitForJob(body.data.jobId)
    const rows = await service.database.selectFrom('requests').select('id').orderBy('id').limit(2).execute()
    const [first, second] = rows.map(({ id }) => id) as [string, string]
    for (const [prefix, client] of [
      ['/api/v1', service.client],
      ['/api/admin', service.clientFor(testAdminKey)],
    ] as const) {
      const path = `${prefix}/corrections/wishes`
      const post = (given: object) => client.post(path, { wishId: first, ...given })
      for (const otherWishId of [second, second, 5])
        expectDocumented('POST', path, await post({ kind: 'merge', otherWishId }))
      for (const requestIds of [[second], [second], []])
        expectDocumented('POST', path, await post({ kind: 'split', requestIds }))
      const list = await client.get(`${prefix}/corrections/wishes`)
      expectDocumented('GET', `${prefix}/corrections/wishes`, list)
      expect(list.body.data.results).toHaveLength(2)
      for (const { correctionId } of [...list.body.data.results, { correctionId: 'unknown' }]) {
        const answer = await client.send('DELETE', `${prefix}/corrections/wishes/${correctionId}`)
        expectDocumented('DELETE', `${prefix}/corrections/wishes/{correctionId}`, answer)
      }
    }
    for (const given of [{ starred: true }, { starred: false }, {}]) {
      const answer = await service.client.send('PUT', `/api/v1/wishes/${first}/mark`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(given),
      })
      expectDocumented('PUT', '/api/v1/wishes/{wishId}/mark', answer)
    }
  })

  it('describes corrections', async () => {
    const { body } = await service.client.scrape({ topic: 'corrected mode', platforms: ['github'] })
    await service.client.waitForJob(body.data.jobId)
    const [{ _id: id }] = (await service.client.get('/api/v1/requests')).body.data.results
    for (const [prefix, client] of [
      ['/api/v1', service.client],
      ['/api/admin', service.clientFor(testAdminKey)],
    ] as const) {
      const path = `${prefix}/corrections/requests`
      const post = (isRequest: unknown) => client.post(path, { requestId: id, isRequest })
      for (const value of [true, false, 'no']) expectDocumented('POST', path, await post(value))
      const list = await client.get(path)
      expectDocumented('GET', path, list)
      expect(list.body.data.results).toHaveLength(1)
      const [{ correctionId }] = list.body.data.results
      for (const [value, status] of [
        [correctionId, 200],
        [correctionId, 404],
        ['unknown', 404],
      ]) {
        const answer = await client.send('DELETE', `${path}/${value}`)
        expect(answer.status).toBe(status)
        expectDocumented('DELETE', `${path}/{correctionId}`, answer)
      }
    }
  })

  it('describes the events of a job', async () => {
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    const answer = await service.client.get(`/api/v1/scrape/${body.data.jobId}/events`)
    const documented = document.paths['/api/v1/scrape/{jobId}/events']?.get?.responses
    expect(Object.keys(documented?.[answer.status]?.content ?? {})).toEqual([
      answer.headers.get('content-type')?.split(';')[0],
    ])
    expect(documented?.['204']).toBeDefined()
  })

  it('describes the backup, and why there is none on Postgres', async () => {
    const answer = await service.clientFor(testAdminKey).get('/api/admin/backup')
    const documented = document.paths['/api/admin/backup']?.get?.responses[answer.status]?.content
    expect(Object.keys(documented ?? {})).toEqual([answer.headers.get('content-type')?.split(';')[0]])
    expectDocumented('GET', '/api/admin/backup', answer)
  })

  it('says who is ready with what', async () => {
    // An index of the process is ready then.
    expect((await service.client.search('ready')).status).toBe(200)
    const { body } = await service.client.get('/readyz')
    expect(body).toEqual({
      status: 'ready',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      database: 'postgres',
      search: searchKind,
      queue: 'pg-boss',
      unplacedRequests: expect.any(Number),
      warnings: [],
    })
  })
})
