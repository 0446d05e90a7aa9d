import { describe, expect, it } from 'vitest'
import { accessToken } from './platforms/bluesky-token.ts'
import type { SimulatedPlatformName } from './platforms/index.ts'
import { ask, askBare, movableClock, simulate } from './testing.ts'

const gitHubSearch = { q: 'dark mode', per_page: 1 }
const stackExchangeSearch = { q: 'dark mode', site: 'meta', pagesize: 1 }

describe('the limit of GitHub', () => {
  it('refuses the eleventh anonymous search of a minute until the announced second', async () => {
    const clock = movableClock()
    const simulator = await simulate({ limits: 'real', clock })
    const url = `${simulator.urls.github}/search/issues`
    for (let remaining = 9; remaining >= 0; remaining -= 1) {
      const { headers } = await ask(url, gitHubSearch)
      expect(headers.get('x-ratelimit-remaining')).toBe(String(remaining))
    }
    const refused = await ask(url, gitHubSearch)
    expect(refused.status).toBe(403)
    expect(refused.headers.get('x-ratelimit-resource')).toBe('search')
    expect(refused.headers.get('x-ratelimit-used')).toBe('10')
    expect(simulator.breachLog.map((breach) => breach.rule)).toEqual(['wait_not_kept'])
    clock.forward(Number(refused.headers.get('x-ratelimit-reset')) * 1_000 - clock.now().getTime())
    expect((await ask(url, gitHubSearch)).status).toBe(200)
    expect(simulator.breaches).toBe(1)
  })

  it('is three times as high with a token, and counted apart', async () => {
    const simulator = await simulate({ limits: 'real', clock: movableClock() })
    const url = `${simulator.urls.github}/search/issues`
    const authorized = await ask(url, gitHubSearch, { authorization: 'Bearer t' })
    expect(authorized.headers.get('x-ratelimit-limit')).toBe('30')
    expect((await ask(url, gitHubSearch)).headers.get('x-ratelimit-remaining')).toBe('9')
  })

  it('can be shortened, replaced and left out', async () => {
    const clock = movableClock()
    const simulator = await simulate({ limits: { github: { limit: 1, windowMs: 20_000 } }, timeScale: 10, clock })
    const url = `${simulator.urls.github}/search/issues`
    await ask(url, gitHubSearch)
    expect((await ask(url, gitHubSearch)).status).toBe(403)
    clock.forward(2_000)
    expect((await ask(url, gitHubSearch)).status).toBe(200)
    for (let call = 0; call < 40; call += 1) {
      expect((await ask(`${simulator.urls.stackexchange}/search/advanced`, stackExchangeSearch)).status).toBe(200)
    }
  })
})

describe('the limit of Stack Exchange', () => {
  it('counts down a quota and then refuses with HTTP 400 and a number of seconds', async () => {
    const clock = movableClock()
    const simulator = await simulate({ limits: { stackexchange: { limit: 2, windowMs: 86_400_000 } }, clock })
    const url = `${simulator.urls.stackexchange}/search/advanced`
    expect((await ask(url, stackExchangeSearch)).body).toMatchObject({ quota_max: 2, quota_remaining: 1 })
    expect((await ask(url, stackExchangeSearch)).body.quota_remaining).toBe(0)
    const refused = await ask(url, stackExchangeSearch)
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ error_id: 502, error_name: 'throttle_violation' })
    expect(refused.body.error_message).toContain('more requests available in 86400 seconds')
    expect(simulator.breaches).toBe(1)
  })

  it('forgives one question, an hour later, after the end of a quota that no answer has named', async () => {
    const clock = movableClock()
    const simulator = await simulate({ limits: { stackexchange: { limit: 1, windowMs: 86_400_000 } }, clock })
    const url = `${simulator.urls.stackexchange}/search/advanced`
    await ask(url, stackExchangeSearch)
    clock.forward(3_600_000)
    expect((await ask(url, stackExchangeSearch)).body.error_name).toBe('throttle_violation')
    expect(simulator.breaches).toBe(0)
    clock.forward(3_600_000)
    await ask(url, stackExchangeSearch)
    expect(simulator.breaches).toBe(1)
  })

  it('has a quota of 300 a day, or 10,000 with a key', async () => {
    const simulator = await simulate({ limits: 'real', clock: movableClock() })
    const url = `${simulator.urls.stackexchange}/search/advanced`
    expect((await ask(url, stackExchangeSearch)).body.quota_remaining).toBe(299)
    expect((await ask(url, { ...stackExchangeSearch, key: 'k' })).body.quota_remaining).toBe(9_999)
  })

  it('locks out who asks more than thirty times in a second', async () => {
    const clock = movableClock()
    const simulator = await simulate({ limits: 'real', clock })
    const url = `${simulator.urls.stackexchange}/search/advanced`
    for (let call = 0; call < 30; call += 1) expect((await ask(url, stackExchangeSearch)).status).toBe(200)
    expect((await ask(url, stackExchangeSearch)).body.error_name).toBe('throttle_violation')
    expect(simulator.breachLog.map((breach) => breach.rule)).toEqual(['burst'])
    clock.forward(30_000)
    expect((await ask(url, stackExchangeSearch)).status).toBe(200)
  })

  it('wants a backoff in a body to be kept', async () => {
    const clock = movableClock()
    const simulator = await simulate({ clock })
    const url = `${simulator.urls.stackexchange}/search/advanced`
    simulator.setFault('stackexchange', 'backoff', { seconds: 10 })
    const asked = await ask(url, stackExchangeSearch)
    expect(asked.status).toBe(200)
    expect(asked.body).toMatchObject({ backoff: 10, has_more: true })
    expect((await ask(url, stackExchangeSearch)).body.error_name).toBe('throttle_violation')
    expect(simulator.breaches).toBe(1)
    clock.forward(10_000)
    expect((await ask(url, stackExchangeSearch)).status).toBe(200)
    expect(simulator.breaches).toBe(1)
  })
})

