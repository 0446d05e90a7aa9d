import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { foundRequest, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService } from '../../test/service.ts'
import { PlatformError } from '../platforms/platform.ts'

const marker = 'zqxhostile'

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
  status: { code?: number; message?: string }
}

/** A collector of OTLP traces as JSON. */
let collector: Server
let received: { path: string | undefined; headers: Record<string, unknown>; body: string }[] = []
beforeAll(async () => {
  collector = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      received.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts).toString() })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => collector.close(resolve)))

const platforms = platformMap(
  scriptedPlatform('github', () => ({ requests: [foundRequest(marker, { title: marker })], nextCursor: null })),
  scriptedPlatform('hackernews', () => {
    throw new PlatformError('blocked', `${marker} refused`)
  }),
)
const traced = (endpoint: string) =>
  startTestService({
    platforms,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20secret,x-other=b' },
  })

const spansOf = (body: string): Span[] =>
  (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans.flatMap(
    ({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans),
  )
const attributeOf = ({ attributes }: Span, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value
  return value?.stringValue ?? value?.intValue
}

it('traces have calls and the work below them, with codes but no text of a caller or a platform', async () => {
  received = []
  const { port } = collector.address() as AddressInfo
  const service = await traced(`http://127.0.0.1:${port}`)
  const { body } = await service.client.scrape({ topic: marker, platforms: ['github', 'hackernews'], depth: 1 })
  await service.client.waitForJob(body.data.jobId)
  const headers = {
    'content-type': 'application/json',
    'x-request-id': 'mine-1',
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  }
  await service.client.send('POST', '/api/v1/requests/search', { headers, body: JSON.stringify({ query: marker }) })
  await service.client.get(`/api/v1/topics/${marker}?${marker}=1`)
  await service.stop()

  expect(received.length).toBeGreaterThan(0)
  for (const { path, headers: sent, body: text } of received) {
    expect([path, sent['x-key'], sent['x-other']]).toEqual(['/v1/traces', 'a secret', 'b'])
    expect(text).not.toContain(marker)
    expect(text).not.toContain(service.apiKey)
  }
  const spans = received.flatMap((one) => spansOf(one.body))
  const named = (name: string) => spans.filter((span) => span.name === name)
  const [call] = named('searchRequests') as [Span]
  expect(attributeOf(call, 'http.response.status_code')).toBe(200)
  expect(attributeOf(call, 'request_id')).toBe('mine-1')
  expect([call.traceId === 'a'.repeat(32), call.parentSpanId]).toEqual([false, undefined])
  const searches = named('search')
  expect(searches.length).toBeGreaterThan(0)
  for (const span of searches) expect([span.traceId, span.parentSpanId]).toEqual([call.traceId, call.spanId])
  const pages = named('fetch page').map((span) => [
    attributeOf(span, 'platform'),
    attributeOf(span, 'outcome'),
    span.status.code ?? 0,
  ])
  expect(pages.sort()).toEqual([
    ['github', undefined, 0],
    ['hackernews', 'blocked', 2],
  ])
  expect(named('readTopic').map((span) => attributeOf(span, 'http.response.status_code'))).toEqual([400])
})

it('a collector that is away or silent changes no call, and delays the end of the service for some seconds at most', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  for (const endpoint of ['http://127.0.0.1:1', `http://127.0.0.1:${(silent.address() as AddressInfo).port}`]) {
    const service = await traced(endpoint)
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await service.client.search('maps')).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    const startedAt = performance.now()
    await service.stop()
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  }
  silent.closeAllConnections()
  await new Promise((resolve) => silent.close(resolve))
})
