import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { Platform } from '../platforms/platform.ts'
import { encodingFor } from './compression.ts'

// Holds (HTTP and secrets): a response has the same text in every compression, and streams remain streams

describe('the encoding of an answer', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0', null],
    ['identity', null],
    ['identity, gzip;q=0.5', null],
    ['deflate', null],
    ['', null],
    [undefined, null],
  ])('%j: %j', (header, encoding) => {
    expect(encodingFor(header)).toBe(encoding)
  })
})

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, identity: (body: Buffer) => body }

describe('an answer', () => {
  let service: TestService
  let jobId: string
  const agent = new Agent()
  beforeAll(async () => {
    const requests = Array.from({ length: 30 }, (_, id) => foundRequest(`${id}`, { title: `Dark mode ${id}` }))
    const github = scriptedPlatform('github', () => ({ requests, nextCursor: null }))
    service = await startTestService({ platforms: new Map<PlatformName, Platform>([['github', github]]) })
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    jobId = body.data.jobId
    await service.client.waitForJob(jobId)
  })
  afterAll(async () => {
    await agent.close()
    await service.stop()
  })

  /** Asks without a client that decompresses by itself. */
  async function ask(
    path: string,
    acceptEncoding: string | null,
    method: 'GET' | 'HEAD' | 'POST' = 'GET',
    body?: string,
  ) {
    const {
      statusCode,
      headers,
      body: stream,
    } = await request(service.url + path, {
      method,
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        ...(acceptEncoding === null ? {} : { 'accept-encoding': acceptEncoding }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
    const bytes = Buffer.from(await stream.arrayBuffer())
    const encoding = (headers['content-encoding'] ?? 'identity') as keyof typeof decoders
    const text = bytes.length === 0 ? '' : decoders[encoding](bytes).toString()
    return { statusCode, headers, bytes, encoding, text }
  }
  const search = JSON.stringify({ query: 'dark mode' })

  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    [null, 'identity'],
  ] as const)('for a caller that accepts %s is the same text as %s, with a Vary header', async (accepted, encoding) => {
    const plain = await ask('/api/v1/requests', null)
    // Once compressed and once cached.
    for (let time = 0; time < 2; time++) {
      const list = await ask('/api/v1/requests', accepted)
      expect(list).toMatchObject({ statusCode: 200, encoding, text: plain.text })
      expect(list.headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': `${list.bytes.length}` })
      if (accepted !== null) expect(list.bytes.length).toBeLessThan(plain.bytes.length / 5)
    }
    const found = await ask('/api/v1/requests/search', accepted, 'POST', search)
    expect([found.encoding, JSON.parse(found.text).data.results.length]).toEqual([encoding, 20])
    expect((await ask('/openapi.json', accepted)).encoding).toBe(encoding)
  })

  it('that was compressed before is not repeated after a change', async () => {
    const read = async () => JSON.parse((await ask('/api/v1/requests?limit=100', 'gzip')).text).data.results
    expect(await read()).toHaveLength(30)
    await service.client.send('POST', '/api/admin/purge', {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.adminKey}` },
      body: JSON.stringify({ id: (await read())[0]._id }),
    })
    expect(await read()).toHaveLength(29)
  })

  it('to HEAD has the headers of that to GET', async () => {
    const [head, get] = [await ask('/api/v1/requests', 'gzip', 'HEAD'), await ask('/api/v1/requests', 'gzip')]
    for (const name of ['content-encoding', 'content-length', 'vary'])
      expect(head.headers[name]).toBe(get.headers[name])
    expect(head.bytes).toHaveLength(0)
  })

  it('that is short, or an error, is not compressed', async () => {
    for (const path of ['/healthz', '/api/v1/usage', '/api/v1/nothing']) {
      const { encoding, headers } = await ask(path, 'br, gzip')
      expect([encoding, headers.vary]).toEqual(['identity', 'Accept-Encoding'])
    }
  })

  it.each(['/api/v1/requests/export', '/api/v1/requests/export?format=csv', 'events'])(
    'that is a stream stays a stream, uncompressed: %s',
    async (path) => {
      const answer = await ask(path === 'events' ? `/api/v1/scrape/${jobId}/events` : path, 'br, gzip')
      expect([answer.statusCode, answer.encoding, answer.headers['transfer-encoding']]).toEqual([
        200,
        'identity',
        'chunked',
      ])
      expect(answer.text).not.toBe('')
    },
  )

  it('with the progress of an expanded search is an uncompressed stream, and its JSON is compressed', async () => {
    const body = JSON.stringify({ query: 'dark mode', expand: true, platforms: ['github'] })
    expect((await ask('/api/v1/requests/search', 'gzip', 'POST', body)).encoding).toBe('gzip')
    const stream = await request(`${service.url}/api/v1/requests/search`, {
      method: 'POST',
      dispatcher: agent,
      body,
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'accept-encoding': 'gzip',
      },
    })
    expect(stream.headers['content-encoding']).toBeUndefined()
    expect(await stream.body.text()).toContain('event: result')
  })
})
