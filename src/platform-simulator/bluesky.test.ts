import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isPresent } from '../platforms/adapters/recordings.ts'
import type { PlatformSimulator } from './simulator.ts'
import { ask, movableClock, simulate, type Wire } from './testing.ts'

type Post = { uri: string; author: Wire; record: Wire; likeCount: number }
type Posts = { posts: Post[]; cursor?: string }

const searchPath = '/xrpc/app.bsky.feed.searchPosts'
const bearer = { authorization: 'Bearer t' }

async function createSession({ urls }: PlatformSimulator, body: unknown) {
  const response = await fetch(`${urls.bluesky}/xrpc/com.atproto.server.createSession`, {
    method: 'POST',
    headers: { 'user-agent': 'simulator-test', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, string> }
}

async function search(parameters: Record<string, string | number> = {}, options: Parameters<typeof simulate>[0] = {}) {
  const simulator = await simulate(options)
  const url = simulator.urls.bluesky + searchPath
  const { body, ...answer } = await ask(url, { q: 'dark mode', limit: 100, ...parameters }, bearer)
  return { ...answer, body: body as unknown as Posts, error: body, simulator, url }
}

/** Every path to a value, lists merged. */
function paths(value: unknown, prefix = ''): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set([prefix])
  const entries = Array.isArray(value)
    ? value.map((item) => [`${prefix}[]`, item] as const)
    : Object.entries(value).map(([name, inner]) => [`${prefix}.${name}`, inner] as const)
  return new Set([prefix, ...entries.flatMap(([name, inner]) => [...paths(inner, name)])])
}

function recorded(name: string): unknown {
  const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url))
  return JSON.parse(readFileSync(`${shared}/recorded/bluesky/${name}`, 'utf8'))
}

describe('the form of Bluesky', () => {
  it('is short posts without titles, newest first, some of them replies, some without a valid handle', async () => {
    const { posts } = (await search({}, { size: 100 })).body
    expect(posts).toHaveLength(100)
    const dates = posts.map(({ record }) => String(record.createdAt))
    expect(dates).toEqual([...dates].sort().reverse())
    const texts = posts.map(({ record }) => String(record.text))
    expect(texts.every((text) => [...text].length <= 300 && text !== '')).toBe(true)
    expect(posts.some(({ record }) => 'reply' in record)).toBe(true)
    expect(posts.some(({ author }) => author.handle === 'handle.invalid' && !('displayName' in author))).toBe(true)
    expect(
      posts.every(({ uri }) => /^at:\/\/did:plc:[a-z2-7]{24}\/app\.bsky\.feed\.post\/[a-z2-7]{13}$/.test(uri)),
    ).toBe(true)
  })

  it('can be sorted by what people like', async () => {
    const likes = (await search({ sort: 'top' })).body.posts.map(({ likeCount }) => likeCount)
    expect(likes).toEqual([...likes].sort((a, b) => b - a))
  })

  it.skipIf(!isPresent)('has all that is in the recordings', async () => {
    const { body, headers, error } = await search({}, { limits: 'real' })
    const have = paths(body)
    // Pictures, quotes and labels are of many kinds; the adapter reads none of the first two.
    const missing = [...paths(recorded('search-posts-2025.json'))].filter(
      (name) => !have.has(name) && !/embed\.|labels\[\]|\.uri$|reply.*\$type$/.test(name),
    )
    expect(missing).toEqual([])
    const refused = await search({ limit: 1000 })
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.error)).toEqual(Object.keys(recorded('error-400-invalid-request.json') as object))
    const wire = recorded('search-posts-2025.headers.json') as { headers: Record<string, string> }
    const names = Object.keys(wire.headers).filter((name) => /^ratelimit/i.test(name))
    expect(names.map((name) => headers.get(name) !== null)).toEqual(names.map(() => true))
    expect(headers.get('ratelimit-policy')).toBe(wire.headers['RateLimit-Policy'])
    expect(error).not.toHaveProperty('error')
  })
})

