import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isPresent } from '../platforms/adapters/recordings.ts'
import type { SimulatorOptions } from './simulator.ts'
import { ask, movableClock, simulate } from './testing.ts'

interface View {
  post: Record<string, unknown>
  creator: Record<string, unknown>
  counts?: Record<string, unknown>
}

async function search(
  parameters: Record<string, string | number> = {},
  instance = 'orchard',
  options: SimulatorOptions = {},
) {
  const simulator = await simulate(options)
  const url = `${simulator.urls.lemmy}/${instance}/api/v3/search`
  const { status, body } = await ask(url, { q: 'dark mode', type_: 'Posts', limit: 50, ...parameters })
  return { simulator, url, status, body, posts: (body.posts ?? []) as unknown as View[] }
}

const idsOf = (posts: View[]) => posts.map(({ post }) => String(post.ap_id))

describe('the form of Lemmy', () => {
  it('differs by version: times without a zone, and counts in the post', async () => {
    const [old, current] = [await search({}, 'pebble'), await search()]
    const { simulator } = current
    const list = { search_term: 'dark mode', type_: 'all', limit: 50 }
    const { body } = await ask(`${simulator.urls.lemmy}/thicket/api/v4/post/list`, list)
    const next = { posts: body.posts as View[] }
    expect(old.posts[0]!.post.published).toMatch(/\d{6}$/)
    expect(current.posts[0]!.post.published).toMatch(/\d{6}Z$/)
    expect(current.posts[0]!.counts).toHaveProperty('score')
    expect(next.posts[0]!.post).toHaveProperty('score')
    expect(next.posts[0]!.post).toHaveProperty('published_at')
    expect(next.posts[0]!.creator).toHaveProperty('ap_id')
  })

  it.each([
    ['feature request dark mode', true],
    ['Dark MODE', true],
    ['mode dark', false],
    ['"dark mode"', false],
    ['dark mode feature request', false],
  ])('is one pattern over title or body: "%s" is found: %s', async (q, isFound) => {
    const records = { lemmy: [{ title: 'Feature request', body: 'A feature that I request: a dark theme and mode.' }] }
    const posts = (await search({ q }, 'orchard', { records })).posts
    expect(posts.length > 0).toBe(isFound)
  })

  it('may lack a body and a display name', async () => {
    const { simulator, url } = await search()
    const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => ask(url, { q: 'dark mode', limit: 50, page })))
    const posts = pages.flatMap(({ body }) => body.posts as View[])
    expect(posts.some(({ post }) => !('body' in post))).toBe(true)
    expect(posts.some(({ creator }) => !('display_name' in creator))).toBe(true)
    const expected = simulator.expectedRecords('lemmy', 'dark mode', { q: 'dark mode', instance: 'orchard' })
    expect(idsOf(posts).sort()).toEqual(expected.map(({ sourceId }) => sourceId).sort())
    expect(posts).toHaveLength(250)
  })

  it.skipIf(!isPresent)('has all that is in the recording', async () => {
    const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url))
    const real = JSON.parse(readFileSync(`${shared}/recorded/lemmy/post-view-2023.json`, 'utf8')) as Record<
      string,
      object
    >
    const [ours] = (await search()).posts as unknown as Array<Record<string, object>>
    for (const [name, value] of Object.entries(real)) {
      const missing = typeof value === 'object' ? Object.keys(value).filter((key) => !(key in ours![name]!)) : []
      expect([name, name in ours!, missing]).toEqual([name, true, []])
    }
  })
})

describe('Lemmy 1.0', () => {
  const page = async (parameters: Record<string, string | number>) => {
    const simulator = await simulate({})
    const { body } = await ask(`${simulator.urls.lemmy}/thicket/api/v4/post/list`, {
      search_term: 'dark mode',
      ...parameters,
    })
    return body
  }

  it('says its version where version 4 of the API is on', async () => {
    const { lemmy } = (await simulate({})).urls
    const { status, body } = await ask(`${lemmy}/thicket/api/v4/site`, {})
    expect([status, body.version]).toEqual([200, '1.0.0'])
    expect((await fetch(`${lemmy}/orchard/api/v4/site`)).status).toBe(404)
    expect((await fetch(`${lemmy}/bramble/api/v4/site`)).status).toBe(404)
  })

  it('pages by a cursor, and lists only local posts unless all are wanted', async () => {
    const first = await page({ type_: 'all', limit: 50 })
    expect([(first.posts as View[]).length, first.next_page]).toEqual([50, 'P2'])
    const last = await page({ type_: 'all', limit: 50, page_cursor: 'P5' })
    expect([(last.posts as View[]).length, last.next_page]).toEqual([50, null])
    expect((await page({ limit: 50 })).posts).toEqual([])
  })

  it.each(['thicket', 'bramble'])(
    'answers version 3 on %s with the same mixed page, whatever is wanted',
    async (name) => {
      const [one, two] = [await search({}, name), await search({ page: 2, sort: 'New' }, name)]
      expect(one.posts.length).toBeLessThanOrEqual(20)
      expect(one.body).toMatchObject({ communities: [{}], comments: [{}] })
      expect(idsOf(two.posts)).toEqual(idsOf(one.posts))
      expect(one.posts[0]).toHaveProperty('counts')
    },
  )
})

describe('paging on Lemmy', () => {
  it('has no total: pages get short and then empty', async () => {
    const size = 120
    expect((await search({ page: 3 }, 'orchard', { size })).posts).toHaveLength(20)
    expect((await search({ page: 4 }, 'orchard', { size })).posts).toEqual([])
  })

  it('defaults to ten, and refuses more than fifty', async () => {
    expect((await search({ limit: '' })).posts).toHaveLength(10)
    const refused = await search({ limit: 51 })
    expect([refused.status, refused.body]).toEqual([400, { error: 'couldnt_get_posts' }])
  })
})

describe('Lemmy refuses', () => {
  it('the sixty-first search of ten minutes, for each instance apart, and does not say for how long', async () => {
    const clock = movableClock()
    const { simulator, url } = await search({}, 'orchard', { limits: 'real', clock, size: 1 })
    for (let call = 1; call < 60; call += 1) expect((await ask(url, { q: 'dark' })).status).toBe(200)
    const refused = await ask(url, { q: 'dark' })
    expect([refused.status, refused.body]).toEqual([400, { error: 'rate_limit_error' }])
    expect(refused.headers.get('retry-after')).toBeNull()
    expect((await ask(url.replace('orchard', 'pebble'), { q: 'dark' })).status).toBe(200)
    expect(simulator.breaches).toBe(0)
    await ask(url, { q: 'dark' })
    expect(simulator.breaches).toBe(1)
    clock.forward(600_000)
    expect((await ask(url, { q: 'dark' })).status).toBe(200)
  })

  it('with 429 and a time when a fault names one', async () => {
    const { simulator, url } = await search({}, 'orchard', { clock: movableClock() })
    simulator.setFault('lemmy', 'rate_limit', { seconds: 9 })
    const refused = await ask(url, { q: 'dark' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '9'])
  })

  it('a token that it does not know, and an instance that is none', async () => {
    const { simulator, url } = await search({}, 'orchard', { validTokens: ['good'] })
    expect((await ask(url, { q: 'dark' }, { authorization: 'Bearer bad' })).body).toEqual({
      error: 'instance_is_private',
    })
    expect((await ask(url, { q: 'dark' }, { authorization: 'Bearer good' })).status).toBe(200)
    expect((await fetch(`${simulator.urls.lemmy}/nosuch/api/v3/search?q=dark`)).status).toBe(404)
  })
})
