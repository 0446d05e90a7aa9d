import { describe, expect, it } from 'vitest'
import { fetchPage, fetchPageOrNull, platformError, sendJson } from '../testing.ts'
import { nextPacificMidnight } from './call.ts'
import { answering, comments, found, refusal, setUp, thread } from './testing.ts'

describe('the quotas of YouTube', () => {
  it('are 100 searches a day until midnight in California, and other calls apart', async () => {
    const { youtube, received, clock } = await setUp(answering(['v1'], () => comments([])))
    for (let count = 0; count < 100; count++) {
      await fetchPage(youtube, `topic${count}`)
      clock.advance(1_000)
    }
    const error = await platformError(fetchPage(youtube, 'one more'), 'quota_exhausted')
    expect(error.retryAt).toBeNull()
    expect(error.message).toContain('6 May 2026, 07:00 UTC')
    await fetchPage(youtube, 'topic7')
    expect(received).toHaveLength(201)
    clock.advance(Date.parse('2026-05-06T07:00:00Z') - clock.now().getTime())
    await fetchPage(youtube, 'one more')
    expect(received).toHaveLength(203)
  })

  it.each([
    ['quotaExceeded', refusal(403, 'quotaExceeded', { domain: 'youtube.quota' })],
    ['dailyLimitExceeded', refusal(403, 'dailyLimitExceeded', { domain: 'usageLimits' })],
    [
      'a limit per day',
      refusal(429, 'rateLimitExceeded', {
        domain: 'global',
        status: 'RESOURCE_EXHAUSTED',
        message: "Quota exceeded for quota metric 'Search Queries' and limit 'Search Queries per day'.",
      }),
    ],
    [
      'a limit per day in its details',
      {
        status: 429,
        error: {
          code: 429,
          message: 'x',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ reason: 'RATE_LIMIT_EXCEEDED', metadata: { quota_limit: 'defaultSearchListPerDayPerProject' } }],
        },
      },
    ],
  ])('that are used up end the task until midnight: %s', async (_, { status, ...body }) => {
    const { youtube, received, clock } = await setUp((response) => sendJson(response, body, status))
    const error = await platformError(fetchPage(youtube), 'quota_exhausted')
    expect(error.retryAt).toBeNull()
    expect(error.message).not.toContain('secret-key')
    await platformError(fetchPage(youtube), 'quota_exhausted')
    expect(received).toHaveLength(1)
    clock.advance(Date.parse('2026-05-06T07:00:00Z') - clock.now().getTime())
    await platformError(fetchPage(youtube), 'quota_exhausted')
    expect(received).toHaveLength(2)
  })

  it('of searches that are spent leave the comments of known videos alone', async () => {
    let isSpent = false
    const { youtube } = await setUp((response, { path }) => {
      if (!path.endsWith('/search')) return sendJson(response, comments([]))
      const { status, ...body } = refusal(403, 'quotaExceeded', { domain: 'youtube.quota' })
      sendJson(response, isSpent ? body : found('v1'), isSpent ? status : 200)
    })
    await fetchPage(youtube, 'known')
    isSpent = true
    await platformError(fetchPage(youtube, 'other'), 'quota_exhausted')
    await fetchPage(youtube, 'known')
  })

  // Clocks in California went forward on 8 March 2026 and go back on 1 November 2026, both at two in the morning.
  it.each([
    ['in winter', '2026-01-15T12:00:00Z', '2026-01-16T08:00:00Z'],
    ['in summer', '2026-07-15T12:00:00Z', '2026-07-16T07:00:00Z'],
    ['just before it', '2026-07-16T06:59:59.999Z', '2026-07-16T07:00:00Z'],
    ['at it', '2026-07-16T07:00:00Z', '2026-07-17T07:00:00Z'],
    ['at the end of a year', '2026-12-31T20:00:00Z', '2027-01-01T08:00:00Z'],
    ['the night before clocks go forward', '2026-03-08T07:59:00Z', '2026-03-08T08:00:00Z'],
    ['before clocks go forward that day', '2026-03-08T09:00:00Z', '2026-03-09T07:00:00Z'],
    ['after clocks went forward that day', '2026-03-08T20:00:00Z', '2026-03-09T07:00:00Z'],
    ['the night before clocks go back', '2026-11-01T06:30:00Z', '2026-11-01T07:00:00Z'],
    ['in the first of the two hours at one', '2026-11-01T08:30:00Z', '2026-11-02T08:00:00Z'],
    ['in the second of the two hours at one', '2026-11-01T09:30:00Z', '2026-11-02T08:00:00Z'],
    ['after clocks went back that day', '2026-11-01T20:00:00Z', '2026-11-02T08:00:00Z'],
  ])('the next midnight in California is found %s', (_, now, midnight) => {
    expect(nextPacificMidnight(new Date(now))).toEqual(new Date(midnight))
  })
})

