import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { testAdminKey } from '../service.ts'
import { json, prepareContract, unknownId } from './testing.ts'

// Malformed HTTP, unknown routes, and unusual but valid requests.

const contract = prepareContract()

describe('DELETE with the content type of JSON', () => {
  it('needs no body', async () => {
    const answer = await contract.service
      .clientFor(testAdminKey)
      .send('DELETE', `/api/admin/keys/${unknownId}`, { headers: json })
    expect(answer.status).toBe(404)
  })
})

describe('what is hardly HTTP', () => {
  /** Sends bytes unchanged. @returns the whole answer. */
  async function sendRaw(bytes: string): Promise<string> {
    const { hostname, port } = new URL(contract.service.processUrl)
    const socket = connect(Number(port), hostname)
    socket.write(bytes)
    let answer = ''
    for await (const chunk of socket) answer += chunk
    return answer
  }
  it.each([
    ['nonsense', 'HELLO\r\n\r\n', 400],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 400],
    ['a badly encoded address', 'GET /api/v1/scrape/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ])('%s is answered in the envelope', async (_what, bytes, status) => {
    const [head = '', body = ''] = (await sendRaw(bytes)).split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status} `)
    const requestId = /^x-request-id: ([0-9a-f-]{36})\r$/im.exec(head)?.[1]
    expect(JSON.parse(body)).toEqual({
      error: {
        code: 'INVALID_REQUEST',
        message: expect.any(String),
        requestId,
        documentation: '/docs/errors/INVALID_REQUEST',
      },
    })
    expect(head).toMatch(/^x-content-type-options: nosniff\r$/im)
  })
})

describe('a body that is not UTF-8', () => {
  const bytes = (...inner: number[]) =>
    Buffer.concat([Buffer.from('{"query":"dark '), Buffer.from(inner), Buffer.from('"}')])
  const send = (body: Buffer<ArrayBuffer>) =>
    fetch(`${contract.service.url}/api/v1/requests/search`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${contract.service.apiKey}` },
      body,
    })
  it.each([
    ['a lone continuation byte', [0x80]],
    ['a cut-off character', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0xfc]],
  ])('is refused, not repaired: %s', async (_what, inner) => {
    const answer = await send(bytes(...inner))
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: 'INVALID_REQUEST', message: 'body: is not valid UTF-8.' } },
    ])
  })
  it('is not one that has every length of character', async () => {
    const answer = await send(bytes(...Buffer.from('aé界🎉')))
    expect([answer.status, ((await answer.json()) as { meta: { originalQuery: string } }).meta.originalQuery]).toEqual([
      200,
      'dark aé界🎉',
    ])
  })
})

describe('what does not exist', () => {
  it.each(['/api/v1/nothing', '/api/v2/scrape', '/favicon.ico', '/%00', '/..%2f..%2fetc/passwd', '/api/v1/scrape/'])(
    'GET %s is an ordinary 404 or 400',
    async (path) => {
      const answer = await contract.service.client.get(path)
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
    const answer = await contract.clientOf(key).send(method, path, body)
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND'])
  })
  it('is a 404 whatever is sent there, by whomever', async () => {
    const body = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    const answer = await contract.service.clientFor(null).send('POST', '/nothing', { headers: json, body })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND'])
  })
  it('is the same for a method that a path does not have', async () => {
    expect((await contract.service.client.send('PUT', '/api/v1/scrape')).status).toBe(404)
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
    const answer = await contract.service.client.search(query)
    expect(answer.status).toBe(200)
    expect(answer.body.meta.originalQuery).toBe(query.trim())
  })
  it('a search for punctuation only finds nothing', async () => {
    const { status, body } = await contract.service.client.search('!?*** --- ()')
    expect([status, body.data]).toEqual([200, { results: [], hasMore: false, limitReached: false }])
  })
  it('counts a topic in characters, not bytes or code units', async () => {
    expect((await contract.service.client.scrape({ topic: '🎉'.repeat(101) })).status).toBe(400)
    expect((await contract.service.client.scrape({ topic: '🎉'.repeat(100), platforms: ['github'] })).status).toBe(200)
  })
})
