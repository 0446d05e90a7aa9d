import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'

interface Found {
  data: Record<string, unknown>[]
  includes: { users: Record<string, unknown>[] }
  errors: Record<string, unknown>[]
  meta: { result_count: number; next_token?: string }
}

const everything = {
  'tweet.fields': 'author_id,created_at,entities,note_tweet,public_metrics,referenced_tweets',
  expansions: 'author_id',
  'user.fields': 'name,username,protected',
}

async function setUp(options: SimulatorOptions = {}, authorization: string | null = 'Bearer simulated-bearer') {
  const simulator = await simulate(options)
  const headers = { 'user-agent': 'simulator-test', ...(authorization === null ? {} : { authorization }) }
  const search = async (parameters: Record<string, string>) => {
    const query = new URLSearchParams({ query: 'dark mode', max_results: '100', ...parameters })
    const response = await fetch(`${simulator.urls.x}/2/tweets/search/recent?${query}`, { headers })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Found }
  }
  return { simulator, search }
}

async function all(options: SimulatorOptions, parameters: Record<string, string>): Promise<Record<string, unknown>[]> {
  const { search } = await setUp(options)
  const found: Record<string, unknown>[] = []
  let token: string | undefined
  do {
    const { body } = await search({ ...parameters, ...(token ? { next_token: token } : {}) })
    found.push(...body.data)
    token = body.meta.next_token
  } while (token)
  return found
}

describe('a search on X', () => {
  it.each(['10', '100'])('gives each post once, newest first, %s at a time', async (max_results) => {
    const posts = await all({}, { max_results, 'tweet.fields': 'created_at' })
    expect(new Set(posts.map(({ id }) => id)).size).toBe(250)
    const dates = posts.map((post) => String(post.created_at))
    expect(dates).toEqual(dates.toSorted().reverse())
  })

  it('has retweets unless the query says otherwise, or they are let through', async () => {
    const retweets = async (options: SimulatorOptions, query: string) => {
      const posts = await all(options, { query, 'tweet.fields': 'referenced_tweets' })
      return posts.filter((post) => 'referenced_tweets' in post && String(post.text).startsWith('RT @')).length
    }
    expect(await retweets({}, 'dark mode')).toBe(13)
    expect(await retweets({}, 'dark mode -is:retweet')).toBe(0)
    expect(await retweets({ leakPullRequests: true }, 'dark mode -is:retweet')).toBe(13)
  })

  it('has no data at all where nothing matches', async () => {
    const { search } = await setUp({ records: { x: [] } })
    expect((await search({})).body).toEqual({ meta: { result_count: 0 } })
  })

  it('gives only an id, a text and the history of edits unasked', async () => {
    const { search } = await setUp()
    const { body } = await search({})
    expect(Object.keys(body.data[0]!).sort()).toEqual(['edit_history_tweet_ids', 'id', 'text'])
    expect(body.includes).toBeUndefined()
  })

  it('cuts long posts, whose whole text is in a note, and escapes three characters', async () => {
    const { search } = await setUp()
    const { data } = (await search(everything)).body
    const long = data.filter((post) => 'note_tweet' in post)
    expect(long.length).toBeGreaterThan(5)
    expect(long.every(({ text }) => /… https:\/\/t\.co\/\w+$/.test(String(text)))).toBe(true)
    expect(data.some(({ text }) => String(text).includes('&lt;high&gt;'))).toBe(true)
    expect(data.every(({ text }) => !/&(?!amp;|lt;|gt;)/.test(String(text)))).toBe(true)
  })

  it('leaves out users who are suspended, and says so beside the data', async () => {
    const { search } = await setUp()
    const { data, includes, errors } = (await search(everything)).body
    const users = new Set(includes.users.map(({ id }) => id))
    const missing = data.map((post) => post.author_id).filter((id) => !users.has(id))
    expect(missing.length).toBeGreaterThan(0)
    expect(errors.map(({ resource_id: id }) => id)).toEqual(missing)
  })

  it.each([
    ['query', { query: `dark ${'long '.repeat(110)}` }],
    ['query', { query: '-is:retweet' }],
    ['query', { query: 'dark "mode' }],
    ['max_results', { max_results: '9' }],
    ['max_results', { max_results: '101' }],
    ['next_token', { next_token: 'made-up' }],
    ['tweet.fields', { 'tweet.fields': 'likes' }],
    ['user.fields', { 'user.fields': 'handle' }],
    ['expansions', { expansions: 'author' }],
  ])('refuses a wrong %s with a problem: %j', async (parameter, parameters: Record<string, string>) => {
    const { search } = await setUp()
    const { status, body } = await search(parameters)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      title: 'Invalid Request',
      errors: [{ parameters: { [parameter]: [expect.any(String)] } }],
    })
  })

  it('needs a token that is known', async () => {
    const unauthorized = { title: 'Unauthorized', detail: 'Unauthorized', type: 'about:blank', status: 401 }
    const options = { validTokens: ['simulated-bearer'] }
    expect((await (await setUp(options, null)).search({})).body).toEqual(unauthorized)
    expect(await (await setUp(options, 'Bearer other')).search({})).toMatchObject({ status: 401, body: unauthorized })
    expect((await (await setUp(options)).search({})).status).toBe(200)
  })
})

