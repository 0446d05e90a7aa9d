import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { PlatformSimulator, SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'

interface Post {
  kind: string
  data: Record<string, unknown>
}
interface Listing {
  kind: string
  data: { after: string | null; children: Post[] }
}
type Fetched<Body> = { status: number; headers: Headers; text: string; body: Body }

const agent = { 'user-agent': 'simulator-test' }

async function get<Body = Listing>(url: string, init: RequestInit = {}): Promise<Fetched<Body>> {
  const response = await fetch(url, { ...init, headers: { ...agent, ...init.headers } })
  const text = await response.text()
  const body = text.startsWith('<') ? null : JSON.parse(text)
  return { status: response.status, headers: response.headers, text, body }
}

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

function askToken(simulator: PlatformSimulator, secret?: string, body = 'grant_type=client_credentials') {
  const { REDDIT_TOKEN_URL, REDDIT_CLIENT_ID, REDDIT_CLIENT_SECRET } = simulator.environment
  const authorization = basic(REDDIT_CLIENT_ID!, secret ?? REDDIT_CLIENT_SECRET!)
  return get<Record<string, unknown>>(REDDIT_TOKEN_URL!, { method: 'POST', body, headers: { authorization } })
}

async function setUp(options: SimulatorOptions = {}) {
  const simulator = await simulate(options)
  const { body } = await askToken(simulator)
  const headers = { authorization: `Bearer ${body.access_token}` }
  const search = (parameters: Record<string, string>) =>
    get(`${simulator.urls.reddit}/search?${new URLSearchParams({ q: 'dark mode', raw_json: '1', ...parameters })}`, {
      headers,
    })
  return { simulator, search, headers }
}

describe('the token of Reddit', () => {
  it('is given for the credentials of an application, and is no search', async () => {
    const { simulator, search } = await setUp({ limits: { reddit: { limit: 1, windowMs: 60_000 } } })
    expect((await askToken(simulator)).body).toMatchObject({ token_type: 'bearer', expires_in: 86_400, scope: '*' })
    expect((await search({})).status).toBe(200)
  })

  it('is refused for a secret that is not known, with a 200 for another grant, and with 401 without credentials', async () => {
    const { simulator } = await setUp({ validTokens: ['simulated-secret'] })
    expect(await askToken(simulator, 'other')).toMatchObject({ status: 401, body: { error: 401 } })
    const grant = await askToken(simulator, undefined, 'grant_type=password')
    expect(grant).toMatchObject({ status: 200, body: { error: 'unsupported_grant_type' } })
    expect((await get(simulator.environment.REDDIT_TOKEN_URL!, { method: 'POST' })).status).toBe(401)
  })

  it('opens the search until it expires', async () => {
    const clock = movableClock()
    const { simulator, search } = await setUp({ clock, validTokens: ['simulated-secret'] })
    expect((await search({})).status).toBe(200)
    clock.forward(86_400_000)
    expect(await search({})).toMatchObject({ status: 401, body: { message: 'Unauthorized', error: 401 } })
    const url = `${simulator.urls.reddit}/search?q=dark`
    expect((await get(url, { headers: { authorization: 'Bearer made-up' } })).status).toBe(401)
  })

  it('can be refused by a fault that is set for page 0', async () => {
    const { simulator } = await setUp()
    simulator.setFault('reddit', 'unauthorized', { fromPage: 0 })
    expect((await askToken(simulator)).status).toBe(401)
    expect((await askToken(simulator)).status).toBe(200)
  })
})

it('shows a page of HTML to anonymous callers', async () => {
  const { simulator } = await setUp()
  const blocked = await get(`${simulator.urls.reddit}/search?q=dark`)
  expect(blocked.status).toBe(403)
  expect(blocked.text).toContain('<title>Blocked</title>')
})

describe('a listing of Reddit', () => {
  const names = (listing: Listing) => listing.data.children.map(({ data }) => String(data.name))

  async function all(options: SimulatorOptions, parameters: Record<string, string>): Promise<string[]> {
    const { search } = await setUp(options)
    const found: string[] = []
    let after: string | null = null
    do {
      const { body }: Fetched<Listing> = await search({ ...parameters, ...(after ? { after } : {}) })
      found.push(...names(body))
      after = body.data.after
    } while (after)
    return found
  }

  it.each(['25', '100'])('gives each post once, %s at a time', async (limit) => {
    const found = await all({}, { limit })
    expect(new Set(found).size).toBe(250)
    expect(found).toHaveLength(250)
  })

  it('ends after a thousand', async () => {
    expect(await all({ size: 1_200 }, { limit: '100' })).toHaveLength(1_000)
  })

  it('is capped at 100 posts, 25 unless asked, and has nothing after what is not in it', async () => {
    const { search } = await setUp()
    expect((await search({})).body.data.children).toHaveLength(25)
    expect((await search({ limit: '500' })).body.data.children).toHaveLength(100)
    expect((await search({ after: 't3_none' })).body.data).toMatchObject({ children: [], after: null })
  })

  it('is narrowed by flairs and phrases, grouped by OR', async () => {
    const { search } = await setUp()
    const flairs = async (q: string) =>
      (await search({ q, limit: '100' })).body.data.children.map(({ data }) => data.link_flair_text)
    const one = await flairs('"dark" "mode" flair:"feature request"')
    expect([...new Set(one)]).toEqual(['feature request'])
    const wishes = ['feature request', 'I wish', 'would be nice if', 'please add'].map((phrase) => `"${phrase}"`)
    const every = `"dark" "mode" (flair:"feature request" OR ${wishes.join(' OR ')})`
    expect(new Set(await flairs(every)).size).toBeGreaterThan(3)
  })

  it('still has posts that were removed, and accounts that were deleted', async () => {
    const { search } = await setUp()
    const posts = (await search({ limit: '100' })).body.data.children.map(({ data }) => data)
    expect(posts.some((post) => post.selftext === '[removed]' && post.removed_by_category === 'moderator')).toBe(true)
    expect(posts.some((post) => post.author === '[deleted]')).toBe(true)
    expect(posts.every((post) => !Number.isInteger(post.created_utc))).toBe(true)
  })

  it('escapes texts unless they are asked for raw', async () => {
    const { search } = await setUp()
    const titles = async (raw_json: string) => (await search({ limit: '100', raw_json })).text
    expect(await titles('0')).toContain('&lt;b&gt;\\"R&amp;D')
    expect(await titles('1')).toContain('<b>\\"R&D')
  })
})

describe('the limit of Reddit', () => {
  it('is 1,000 in ten minutes, told as a float and as seconds', async () => {
    const clock = movableClock()
    const { search } = await setUp({ limits: 'real', clock })
    await search({})
    clock.forward(2_000)
    const { headers } = await search({})
    expect(Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-ratelimit')))).toEqual({
      'x-ratelimit-used': '2',
      'x-ratelimit-remaining': '998.0',
      'x-ratelimit-reset': '598',
    })
  })

  it.each([
    ['rate_limit', { 'x-ratelimit-remaining': '0.0', 'x-ratelimit-reset': '60', 'retry-after': null }, '{'],
    ['secondary_rate_limit', { 'x-ratelimit-remaining': null, 'retry-after': '60' }, '<'],
    ['silent_rate_limit', { 'x-ratelimit-remaining': null, 'retry-after': null }, '{'],
  ] as const)('is refused by a 429 of its own form: %s', async (fault, told, start) => {
    const { simulator, search } = await setUp({ clock: movableClock() })
    simulator.setFault('reddit', fault)
    const { status, headers, text } = await search({})
    expect([status, text.startsWith(start)]).toEqual([429, true])
    for (const [name, value] of Object.entries(told)) expect(headers.get(name)).toBe(value)
  })
})

