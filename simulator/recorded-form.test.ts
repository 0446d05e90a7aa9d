import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { accessToken } from './platforms/bluesky-token.ts'
import type { SimulatedPlatformName } from './platforms/index.ts'
import type { SimulatorOptions } from './simulator.ts'
import { ask, askBare, movableClock, simulate, type Wire } from './testing.ts'

/** Recordings of the real platforms lie beside the project, never in it. */
const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../shared', import.meta.url))
const recordings = `${shared}/recorded/`
const isAbsent = !existsSync(recordings)
if (isAbsent) console.log(`Skipped: no recordings of the real platforms in ${recordings}`)

function recorded(file: string): Wire {
  return JSON.parse(readFileSync(`${recordings}${file}`, 'utf8')) as Wire
}

/** Every path to a value, lists merged, so that two bodies can be compared by what they contain. */
function paths(value: unknown, prefix = ''): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set([prefix])
  const entries = Array.isArray(value)
    ? value.map((item) => [`${prefix}[]`, item] as const)
    : Object.entries(value).map(([name, inner]) => [`${prefix}.${name}`, inner] as const)
  return new Set([prefix, ...entries.flatMap(([name, inner]) => [...paths(inner, name)])])
}

async function answered(
  platform: SimulatedPlatformName,
  path: string,
  query: object = {},
  { headers = {}, ...options }: SimulatorOptions & { headers?: Record<string, string> } = {},
) {
  const simulator = await simulate(options)
  return ask(simulator.urls[platform] + path, query as Record<string, string>, headers)
}

const simulated = async (...rest: Parameters<typeof answered>): Promise<Wire> => (await answered(...rest)).body

/** The names of headers that a recording has, of those that the pattern names. */
function recordedHeaders(file: string, pattern: RegExp): [name: string, value: string][] {
  const { headers } = recorded(file) as unknown as { headers: Record<string, string> }
  return Object.entries(headers).filter(([name]) => pattern.test(name))
}

function missing(real: unknown, ours: unknown, but: readonly string[] = []): string[] {
  const have = paths(ours)
  return [...paths(real)].filter((path) => !have.has(path) && !but.some((prefix) => path.startsWith(prefix)))
}

