import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isPresent } from '../platforms/adapters/recordings.ts'
import type { SimulatorOptions } from './simulator.ts'
import { ask, movableClock, simulate } from './testing.ts'

type Item = Record<string, unknown>
interface Body {
  posts?: Item[]
  topics?: Item[]
  grouped_search_result: Item
}

async function search(
  q: string,
  page: number | string = 1,
  { forum = 'harbour', ...options }: SimulatorOptions & { forum?: string } = {},
) {
  const simulator = await simulate(options)
  const url = `${simulator.urls.discourse}/${forum}/search.json`
  const { status, body, headers } = await ask(url, { q, page })
  return { simulator, url, status, headers, body: body as unknown as Body }
}

const idsOf = (body: Body) => (body.topics ?? []).map(({ id }) => String(id))

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
  return JSON.parse(readFileSync(`${shared}/recorded/discourse/${name}`, 'utf8'))
}

describe('the form of Discourse', () => {
  it('is 50 posts, with their topics in a list of their own', async () => {
    const { body } = await search('dark mode in:first', 1, { size: 50 })
    expect(body.posts).toHaveLength(50)
    expect(body.posts!.map(({ topic_id }) => String(topic_id))).toEqual(idsOf(body))
    expect(JSON.stringify(body.posts)).toContain('&lt;b&gt;')
    expect(body.posts!.some(({ name }) => name === '')).toBe(true)
  })

  it('has strings for tags, objects and votes on a new version, and no lists there when nothing was found', async () => {
    expect((await search('dark mode')).body.topics![0]!.tags).toContain('feature-request')
    const forum = 'quarry'
    const { body } = await search('dark mode', 1, { forum })
    expect(body.topics![0]).toMatchObject({ tags: [{ name: 'feature-request' }, {}], can_vote: true })
    const none = await search('dark mode #nosuchcategory', 1, { forum })
    expect([none.status, 'posts' in none.body, 'topics' in none.body]).toEqual([200, false, false])
  })

  it.each([
    ['dark mode feature request in:first', true],
    ['dark mode #feature-requests', true],
    ['dark mode category:13', true],
    ['dark mode tags:feature-request,idea', true],
    ['dark mode #nosuch', false],
    ['dark mode tags:nosuch', false],
    ['dark mode category:nosuch', false],
  ])('finds for "%s" something: %s', async (q, isFound) => {
    expect(idsOf((await search(q)).body).length > 0).toBe(isFound)
  })

  it('reads a filter also inside quotes', async () => {
    expect(idsOf((await search('dark mode "#nosuch"')).body)).toEqual([])
  })

  it('has records of its own on each forum', async () => {
    const here = new Set(idsOf((await search('dark mode')).body))
    expect(idsOf((await search('dark mode', 1, { forum: 'meadow' })).body).some((id) => here.has(id))).toBe(false)
  })

  it.skipIf(!isPresent)('has all that is in the recordings', async () => {
    const { body } = await search('dark mode in:first')
    const have = paths(body)
    expect([...paths(recorded('search-meta-2022.json'))].filter((name) => !have.has(name))).toEqual([])
    const { simulator, url } = await search('dark mode')
    simulator.setFault('discourse', 'rate_limit', { seconds: 39 })
    const { status, body: refused } = await ask(url, { q: 'dark mode' })
    expect(status).toBe(429)
    expect(paths(refused)).toEqual(paths(recorded('error-429-rate-limit.json')))
  })
})

describe('paging on Discourse', () => {
  it('by more_full_page_results gives each topic exactly once', async () => {
    const { simulator, url } = await search('dark mode')
    const ids: string[] = []
    for (let page = 1, more = true; more; page += 1) {
      const body = (await ask(url, { q: 'dark mode', page })).body as unknown as Body
      ids.push(...idsOf(body))
      more = body.grouped_search_result.more_full_page_results === true
    }
    const expected = simulator.expectedRecords('discourse', 'dark mode', { q: 'dark mode', forum: 'harbour' })
    expect(ids.sort()).toEqual(expected.map(({ sourceId }) => sourceId).sort())
    expect(ids).toHaveLength(250)
  })

  it('ends with page 10', async () => {
    const { body } = await search('dark mode', 10, { size: 700 })
    expect(body.grouped_search_result.more_full_page_results).toBe(true)
    expect((await search('dark mode', 11, { size: 700 })).status).toBe(400)
  })
})

describe('Discourse refuses', () => {
  it.each([
    ['AI', 1, 400],
    ['dark', 'x', 400],
    ['AI of', 1, 200],
  ])('%s on page %s with %i', async (q, page, status) => {
    const answer = await search(q, page)
    expect(answer.status).toBe(status)
    expect(status === 200 ? answer.body : (answer.body as unknown as Item).error_type).toBe(
      status === 200 ? null : 'invalid_parameters',
    )
  })

  it('what is no forum, and a key that it does not know', async () => {
    const { simulator, url } = await search('dark', 1, { validTokens: ['good'] })
    expect((await ask(`${simulator.urls.discourse}/nosuch/search.json`, { q: 'dark' })).status).toBe(404)
    expect((await ask(url, { q: 'dark' }, { 'api-key': 'bad' })).status).toBe(403)
    expect((await ask(url, { q: 'dark' }, { 'api-key': 'good' })).status).toBe(200)
  })

  it('the sixteenth search of a minute, for each forum apart, and says for how long', async () => {
    const clock = movableClock()
    clock.forward(300)
    const { simulator, url } = await search('dark', 1, { limits: 'real', clock })
    for (let call = 1; call < 15; call += 1) expect((await ask(url, { q: 'dark' })).status).toBe(200)
    clock.forward(20_000)
    const refused = await ask(url, { q: 'dark' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '40'])
    expect(refused.body.extras).toEqual({ wait_seconds: 40, time_left: '40 seconds' })
    expect((await ask(url.replace('harbour', 'meadow'), { q: 'dark' })).status).toBe(200)
    expect(simulator.breaches).toBe(0)
    await ask(url, { q: 'dark' })
    expect(simulator.breaches).toBe(1)
    clock.forward(40_000)
    expect((await ask(url, { q: 'dark' })).status).toBe(200)
  })

  it('in silence with an empty success', async () => {
    const { simulator, url } = await search('dark')
    simulator.setFault('discourse', 'silent_rate_limit')
    const { status, body } = await ask(url, { q: 'dark' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      posts: [],
      grouped_search_result: { error: expect.stringContaining('too many times') },
    })
  })
})
