import { describe, expect, it } from 'vitest'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'
import { failure, requestRecord, startFakeService } from './fake-service-testing.ts'
import { formatTopic, formatTopicPage } from './topics.ts'

const now = new Date('2026-04-02T00:00:00.000Z')
const summary = {
  topic: 'Dark \x1b[31mmode',
  requests: 1,
  votes: 2_345,
  maybeRequests: 0,
  growth: { days7: 3, days30: 12 },
  lastCollectedAt: '2026-04-01T00:00:00.000Z',
  tags: [{ tag: 'ui\x07', requests: 3 }],
}

describe('wishwell topics', () => {
  it('shows a topic a line, and nothing that a terminal would obey', () => {
    expect(formatTopic(summary, now)).toBe(
      '"Dark mode"  1 request · 2,345 votes · 12 new in 30 days · collected 1 day ago · ui',
    )
  })

  it('says how many more may be requests', () => {
    expect(formatTopic({ ...summary, maybeRequests: 8 }, now)).toContain('2,345 votes · 8 more may be · 12 new')
  })

  it('shows a topic with its platforms and wishes', () => {
    const page = {
      ...summary,
      platforms: [{ platform: 'github' as const, requests: 1, votes: 5, votesAre: 'reactions' }],
      breakdown: {
        statuses: [{ status: 'in_progress' as const, requests: 1, votes: 5 }],
        products: [{ product: 'acme/app', requests: 1, votes: 5 }],
        largest: { requestId: 'request-1', votes: 4, share: 0.8 },
        statusUnknown: { requests: 2, votes: 0 },
        counted: 3,
      },
      timeline: [],
      wishes: [
        {
          wishId: 'wish-1',
          request: requestRecord({ stars: 4 }),
          votes: 17,
          requests: 2,
          own: { asks: 12, votes: 40 },
          platforms: ['github' as const, 'lemmy' as const],
          product: 'acme/app',
          status: 'in_progress' as const,
          isTagOnly: false,
        },
        {
          wishId: 'wish-2',
          request: requestRecord({ title: 'x'.repeat(100) }),
          votes: 1,
          requests: 1,
          own: null,
          platforms: ['github' as const],
          product: null,
          status: null,
          isTagOnly: true,
        },
      ],
    }
    const lines = formatTopicPage(page, { now, columns: 107 })
    expect(lines.slice(1, 5)).toEqual([
      'On github 1 request, 5 votes (reactions)',
      'By status: in progress 1 request, 5 votes; unknown 2 requests, 0 votes',
      'By product: acme/app 1 request, 5 votes',
      'The largest request has 80 % of the votes.',
    ])
    expect(lines[7]).toBe(
      '     17  Dark mode, one with 4 of 5 stars, in progress, 2 requests on github, lemmy, own: 12 asks, 40 votes',
    )
    expect(lines.slice(8, 10)).toEqual(['', 'Only in tags or the name of the source:'])
    expect(lines[10]).toHaveLength(107)
  })

  it('sends the given options, and says how to get more', async () => {
    const data = { results: [{ ...summary, tags: [] }], hasMore: true, cursor: 'next' }
    const service = await startFakeService(() => ({ body: { data } }))
    const { exitCode, stdout } = await runCommand(
      ['topics', '--query', 'dark m', '--sort', 'votes', '--limit', '1'],
      service,
    )
    expect(exitCode).toBe(exitCodes.ok)
    expect(service.received[0]?.call).toBe('GET /api/v1/topics?query=dark%20m&limit=1&sortBy=votes')
    expect(stdout).toContain("More: wishwell topics --query 'dark m' --sort votes --limit 1 --cursor next\n")
  })

  it('ends with 1 for a topic that is not there', async () => {
    const service = await startFakeService(() => failure(404, 'NOT_FOUND', 'Topic not found.'))
    const { exitCode, stderr } = await runCommand(['topics', 'a/b'], service)
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toBe('wishwell: Topic not found: "a/b". "wishwell topics" shows what there is.\n')
    expect(service.received[0]?.call).toBe('GET /api/v1/topics/a%2Fb')
  })
})