describe('the limit of X', () => {
  it('is 450 in 15 minutes, told in seconds since 1970', async () => {
    const clock = movableClock()
    const { search } = await setUp({ limits: 'real', clock })
    const { headers } = await search({})
    expect(headers.get('x-rate-limit-limit')).toBe('450')
    expect(headers.get('x-rate-limit-remaining')).toBe('449')
    expect(headers.get('x-rate-limit-reset')).toBe(String(clock.now().getTime() / 1_000 + 900))
  })

  it.each([
    ['rate_limit', { 'x-rate-limit-remaining': '0', 'retry-after': null }],
    ['secondary_rate_limit', { 'x-rate-limit-remaining': null, 'retry-after': '60' }],
    ['silent_rate_limit', { 'x-rate-limit-remaining': null, 'retry-after': null }],
  ] as const)('is refused by a 429 of its own form: %s', async (fault, told) => {
    const { simulator, search } = await setUp({ clock: movableClock() })
    simulator.setFault('x', fault)
    const { status, headers, body } = await search({})
    expect([status, body]).toMatchObject([429, { title: 'Too Many Requests' }])
    for (const [name, value] of Object.entries(told)) expect(headers.get(name)).toBe(value)
  })
})

const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url))
const recordings = `${shared}/recorded/x/`
const isAbsent = !existsSync(recordings)
if (isAbsent) console.log(`Skipped: no recordings of X in ${recordings}`)

describe.skipIf(isAbsent)('the simulator says all that is in the recording of', () => {
  const recorded = (file: string) => JSON.parse(readFileSync(recordings + file, 'utf8'))

  it('a search', async () => {
    const real: Found = recorded('docs-example-recent-expansions.json')
    const { search } = await setUp()
    const { body } = await search({ ...everything, 'user.fields': 'name,username,verified' })
    const missing = (real: object, ours: object) => Object.keys(real).filter((name) => !(name in ours))
    expect(missing(real, body)).toEqual([])
    expect(missing(real.data[0]!, body.data[0]!)).toEqual([])
    expect(missing(real.data[0]!.public_metrics!, body.data[0]!.public_metrics!)).toEqual([])
    expect(missing(real.includes.users[0]!, body.includes.users[0]!)).toEqual([])
    expect(missing(real.meta, body.meta)).toEqual([])
  })

  it('an empty search and each error', async () => {
    const { search } = await setUp({ records: { x: [] } })
    expect((await search({})).body).toEqual(recorded('search-all-2021-empty.json'))
    const anonymous = await setUp({}, null)
    expect((await anonymous.search({})).body).toEqual(recorded('error-401.json'))
  })
})