const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url))
const recordings = `${shared}/recorded/reddit/`
const isAbsent = !existsSync(recordings)
if (isAbsent) console.log(`Skipped: no recordings of Reddit in ${recordings}`)

describe.skipIf(isAbsent)('the simulator says all that is in the recording of', () => {
  const recorded = (file: string) => JSON.parse(readFileSync(recordings + file, 'utf8'))

  it('a search', async () => {
    const real: Listing = recorded('search-2020-with-after.json')
    const { search } = await setUp()
    const { body } = await search({ limit: '100' })
    expect(Object.keys(real.data).filter((name) => !(name in body.data))).toEqual([])
    // What only posts with a picture or a video have, and medals, which are no more.
    const isAside = (name: string) => /^(preview|media_metadata|url_overridden_by_dest|thumbnail_)/.test(name)
    const have = new Set(body.data.children.flatMap(({ data }) => Object.keys(data)))
    const names = real.data.children.flatMap(({ data }) => Object.keys(data))
    expect(names.filter((name) => !have.has(name) && !isAside(name))).toEqual([])
  })

  it('a token and each error', async () => {
    const { simulator, search } = await setUp()
    const token = recorded('oauth-token-client-credentials.json')
    expect(Object.keys((await askToken(simulator)).body).sort()).toEqual(Object.keys(token).sort())
    simulator.setFault('reddit', 'silent_rate_limit')
    expect((await search({})).body).toEqual(recorded('error-429-json.json'))
    const grant = await askToken(simulator, undefined, 'grant_type=authorization_code')
    expect(Object.keys(grant.body)).toEqual(Object.keys(recorded('oauth-error-invalid-grant.json')))
  })
})
