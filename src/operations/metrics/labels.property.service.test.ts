import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { platformErrorCodes } from '../../database/column-types.ts'
import { errorCatalogue } from '../../http/errors.ts'
import { type Platform, PlatformError } from '../../platforms/platform.ts'
import { platformNames } from '../../platforms/registry.ts'
import { platformStates } from '../../platforms/status.ts'
import { version } from '../../runtime/version.ts'
import { catalogue, type Label, type SeriesName } from './catalogue.ts'
import { parseExposition, type Sample } from './testing.ts'

// Holds (Monitoring): no label holds foreign input, an account or an address, and every series is in the catalogue

// Takes seconds: a run calls dozens of routes, and reads all metrics.

// Whatever callers and platforms send, no label holds any of it: the values of every label are a closed set of the code.

const seed = Number(process.env.TEST_SEED ?? Date.now())
const runs = campaignSize('METRICS_RUNS', { quick: 15, nightly: 300 })

const platforms = new Map<PlatformName, Platform>()
let service: TestService
let operations: string[]
beforeAll(async () => {
  service = await startTestService({ platforms })
  const { paths } = (await service.client.get('/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  operations = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
})
afterAll(() => service.stop())

const statusCode = /^[1-5]\d\d$/
/** Each label with all that it may hold. */
const allowed = (): Record<Label, readonly string[] | RegExp> => ({
  operation: [...operations, 'readMetrics', 'other'],
  status: statusCode,
  platform: platformNames,
  outcome: ['ok', 'none', 'waiting', 'other', ...platformErrorCodes, ...Object.keys(errorCatalogue)],
  state: ['pending', 'running', 'waiting', ...platformStates],
  engine: ['bm25', 'tsvector', 'opensearch'],
  step: ['search', 'totals', 'rank', 'candidates'],
  source: ['cache', 'database'],
  queue: ['jobs', 'live'],
  movement: ['reserved', 'settled', 'released', 'granted'],
  balance: ['held', 'payg_held', 'payg_balance'],
  index: ['opensearch'],
  maintenance_job: /^[a-zA-Z]{4,30}$/,
  collector: ['jobs', 'credits', 'backlogs', 'size', 'platforms', 'outbox'],
  version: [version],
  backend: ['embedded', 'postgres'],
  role: ['all', 'api', 'worker'],
  kind: ['resident', 'heap', 'external', 'buffers'],
})

/** The series of the catalogue that a sample is of. */
function seriesOf(name: string): SeriesName | undefined {
  const base = name.replace(/_(bucket|count|sum)$/, '')
  if (base in catalogue && catalogue[base as SeriesName].kind === 'histogram') return base as SeriesName
  return name in catalogue ? (name as SeriesName) : undefined
}

function check({ name, labels }: Sample): void {
  const series = seriesOf(name)
  expect(series, `${name} is in the catalogue`).toBeDefined()
  const { le, ...own } = labels
  if (name.endsWith('_bucket')) expect(le).toMatch(/^(\+Inf|[\d.]+)$/)
  expect(Object.keys(own).sort(), name).toEqual([...catalogue[series!].labels].sort())
  for (const [label, value] of Object.entries(own)) {
    const values = allowed()[label as Label]
    if (values instanceof RegExp) expect(value, `${name} ${label}`).toMatch(values)
    else expect(values, `${name} ${label}`).toContain(value)
  }
}

/** What a caller could send to see it again. */
const marker = 'zqxhostile'
const hostile = fc
  .oneof(fc.string({ maxLength: 60 }), fc.webUrl(), fc.constantFrom('"} 1\n', '{a="b"}', '\\', '../..', '%00'))
  .map((text) => `${marker}${text}`)

const call = fc.record({
  do: fc.constantFrom('search', 'list', 'topic', 'scrape', 'path', 'header', 'method', 'key', 'expand'),
  text: hostile,
})

async function send({ do: what, text }: { do: string; text: string }): Promise<unknown> {
  const { client } = service
  const encoded = encodeURIComponent(text)
  switch (what) {
    case 'search':
      return client.search(text)
    case 'list':
      return client.get(`/api/v1/requests?topic=${encoded}&${encoded}=1`)
    case 'topic':
      return client.get(`/api/v1/topics/${encoded}`)
    case 'scrape': {
      const { body } = await client.scrape({ topic: text.slice(0, 100), platforms: ['github', 'hackernews'], depth: 1 })
      return body.data && client.waitForJob(body.data.jobId)
    }
    case 'expand':
      return client.search(text.slice(0, 100), { expand: true, platforms: ['github'] })
    case 'path':
      return client.get(`/${encoded}?x=${encoded}`)
    case 'header':
      return client.send('GET', '/api/v1/requests', {
        headers: { 'x-request-id': marker, 'user-agent': marker, host: `${marker}.example` },
      })
    case 'method':
      return client.send('PROPFIND', `/api/v1/${encoded}`)
    default:
      return service.clientFor(`${marker}-${encoded}`).get('/metrics')
  }
}

it('no label holds what a caller or a platform sent, and no series is unknown', { timeout: 300_000 }, async () => {
  console.log(`labels of metrics: seed ${seed}, ${runs} runs`)
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), hostile, async (made, text) => {
      platforms.set(
        'github',
        scriptedPlatform('github', () => ({
          requests: [
            foundRequest(text, {
              title: text,
              tags: [text.slice(0, 50)],
              authorName: text,
              sourceUrl: `https://${marker}.example/`,
            }),
          ],
          nextCursor: null,
        })),
      )
      platforms.set(
        'hackernews',
        scriptedPlatform('hackernews', () => {
          throw made.length % 2 === 0 ? new PlatformError('unavailable', text) : new Error(text)
        }),
      )
      await Promise.all(made.map((one) => send(one).catch(() => {})))
      const answer = await service.clientFor(service.adminKey).get('/metrics')
      expect(answer.text).not.toContain(marker)
      expect(answer.text).not.toContain('overflow')
      for (const sample of parseExposition(answer.text)) check(sample)
      const { rows } = { rows: await service.database.selectFrom('accounts').select('id').execute() }
      for (const { id } of rows) expect(answer.text).not.toContain(id)
    }),
    { numRuns: runs, seed },
  )
})