describe.skipIf(isAbsent)('the simulator says all that is in the recording of', () => {
  it.each(['search-issues-2022.json', 'search-issues-2020-p1.json'])('GitHub in %s', async (file) => {
    const ours = await simulated('github', '/search/issues', { q: 'dark mode', per_page: 100 })
    // Milestones and assignees say nothing about a wish.
    const but = ['.items[].milestone', '.items[].assignee']
    expect(missing(recorded(`github/${file}`), ours, but)).toEqual([])
  })

  it('a Hacker News story', async () => {
    const ours = await simulated('hackernews', '/search', { query: 'dark mode', hitsPerPage: 100 })
    expect(missing(recorded('hackernews/search-story-2024.json'), ours, ['.processingTimingsMS'])).toEqual([])
  })

  it('a Hacker News comment', async () => {
    const real = recorded('hackernews/search-by-date-comments-2023.json').hits[0]!
    const { hits } = await simulated('hackernews', '/search', { query: 'dark mode', tags: 'comment', hitsPerPage: 100 })
    // Newer bodies leave out what older ones sent as null; the serial number is the recorder's.
    const spoken = Object.entries(real).filter(([name, value]) => value !== null && name !== 'serial_number')
    const [hit] = hits.filter((candidate) => 'comment_text' in candidate)
    expect(missing(Object.fromEntries(spoken), hit)).toEqual([])
  })

  it('a Stack Exchange question', async () => {
    const real = recorded('stackexchange/questions-by-id-v23-2022.json')
    const ours = await simulated('stackexchange', '/search/advanced', { q: 'dark mode', site: 'meta', pagesize: '100' })
    const but = ['.items[].accepted_answer_id', '.items[].last_edit_date', '.items[].owner.accept_rate']
    expect(missing(real, ours, but)).toEqual([])
  })

  it('each error', async () => {
    const deep = await simulated('github', '/search/issues', { q: 'dark', per_page: 100, page: 11 })
    expect(deep).toEqual(recorded('github/error-422-only-first-1000.json'))
    const numeric = await simulated('hackernews', '/search', { query: 'dark', numericFilters: 'points>2' })
    expect(numeric).toEqual(recorded('hackernews/error-400-numeric-attribute-2026.json'))
    const simulator = await simulate()
    simulator.setFault('stackexchange', 'rate_limit', { seconds: 67_194 })
    const { body } = await ask(`${simulator.urls.stackexchange}/search/advanced`, { q: 'dark', site: 'meta' })
    const throttled = recorded('stackexchange/error-400-throttle-violation.json')
    const wording = String(body.error_message).replace(/\d+/, '67194')
    expect({ ...body, error_message: wording }).toEqual(throttled)
  })

  it('a search on Discourse', async () => {
    const ours = await simulated('discourse', '/harbour/search.json', { q: 'dark mode in:first' })
    expect(missing(recorded('discourse/search-meta-2022.json'), ours)).toEqual([])
  })

  it('the issues of GitLab, with the headers of their pages', async () => {
    const path = '/projects/quillbox%2Fdesk/issues'
    const { body, headers } = await answered('gitlab', path, { search: 'dark mode', per_page: 100 })
    // Who is to do the work says nothing about a wish.
    expect(missing(recorded('gitlab/issues-p1.json'), body, ['[].assignee'])).toEqual([])
    const ofPages = /^(x-(next|prev|page|per|total)|ratelimit|link)/i
    const names = recordedHeaders('gitlab/merge-request-notes.headers.json', ofPages).map(([name]) => name)
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !headers.has(name))).toEqual([])
  })

  it('a post of Lemmy', async () => {
    const { posts } = await simulated('lemmy', '/orchard/api/v3/search', { q: 'dark mode', type_: 'Posts', limit: 50 })
    expect(missing(recorded('lemmy/post-view-2023.json'), (posts as object[])[0])).toEqual([])
  })

  it('a search on Bluesky, with its limit', async () => {
    const clock = movableClock()
    const headers = { authorization: `Bearer ${accessToken('p', clock.now().getTime())}` }
    const options = { limits: 'real', clock, headers } as const
    const query = { q: 'dark mode', limit: 100 }
    const ours = await answered('bluesky', '/app.bsky.feed.searchPosts', query, options)
    // Pictures, quotes and labels are of many kinds; the adapter reads none of the first two.
    const aside = /embed\.|labels\[\]|\.uri$|reply.*\$type$/
    const absent = missing(recorded('bluesky/search-posts-2025.json'), ours.body)
    expect(absent.filter((path) => !aside.test(path))).toEqual([])
    const told = recordedHeaders('bluesky/search-posts-2025.headers.json', /^ratelimit/i)
    expect(told.filter(([name]) => !ours.headers.has(name))).toEqual([])
    expect(ours.headers.get('ratelimit-policy')).toBe(Object.fromEntries(told)['RateLimit-Policy'])
  })

  it('a search on Reddit and its token', async () => {
    const simulator = await simulate()
    const { REDDIT_TOKEN_URL, REDDIT_CLIENT_ID, REDDIT_CLIENT_SECRET } = simulator.environment
    const basic = Buffer.from(`${REDDIT_CLIENT_ID}:${REDDIT_CLIENT_SECRET}`).toString('base64')
    const headers = { 'user-agent': 'simulator-test', authorization: `Basic ${basic}` }
    const body = 'grant_type=client_credentials'
    const token = (await (await fetch(REDDIT_TOKEN_URL!, { method: 'POST', headers, body })).json()) as Wire
    expect(missing(recorded('reddit/oauth-token-client-credentials.json'), token)).toEqual([])
    const bearer = { authorization: `Bearer ${token.access_token}` }
    const ours = await ask(`${simulator.urls.reddit}/search`, { q: 'dark mode', limit: 100, raw_json: 1 }, bearer)
    // What only posts with a picture or a video have, and medals, which are no more.
    const namesOf = ({ data }: Wire) => {
      const { children, ...list } = data as { children: { data: object }[] }
      return [...Object.keys(list), ...children.flatMap((post) => Object.keys(post.data))]
    }
    const isAside = (name: string) => /^(preview|media_metadata|url_overridden_by_dest|thumbnail_)/.test(name)
    const have = new Set(namesOf(ours.body))
    const names = namesOf(recorded('reddit/search-2020-with-after.json'))
    expect(names.filter((name) => !have.has(name) && !isAside(name))).toEqual([])
  })

  it('a search on X, also an empty one', async () => {
    const headers = { authorization: 'Bearer t' }
    const query = {
      query: 'dark mode',
      max_results: 100,
      'tweet.fields': 'author_id,created_at,entities,note_tweet,public_metrics,referenced_tweets',
      expansions: 'author_id',
      'user.fields': 'name,username,verified',
    }
    const ours = await simulated('x', '/tweets/search/recent', query, { headers })
    const real = recorded('x/docs-example-recent-expansions.json')
    const parts = ({ data, includes, ...more }: Wire) => [
      Object.keys(more),
      Object.keys((data as object[])[0]!),
      Object.keys((data as { public_metrics: object }[])[0]!.public_metrics),
      Object.keys((includes as { users: object[] }).users[0]!),
    ]
    for (const [index, names] of parts(real).entries())
      expect(parts(ours)[index]).toEqual(expect.arrayContaining(names))
    const empty = await simulated('x', '/tweets/search/recent', query, { headers, records: { x: [] } })
    expect(empty).toEqual(recorded('x/search-all-2021-empty.json'))
  })

  it('a search and the comments of YouTube', async () => {
    const videos = await simulated('youtube', '/search', {
      q: 'dark mode',
      type: 'video',
      part: 'snippet',
      key: 'k',
      maxResults: 3,
    })
    expect(missing(recorded('youtube/search-p1.json'), videos)).toEqual([])
    const { videoId } = videos.items[0]!.id as { videoId: string }
    const query = { videoId, part: 'snippet', textFormat: 'plainText', key: 'k' }
    const threads = await simulated('youtube', '/commentThreads', query)
    expect(missing(recorded('youtube/comment-threads-p1.json'), threads)).toEqual([])
  })

  it.each<[SimulatedPlatformName, string, string, SimulatorOptions]>([
    ['gitlab', '/projects/nosuch%2Fproject/issues', 'gitlab/error-404-project.json', {}],
    ['x', '/tweets/search/recent', 'x/error-401.json', {}],
    ['reddit', '/search', 'reddit/error-429-json.json', {}],
    ['discourse', '/harbour/search.json', 'discourse/error-429-rate-limit.json', {}],
    ['bluesky', '/app.bsky.feed.searchPosts', 'bluesky/error-400-invalid-request.json', {}],
    [
      'youtube',
      '/search',
      'youtube/error-403-quota-exceeded.json',
      { limits: { youtube: { limit: 1, windowMs: 60_000 } } },
    ],
  ])('an error of %s at %s: %s', async (platform, path, file, options) => {
    const simulator = await simulate({ clock: movableClock(), ...options })
    const token = platform === 'bluesky' ? accessToken('p', movableClock().now().getTime()) : 't'
    const headers = platform === 'x' ? {} : { authorization: `Bearer ${token}` }
    const url = simulator.urls[platform] + path
    const query = { q: 'dark mode', query: 'dark mode', part: 'snippet', key: 'k', limit: 1000 }
    if (platform === 'youtube') await ask(url, query)
    if (platform === 'discourse') simulator.setFault('discourse', 'rate_limit', { seconds: 39 })
    if (platform === 'reddit') simulator.setFault('reddit', 'silent_rate_limit')
    const { body } = await ask(url, query, headers)
    // The link around a word was taken away in the recording.
    const plain = JSON.parse(JSON.stringify(body).replace(/<a [^>]*>|<\/a>/g, ''))
    if (platform === 'bluesky' || platform === 'discourse') expect(paths(plain)).toEqual(paths(recorded(file)))
    else expect(plain).toEqual(recorded(file))
  })

  it('the page that Reddit shows to anonymous callers', async () => {
    const { urls } = await simulate()
    const { status, body } = await askBare(`${urls.reddit}/search?q=dark`, { 'user-agent': 'simulator-test' })
    expect([status, body.toString().includes('<title>Blocked</title>')]).toEqual([403, true])
  })
})