describe('paging on Bluesky', () => {
  it.each([25, 100])('by cursor gives each record exactly once, %i at a time', async (limit) => {
    const simulator = await simulate()
    const uris: string[] = []
    let cursor: string | undefined = '0'
    while (cursor !== undefined) {
      const { body } = await ask(simulator.urls.bluesky + searchPath, { q: 'dark mode', limit, cursor }, bearer)
      const page = body as unknown as Posts
      uris.push(...page.posts.map(({ uri }) => uri))
      cursor = page.cursor
    }
    const expected = simulator.expectedRecords('bluesky', 'dark mode').map(({ sourceId }) => sourceId)
    expect(uris.sort()).toEqual(expected.sort())
    expect(new Set(uris).size).toBe(250)
  })

  it('ends after ten thousand', async () => {
    const { body, url } = await search({ cursor: '9900' }, { size: 10_050 })
    expect([body.posts.length, body.cursor]).toEqual([100, undefined])
    expect((await ask(url, { q: 'dark mode', cursor: '10000' }, bearer)).status).toBe(400)
  })

  it('defaults the size of a page and refuses more than a hundred', async () => {
    expect((await search({ limit: '' })).body.posts).toHaveLength(25)
    expect((await search({ limit: 101 })).error.error).toBe('InvalidRequest')
    expect((await search({ q: '' })).error.error).toBe('InvalidRequest')
  })
})

describe('a session of Bluesky', () => {
  const account = { identifier: 'a.bsky.social', password: 'good' }

  it('is given for an app password, lasts two hours, and is needed for a search', async () => {
    const clock = movableClock()
    const simulator = await simulate({ validTokens: ['good'], clock })
    const url = simulator.urls.bluesky + searchPath
    const anonymous = await ask(url, { q: 'dark' })
    expect([anonymous.status, anonymous.body.error]).toEqual([401, 'AuthMissing'])
    expect((await createSession(simulator, { ...account, password: 'bad' })).status).toBe(401)
    expect((await createSession(simulator, { identifier: 'a' })).status).toBe(401)
    const { body } = await createSession(simulator, account)
    const headers = { authorization: `Bearer ${body.accessJwt}` }
    expect((await ask(url, { q: 'dark' }, headers)).status).toBe(200)
    expect((await ask(url, { q: 'dark' }, bearer)).status).toBe(401)
    clock.forward(2 * 60 * 60 * 1_000)
    const expired = await ask(url, { q: 'dark' }, headers)
    expect([expired.status, expired.body.error]).toEqual([400, 'ExpiredToken'])
  })

  it('is far scarcer than a search, and counted apart', async () => {
    const simulator = await simulate({ limits: 'real', clock: movableClock() })
    for (let remaining = 29; remaining >= 0; remaining -= 1) {
      const { headers } = await createSession(simulator, account)
      expect(headers.get('ratelimit-remaining')).toBe(String(remaining))
    }
    expect((await createSession(simulator, account)).body.error).toBe('RateLimitExceeded')
    const { headers } = await ask(simulator.urls.bluesky + searchPath, { q: 'dark' }, bearer)
    expect(headers.get('ratelimit-remaining')).toBe('2999')
  })

  it('is spared by faults, which are for pages', async () => {
    const simulator = await simulate()
    simulator.setFault('bluesky', 'server_error')
    expect((await createSession(simulator, account)).status).toBe(200)
    expect((await ask(simulator.urls.bluesky + searchPath, { q: 'dark' }, bearer)).status).toBe(503)
  })
})

it('Bluesky answers other methods as one that it does not have', async () => {
  const simulator = await simulate()
  const { status, body } = await ask(`${simulator.urls.bluesky}/xrpc/app.bsky.feed.getLikes`, {}, bearer)
  expect([status, body.error]).toEqual([501, 'MethodNotImplemented'])
})
