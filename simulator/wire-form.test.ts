import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ask, askBare, simulate, type Wire } from './testing.ts'

describe('GitHub', () => {
  const search = async (q: string, options: Parameters<typeof simulate>[0] = {}) => {
    const simulator = await simulate(options)
    return ask(`${simulator.urls.github}/search/issues`, { q, per_page: 100 })
  }

  it('mixes pull requests among issues unless the search says otherwise', async () => {
    const isPullRequest = (item: Record<string, unknown>): boolean => 'pull_request' in item
    expect((await search('dark mode')).body.items.some(isPullRequest)).toBe(true)
    expect((await search('dark mode is:issue')).body.items.some(isPullRequest)).toBe(false)
    expect((await search('dark mode is:pr')).body.items.every(isPullRequest)).toBe(true)
    expect((await search('dark mode is:issue', { leakPullRequests: true })).body.items.some(isPullRequest)).toBe(true)
  })

  it('has null bodies, ghost users, NUL and lone surrogates in its items', async () => {
    const { items } = (await search('dark mode')).body
    expect(items.some((item) => item.body === null)).toBe(true)
    expect(items.some((item) => item.user === null)).toBe(true)
    expect(items.some((item) => String(item.body).includes('\u0000'))).toBe(true)
    expect(items.some((item) => !String(item.body).isWellFormed())).toBe(true)
  })

  it('never takes a Link header to mean a next page', async () => {
    const { headers } = await search('dark mode', { size: 3 })
    expect(headers.get('link')).toContain('rel="deprecation"')
    expect(headers.get('link')).not.toContain('rel="next"')
  })

  it('refuses what its search box refuses', async () => {
    expect((await search('')).body).toMatchObject({ message: 'Validation Failed' })
    expect((await search(`${'long '.repeat(60)}is:issue`)).status).toBe(422)
    expect((await search('a OR b OR c OR d OR e OR f OR g')).status).toBe(422)
  })

  it('answers plain text without a User-Agent and 401 to a token that it does not know', async () => {
    const simulator = await simulate({ validTokens: ['good'] })
    const url = `${simulator.urls.github}/search/issues`
    const refused = await askBare(`${url}?q=dark`)
    expect(refused.status).toBe(403)
    expect(() => JSON.parse(refused.body.toString())).toThrow()
    expect(simulator.breachLog.map((breach) => breach.rule)).toEqual(['no_user_agent'])
    expect((await ask(url, { q: 'dark' }, { authorization: 'Bearer bad' })).status).toBe(401)
    expect((await ask(url, { q: 'dark' }, { authorization: 'Bearer good' })).status).toBe(200)
    expect((await ask(url, { q: 'dark' })).status).toBe(200)
  })

  it('compresses only for a client that accepts it', async () => {
    const simulator = await simulate()
    const url = `${simulator.urls.github}/search/issues?q=dark+mode`
    const plain = await askBare(url, { 'user-agent': 'bare' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    const zipped = await askBare(url, { 'user-agent': 'bare', 'accept-encoding': 'gzip' })
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(zipped.body).toString())).toEqual(JSON.parse(plain.body.toString()))
  })
})

describe('Hacker News', () => {
  const search = async (parameters: Record<string, string | number>) => {
    const simulator = await simulate()
    return ask(`${simulator.urls.hackernews}/api/v1/search`, { query: 'dark mode', hitsPerPage: 100, ...parameters })
  }

  it('has comments without title, points and url, and stories with a link or a text', async () => {
    const { hits } = (await search({})).body
    const comments = hits.filter((hit) => 'comment_text' in hit)
    expect(comments.length).toBeGreaterThan(20)
    expect(comments.some((hit) => 'title' in hit || 'points' in hit || 'url' in hit)).toBe(false)
    expect(hits.some((hit) => 'url' in hit && !('story_text' in hit))).toBe(true)
    expect(hits.some((hit) => 'story_text' in hit && !('url' in hit))).toBe(true)
    expect(JSON.stringify(comments)).toContain('<em>dark</em> <em>mode</em>')
  })

  it('filters by tags and by creation, and refuses to filter by points', async () => {
    const everyTag = (body: Wire, tag: string) => body.hits.every((hit) => (hit._tags as string[]).includes(tag))
    const asked = (await search({ tags: 'story,(ask_hn,show_hn)' })).body
    expect(asked.hits.length).toBeGreaterThan(10)
    expect(everyTag(asked, 'ask_hn')).toBe(true)
    const since = Date.UTC(2025, 0, 1) / 1_000
    const recent = (await search({ numericFilters: `created_at_i>${since}` })).body
    expect(recent.hits.length).toBeGreaterThan(10)
    expect(recent.hits.every((hit) => Number(hit.created_at_i) > since)).toBe(true)
    const refused = await search({ numericFilters: 'points>2' })
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ code: 400, message: expect.stringContaining('numeric attribute(points)') })
  })

  it('writes text as HTML with its own entities', async () => {
    const text = JSON.stringify((await search({})).body.hits)
    expect(text).toContain('&#x27;')
    expect(text).toContain('&lt;script&gt;')
    expect(text).toContain('<p>')
  })
})

describe('Stack Exchange', () => {
  const search = async (parameters: Record<string, string | number>) => {
    const simulator = await simulate()
    return ask(`${simulator.urls.stackexchange}/2.3/search/advanced`, { q: 'dark mode', pagesize: 100, ...parameters })
  }

  it('is always compressed', async () => {
    const simulator = await simulate()
    const bare = await askBare(`${simulator.urls.stackexchange}/search/advanced?q=dark&site=meta`, {
      'user-agent': 'bare',
    })
    expect(bare.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(bare.body).toString())).toHaveProperty('quota_remaining')
  })

  it('gives a body only when the filter asks for it', async () => {
    expect((await search({ site: 'meta' })).body.items.some((item) => 'body' in item)).toBe(false)
    const { items } = (await search({ site: 'meta', filter: 'withbody' })).body
    expect(items.every((item) => typeof item.body === 'string')).toBe(true)
  })

  it('escapes titles and names, and has owners that no longer exist', async () => {
    const { items } = (await search({ site: 'meta' })).body
    const text = JSON.stringify(items)
    expect(text).toContain('&lt;b&gt;&quot;R&amp;D&#39;s&quot;&lt;/b&gt; &amp;amp; more')
    expect(text).toContain('O&#39;Fallow')
    expect(items.some((item) => (item.owner as { user_type: string }).user_type === 'does_not_exist')).toBe(true)
  })

  it('holds other questions on another site', async () => {
    const ids = async (site: string) => (await search({ site })).body.items.map((item) => item.question_id)
    const onMeta = await ids('meta')
    expect((await ids('softwarerecs')).some((id) => onMeta.includes(id))).toBe(false)
  })

  it.each([
    [{}, 'site is required'],
    [{ site: 'nosuchsite' }, 'No site found for name `nosuchsite`'],
    [{ site: 'meta', sort: 'best' }, 'sort'],
    [{ site: 'meta', page: 0 }, 'page'],
    [{ site: 'meta', filter: 'withbodies' }, 'Invalid filter specified'],
  ])('refuses %j with HTTP 400', async (parameters: Record<string, string | number>, message) => {
    const { status, body } = await search(parameters)
    expect(status).toBe(400)
    expect(body).toEqual({ error_id: 400, error_message: message, error_name: 'bad_parameter' })
  })
})