describe('an error of YouTube', () => {
  it.each([
    [refusal(403, 'rateLimitExceeded', { domain: 'youtube.quota' }), 'rate_limited'],
    [refusal(403, 'userRateLimitExceeded', { domain: 'usageLimits' }), 'rate_limited'],
    [refusal(429, 'rateLimitExceeded', { status: 'RESOURCE_EXHAUSTED' }), 'rate_limited'],
    [{ status: 429 }, 'rate_limited'],
    [refusal(400, 'keyInvalid', { domain: 'usageLimits', message: 'Bad Request' }), 'unauthorized'],
    [
      refusal(400, 'badRequest', {
        domain: 'global',
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
      }),
      'unauthorized',
    ],
    [
      refusal(400, 'badRequest', { domain: 'global', message: 'API key expired. Please renew the API key.' }),
      'unauthorized',
    ],
    [{ status: 400, error: { code: 400, message: 'x', details: [{ reason: 'API_KEY_INVALID' }] } }, 'unauthorized'],
    [refusal(401, 'authError', { domain: 'global' }), 'unauthorized'],
    [refusal(403, 'forbidden', { domain: 'global', status: 'PERMISSION_DENIED' }), 'unauthorized'],
    [refusal(403, 'accessNotConfigured', { domain: 'usageLimits' }), 'unauthorized'],
    [refusal(403, 'ipRefererBlocked', { domain: 'usageLimits' }), 'unauthorized'],
    [refusal(400, 'badRequest', { message: 'Bad Request' }), 'bad_response'],
    [refusal(404, 'notFound', { domain: 'global' }), 'bad_response'],
    [refusal(500, 'backendError', { domain: 'global' }), 'unavailable'],
    [{ status: 503 }, 'unavailable'],
    [{ status: 403 }, 'blocked'],
    [{ status: 200 }, 'bad_response'],
    [{ status: 200, items: 'x' }, 'bad_response'],
    [{ status: 200, error: { code: 403, errors: [{ reason: 'rateLimitExceeded' }] } }, 'rate_limited'],
    [{ status: 400, error: 'x' }, 'bad_response'],
    [{ status: 403, error: { errors: [null, 7, { reason: 5 }], details: 'x', status: 1 } }, 'unauthorized'],
  ] as const)('%j is %s in a search and in comments', async ({ status, ...body }, code) => {
    const inSearch = await setUp((response) => sendJson(response, body, status))
    const inComments = await setUp((response, { path }) =>
      path.endsWith('/search') ? sendJson(response, found('v1')) : sendJson(response, body, status),
    )
    for (const { youtube, clock } of [inSearch, inComments]) {
      const error = await platformError(fetchPage(youtube), code)
      expect(error.message).not.toMatch(/secret-key|dark/)
      if (code === 'unauthorized') expect(error.message).toContain('YOUTUBE_API_KEY')
      const waits = code === 'rate_limited' ? 60_000 : code === 'unavailable' ? 30_000 : null
      expect(error.retryAt?.getTime() ?? null).toBe(waits && clock.now().getTime() + waits)
    }
  })

  it('waits as long as the answer says', async () => {
    const { status, ...body } = refusal(429, 'rateLimitExceeded')
    const { youtube, clock } = await setUp((response) => sendJson(response, body, status, { 'retry-after': '7' }))
    const error = await platformError(fetchPage(youtube), 'rate_limited')
    expect(error.retryAt).toEqual(new Date(clock.now().getTime() + 7_000))
  })

  it('says to enable the API of the project', async () => {
    const { status, ...body } = refusal(403, 'accessNotConfigured', { domain: 'usageLimits' })
    const { youtube } = await setUp((response) => sendJson(response, body, status))
    expect((await platformError(fetchPage(youtube), 'unauthorized')).message).toContain(
      'Enable the YouTube Data API v3',
    )
  })

  it.each([
    [403, 'commentsDisabled'],
    [404, 'videoNotFound'],
    [403, 'forbidden'],
  ])('about one video, %i %s, ends that video only, without a page', async (status, reason) => {
    const { youtube, received } = await setUp(
      answering(['v1', 'v2'], ({ videoId }) => (videoId === 'v1' ? refusal(status, reason) : comments([thread('c')]))),
    )
    const { requests, nextCursor } = await fetchPage(youtube)
    expect(requests.map(({ sourceName }) => sourceName)).toEqual(['About v2'])
    expect(nextCursor).toMatchObject({ ended: ['v1'] })
    await fetchPage(youtube, 'dark mode', nextCursor)
    expect(received.slice(1).map(({ query }) => query.videoId)).toEqual(['v1', 'v2', 'v2'])
  })

  it('about every video is the end, not an error, and pauses no host', async () => {
    const ids = Array.from({ length: 9 }, (_, index) => `v${index}`)
    const { youtube, received } = await setUp(answering(ids, () => refusal(403, 'commentsDisabled')))
    expect(await fetchPageOrNull(youtube)).toBeNull()
    expect(await fetchPageOrNull(youtube)).toBeNull()
    expect(received).toHaveLength(10)
  })

  it('about more videos than the window allows is remembered while the other videos wait', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `v${index}`)
    const { youtube, received, clock } = await setUp(answering(ids, () => refusal(404, 'videoNotFound')))
    for (let count = 0; count < 2; count++) {
      await platformError(fetchPageOrNull(youtube), 'rate_limited')
      clock.advance(1_000)
    }
    expect(await fetchPageOrNull(youtube)).toBeNull()
    expect(received.slice(1).map(({ query }) => query.videoId)).toEqual(ids)
  })

  it('that is no list is passed over for one video, but not for one after the other', async () => {
    const ids = Array.from({ length: 9 }, (_, index) => `v${index}`)
    const one = await setUp(answering(ids, ({ videoId }) => (videoId === 'v0' ? {} : comments([]))))
    expect((await fetchPage(one.youtube)).nextCursor).toMatchObject({ ended: ['v0'] })
    const all = await setUp(answering(ids, () => ({})))
    await platformError(fetchPage(all.youtube), 'bad_response')
    expect(all.received).toHaveLength(4)
    const cursor = { turn: 0, next: {}, ended: [] }
    await platformError(fetchPageOrNull(all.youtube, { cursor }), 'bad_response')
  })
})
