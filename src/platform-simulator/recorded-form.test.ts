import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ask, simulate, type Wire } from './testing.ts'

/** Recordings of the real platforms lie beside the project, never in it. */
const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url))
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

async function simulated(
  platform: 'github' | 'hackernews' | 'stackexchange',
  path: string,
  query: object,
): Promise<Wire> {
  const simulator = await simulate()
  return (await ask(simulator.urls[platform] + path, query as Record<string, string>)).body
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
})
