import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../test/campaign-size.ts'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'

// Holds (Search, lists and export): every search request gets a 200 or a 400

// More of them: SEARCH_FUZZ_RUNS=10000 SEARCH_FUZZ_SEED=1
const runs = campaignSize('SEARCH_FUZZ_RUNS', { quick: 100, nightly: 5_000 })
const seed = Number(process.env.SEARCH_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))

let service: TestService
beforeAll(async () => {
  const requests = Array.from({ length: 300 }, (_, number) =>
    foundRequest(`f${number}`, {
      title: `Dark mode ${number} for C++`,
      description: `node.js 検索機能 "quoted" user_id v2.${number}.1 ${'word '.repeat(number)}`,
    }),
  )
  const github = scriptedPlatform('github', () => ({ requests, nextCursor: null }))
  service = await startTestService({ platforms: new Map([['github', github]]) })
  const { body } = await service.client.scrape({ topic: 'fuzz', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId, 60_000)
})
afterAll(() => service.stop())

const pieces = fc.constantFrom(
  ...['dark', 'mode', 'the', 'C++', '.NET', 'node.js', '検索', 'ค้นหา', 'v2.1.1', 'user_id', 'camelCase', 'é', 'ß'],
  ...[
    '"',
    '-',
    '--',
    '-"',
    '“',
    '(',
    ')',
    '&',
    '|',
    '!',
    '<->',
    ':*',
    "'",
    "''",
    '\\',
    '%',
    '_',
    '$1',
    '{}',
    ';',
    '/*',
  ],
  ...[
    "'; drop table requests; --",
    '1=1',
    'to_tsquery',
    '\u0000',
    '\ud800',
    '\u202e',
    '\t',
    '\n',
    '\u0301',
    '🎉',
    '\ufdfa',
  ],
)
const query = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 500 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
  fc.array(pieces, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(' ')),
  fc.array(pieces, { minLength: 1, maxLength: 40 }).map((parts) => parts.join('')),
  fc.tuple(pieces, fc.integer({ min: 1, max: 700 })).map(([piece, times]) => piece.repeat(times)),
)
const options = fc.record(
  {
    prefix: fc.boolean(),
    highlight: fc.boolean(),
    sortBy: fc.constantFrom('relevance', 'votes', 'new'),
    offset: fc.integer({ min: 0, max: 99 }),
    limit: fc.integer({ min: 1, max: 100 }),
    filters: fc.record(
      {
        topic: fc.oneof(fc.constant('fuzz'), fc.string({ unit: 'binary', minLength: 2, maxLength: 20 })),
        tags: fc.array(
          fc.oneof(fc.constant('enhancement'), fc.string({ unit: 'binary', minLength: 1, maxLength: 5 })),
          {
            minLength: 1,
            maxLength: 3,
          },
        ),
        minVotes: fc.integer(),
        since: fc.oneof(
          fc
            .date({ noInvalidDate: true, min: new Date('0000-01-01'), max: new Date('9999-12-31') })
            .map((date) => date.toISOString()),
          fc.string(),
        ),
        until: fc.constantFrom('2026-01-01', '0000-01-01', '9999-12-31T23:59:59.999-23:59', 'x'),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)

it(`answers any search with 200 or 400 (seed ${seed}, ${runs} runs)`, {
  timeout: 60_000 + runs * 500,
}, async () => {
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(query, options, async (text, more) => {
      const { status, body } = await service.client.search(text, more)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect([200, 400], JSON.stringify(body)).toContain(status)
      if (status !== 200) return
      for (const { highlights = [] } of body.data.results) {
        for (const { text: snippet, ranges } of highlights) {
          let last = -1
          for (const [start, end] of ranges) {
            expect(start).toBeGreaterThan(last)
            expect(end).toBeGreaterThan(start)
            expect(end).toBeLessThanOrEqual(snippet.length)
            last = end - 1
          }
        }
      }
    }),
    { seed, numRuns: runs, endOnFailure: true },
  )
  console.log(`search fuzz: seed ${seed}, ${runs} runs`, Object.fromEntries(statuses))
  // Many of them must reach the search.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(runs / 10)
})
