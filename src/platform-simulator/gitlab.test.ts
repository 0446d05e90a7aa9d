import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isPresent } from '../platforms/adapters/recordings.ts'
import { ask, askBare, movableClock, nextLink, simulate } from './testing.ts'

type Issue = Record<string, unknown>

const path = '/api/v4/projects/quillbox%2Fdesk/issues'

async function search(parameters: Record<string, string | number> = {}, options: Parameters<typeof simulate>[0] = {}) {
  const simulator = await simulate(options)
  const url = simulator.urls.gitlab + path
  const answer = await ask(url, { search: 'dark mode', per_page: 100, ...parameters })
  return { ...answer, issues: answer.body as unknown as Issue[], simulator, url }
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
  return JSON.parse(readFileSync(`${shared}/recorded/gitlab/${name}`, 'utf8'))
}

describe('the form of GitLab', () => {
  it('is a bare list of open issues, newest first, with null bodies and traps in its texts', async () => {
    const { issues } = await search()
    expect(issues).toHaveLength(100)
    const dates = issues.map(({ created_at }) => String(created_at))
    expect(dates).toEqual([...dates].sort().reverse())
    const all = [...issues, ...(await search({ page: 2 })).issues, ...(await search({ page: 3 })).issues]
    expect(all.some(({ description }) => description === null)).toBe(true)
    expect(all.some(({ description }) => String(description).includes('\u0000'))).toBe(true)
    expect(all.some(({ author }) => (author as Issue).username === 'ghost')).toBe(true)
  })

  it('narrows by every label, not by any', async () => {
    const count = async (labels: string) => Number((await search({ labels })).headers.get('x-total'))
    expect(await count('type::feature')).toBe(250)
    expect(await count('type::feature,ui')).toBeLessThan(60)
    expect(await count('bug')).toBe(0)
  })

  it('has records of its own in each project', async () => {
    const { simulator, issues } = await search()
    const other = await ask(`${simulator.urls.gitlab}/projects/42/issues`, { search: 'dark mode', per_page: 100 })
    const ids = new Set(issues.map(({ id }) => id))
    expect((other.body as unknown as Issue[]).some(({ id }) => ids.has(id))).toBe(false)
  })

  it.skipIf(!isPresent)('has all that is in the recordings', async () => {
    const { issues, simulator } = await search()
    const have = paths(issues)
    // Who is to do the work says nothing about a wish.
    const missing = [...paths(recorded('issues-p1.json'))].filter((name) => !have.has(name) && !/assignee/.test(name))
    expect(missing).toEqual([])
    const unknown = await ask(`${simulator.urls.gitlab}/projects/nosuch%2Fproject/issues`, { search: 'dark' })
    expect(unknown.status).toBe(404)
    expect(unknown.body).toEqual(recorded('error-404-project.json'))
    const wire = recorded('merge-request-notes.headers.json') as { headers: Record<string, string> }
    const names = Object.keys(wire.headers).filter((name) =>
      /^(x-(next|prev|page|per|total)|ratelimit|link)/i.test(name),
    )
    const { headers } = await search()
    expect(names.filter((name) => !headers.has(name))).toEqual([])
  })
})

describe('paging on GitLab', () => {
  it.each([20, 100])('by Link gives each record exactly once, %i at a time', async (size) => {
    const simulator = await simulate()
    const ids: unknown[] = []
    const query = new URLSearchParams({ search: 'dark mode', per_page: String(size) })
    let next: string | null = `${simulator.urls.gitlab}${path}?${query}`
    for (let page = 1; next; page += 1) {
      const { body, headers } = await ask(next.split('?')[0]!, Object.fromEntries(new URL(next).searchParams))
      ids.push(...(body as unknown as Issue[]).map(({ id }) => String(id)))
      next = nextLink(headers)
      expect(headers.get('x-next-page')).toBe(next ? String(page + 1) : '')
    }
    const expected = simulator.expectedRecords('gitlab', 'dark mode').map(({ sourceId }) => sourceId)
    expect(ids.sort()).toEqual(expected.sort())
    expect(ids).toHaveLength(250)
  })

  it('caps and defaults the size of a page', async () => {
    expect((await search({ per_page: 500 })).issues).toHaveLength(100)
    expect((await search({ per_page: '' })).issues).toHaveLength(20)
  })

  it('counts no more than ten thousand, and ends at an offset of fifty thousand', async () => {
    const { headers } = await search({}, { size: 10_001 })
    expect([headers.get('x-total'), headers.get('x-next-page')]).toEqual([null, '2'])
    expect((await search({ page: 501 })).status).toBe(200)
    expect((await search({ page: 502 })).status).toBe(405)
  })
})

describe('the limits of GitLab', () => {
  it('refuse the eleventh anonymous search of a minute, and the thirty-first with a token, without a time', async () => {
    for (const [headers, limit] of [
      [{}, 10],
      [{ 'private-token': 't' }, 30],
    ] as const) {
      const { url, simulator } = await search({}, { limits: 'real', clock: movableClock() })
      const first = Object.keys(headers).length === 0 ? 1 : 0
      for (let call = first; call < limit; call += 1) {
        const { status, headers: told } = await ask(url, { search: 'dark' }, headers)
        expect([status, told.get('ratelimit-limit')]).toEqual([200, '500'])
      }
      const refused = await ask(url, { search: 'dark' }, headers)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBeNull()
      expect(refused.body.message).toEqual({ error: expect.stringContaining('too many times') })
      expect(simulator.breaches).toBe(0)
      await ask(url, { search: 'dark' }, headers)
      expect(simulator.breaches).toBe(1)
    }
  })

  it('last exactly a minute, since no answer names their end', async () => {
    const clock = movableClock()
    clock.forward(400)
    const { url } = await search({}, { limits: { gitlab: { limit: 1, windowMs: 60_000 } }, clock })
    clock.forward(60_000)
    expect((await ask(url, { search: 'dark' })).status).toBe(200)
  })

  it('at the front door speak plain text and name a time', async () => {
    const { simulator, url } = await search({}, { clock: movableClock() })
    simulator.setFault('gitlab', 'rate_limit', { seconds: 30 })
    const refused = await askBare(`${url}?search=dark`, { 'user-agent': 'a' })
    expect(refused.headers).toMatchObject({
      'content-type': 'text/plain',
      'retry-after': '30',
      'ratelimit-remaining': '0',
    })
    expect(refused.body.toString()).toBe('Retry later\n')
  })
})

it('GitLab refuses a token that it does not know, and asks nobody for one', async () => {
  const { url } = await search({}, { validTokens: ['good'] })
  expect((await ask(url, { search: 'dark' })).status).toBe(200)
  expect((await ask(url, { search: 'dark' }, { 'private-token': 'good' })).status).toBe(200)
  expect((await ask(url, { search: 'dark' }, { authorization: 'Bearer good' })).status).toBe(200)
  const refused = await ask(url, { search: 'dark' }, { 'private-token': 'bad' })
  expect([refused.status, refused.body]).toEqual([401, { message: '401 Unauthorized' }])
})