describe('a refusal on demand', () => {
  it.each([
    ['rate_limit', { 'x-ratelimit-remaining': '0', 'retry-after': null }],
    ['secondary_rate_limit', { 'x-ratelimit-remaining': '999999', 'retry-after': '60' }],
    ['silent_rate_limit', { 'x-ratelimit-remaining': '999999', 'retry-after': null }],
  ] as const)('by GitHub, %s, is to be waited out', async (fault, headers) => {
    const clock = movableClock()
    const simulator = await simulate({ clock })
    const url = `${simulator.urls.github}/search/issues`
    simulator.setFault('github', fault)
    const refused = await ask(url, gitHubSearch)
    expect(refused.status).toBe(403)
    for (const [name, value] of Object.entries(headers)) expect(refused.headers.get(name)).toBe(value)
    clock.forward(60_000)
    expect((await ask(url, gitHubSearch)).status).toBe(200)
    expect(simulator.breaches).toBe(0)
  })

  it('by Hacker News names a time only when the test says which', async () => {
    const clock = movableClock()
    const simulator = await simulate({ clock })
    const url = `${simulator.urls.hackernews}/search`
    simulator.setFault('hackernews', 'rate_limit')
    simulator.setFault('hackernews', 'rate_limit', { seconds: 7 })
    const silent = await ask(url, { query: 'dark mode' })
    expect([silent.status, silent.headers.get('retry-after')]).toEqual([429, null])
    clock.forward(1_000)
    expect((await ask(url, { query: 'dark mode' })).headers.get('retry-after')).toBe('7')
    clock.forward(3_000)
    expect((await ask(url, { query: 'dark mode' })).headers.get('retry-after')).toBe('4')
    expect(simulator.breaches).toBe(1)
    simulator.clearFaults('hackernews')
    expect((await ask(url, { query: 'dark mode' })).status).toBe(200)
  })
})

describe('the real limit of', () => {
  const minuteMs = 60_000
  const bearer = { authorization: 'Bearer t' }

  it.each<[SimulatedPlatformName, string, number, number, number, Record<string, string>?]>([
    ['discourse', '/harbour/search.json?q=dark', 15, minuteMs, 429],
    ['lemmy', '/orchard/api/v3/search?q=dark', 60, 10 * minuteMs, 400],
    ['gitlab', '/projects/quillbox%2Fdesk/issues?search=dark', 10, minuteMs, 429],
    ['gitlab', '/projects/quillbox%2Fdesk/issues?search=dark', 30, minuteMs, 429, { 'private-token': 't' }],
    ['x', '/tweets/search/recent?query=dark', 450, 15 * minuteMs, 429, bearer],
    ['youtube', '/search?q=dark&part=snippet&key=k', 100, 8 * 60 * minuteMs, 403],
  ])('%s at %s is %i in %i ms', async (platform, path, limit, windowMs, status, headers = {}) => {
    const clock = movableClock()
    const simulator = await simulate({ limits: 'real', clock, size: 1 })
    const url = simulator.urls[platform] + path
    const call = async () => (await askBare(url, { 'user-agent': 'simulator-test', ...headers })).status
    for (let calls = 0; calls < limit; calls += 1) expect(await call()).toBe(200)
    clock.forward(windowMs - 2_000)
    expect(await call()).toBe(status)
    clock.forward(windowMs)
    expect(await call()).toBe(200)
  })

  it('Bluesky is 3,000 searches, and 30 sessions apart from them', async () => {
    const clock = movableClock()
    const { urls } = await simulate({ limits: 'real', clock })
    const body = JSON.stringify({ identifier: 'a.bsky.social', password: 'p' })
    const headers = { 'user-agent': 'simulator-test', 'content-type': 'application/json' }
    const url = `${urls.bluesky}/com.atproto.server.createSession`
    const sessions = []
    for (let calls = 0; calls < 31; calls += 1)
      sessions.push((await fetch(url, { method: 'POST', headers, body })).status)
    expect(sessions).toEqual([...Array(30).fill(200), 429])
    const token = { authorization: `Bearer ${accessToken('p', clock.now().getTime())}` }
    const search = await ask(`${urls.bluesky}/app.bsky.feed.searchPosts`, { q: 'dark' }, token)
    expect(search.headers.get('ratelimit-remaining')).toBe('2999')
  })

  it('Reddit is 1,000 in ten minutes, told as a float and as seconds', async () => {
    const clock = movableClock()
    const { urls, environment } = await simulate({ limits: 'real', clock })
    const { REDDIT_TOKEN_URL, REDDIT_CLIENT_ID, REDDIT_CLIENT_SECRET } = environment
    const basic = Buffer.from(`${REDDIT_CLIENT_ID}:${REDDIT_CLIENT_SECRET}`).toString('base64')
    const headers = { 'user-agent': 'simulator-test', authorization: `Basic ${basic}` }
    const granted = await fetch(REDDIT_TOKEN_URL!, { method: 'POST', headers, body: 'grant_type=client_credentials' })
    const { access_token: token } = (await granted.json()) as { access_token: string }
    clock.forward(2_000)
    const search = await ask(`${urls.reddit}/search`, { q: 'dark' }, { authorization: `Bearer ${token}` })
    const told = ['used', 'remaining', 'reset'].map((name) => search.headers.get(`x-ratelimit-${name}`))
    expect(told).toEqual(['1', '999.0', '600'])
  })
})
