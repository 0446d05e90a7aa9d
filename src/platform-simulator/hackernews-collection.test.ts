import { expect, it } from 'vitest'
import { createHackernews } from '../platforms/adapters/hackernews/search.ts'
import { fetchPageOrNull, openTestBudget as openBudget, testClient } from '../platforms/adapters/testing.ts'
import type { FoundRequest, Json } from '../platforms/platform.ts'
import type { SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'
import { requestPhrases } from './vocabulary.ts'

async function setUp(options: SimulatorOptions = {}) {
  const simulator = await simulate(options)
  const client = testClient(movableClock())
  const hackernews = createHackernews({ client, openBudget, baseUrl: simulator.environment.HACKERNEWS_API_URL! })
  /** All pages of a topic. */
  async function collect(topic: string) {
    const found: FoundRequest[] = []
    let removed = 0
    let cursor: Json = null
    do {
      const page = await fetchPageOrNull(hackernews, { topic, cursor })
      found.push(...(page?.requests ?? []))
      removed += page?.discarded?.removed ?? 0
      cursor = page?.nextCursor ?? null
    } while (cursor !== null)
    return { found, removed, titles: found.map(({ title }) => title).sort() }
  }
  return { simulator, collect }
}

/** Near-misses of "dark mode", each with a wish phrase. */
const nearMisses = [
  { title: 'Feature request: bark mode' },
  { title: 'Feature request: darker modes' },
  { title: 'Feature request: dark model' },
  { title: 'Feature request: mode', author: { handle: 'dark', name: 'Dark', id: 7 } },
  { title: 'Feature request: light theme' },
]
const wishes = [
  { title: 'Feature request: dark mode' },
  { title: 'I wish the mode was dark' },
  { title: 'Ask HN: mode', body: 'Please add a dark one' },
]
const records = { hackernews: [...nearMisses, ...wishes] }
const wishTitles = wishes.map(({ title }) => title).sort()

it('every record of a topic is found on Hacker News, and nothing else', async () => {
  const { simulator, collect } = await setUp({ size: 300 })
  const { found } = await collect('dark mode')
  const searches = requestPhrases.map((phrase) => ({ query: `"dark" "mode" "${phrase}"`, tags: '(story,comment)' }))
  const expected = simulator.expectedRecords('hackernews', 'dark mode', ...searches)
  expect(found.map(({ sourceId }) => sourceId).sort()).toEqual(expected.map(({ sourceId }) => sourceId).sort())
  expect(found).toHaveLength(300)
})

it('near-spellings, longer words and authors are not found on Hacker News', async () => {
  const { collect } = await setUp({ records })
  expect((await collect('dark mode')).titles).toEqual(wishTitles)
})

it('parameters that Hacker News refuses are left out once for the process; quotes still exclude near-spellings', async () => {
  const { simulator, collect } = await setUp({ records, behaviours: { hackernews: { exactness: 'refused' } } })
  // Names of authors come too, for the check of the topic to leave out.
  expect((await collect('dark mode')).titles).toEqual([...wishTitles, 'Feature request: mode'].sort())
  await collect('tabs')
  expect(simulator.requests.filter(({ status }) => status === 400)).toHaveLength(4)
  const refused = simulator.requests.slice(5).flatMap(({ query }) => Object.keys(query))
  expect(refused).not.toContain('typoTolerance')
})

it('near-misses come where Hacker News ignores the parameters, for the check of the topic to leave out', async () => {
  const { collect } = await setUp({ records, behaviours: { hackernews: { exactness: 'ignored' } } })
  const { titles } = await collect('dark mode')
  expect(titles).toEqual(expect.arrayContaining([...wishTitles, 'Feature request: bark mode']))
  expect(titles).not.toContain('Feature request: light theme')
})

it('dead items of Hacker News are left out and counted, and long links are whole', async () => {
  const address = 'https://a.example/a/very/long/path/that/no/page/of/hacker/news/shows/in/whole/dark-mode.html'
  const { collect } = await setUp({
    records: {
      hackernews: [
        { title: 'Feature request: dark mode', fate: 'removed' },
        { title: 'Feature request: a dark mode', body: `As on ${address} please` },
      ],
    },
  })
  const { found, removed } = await collect('dark mode')
  expect(found.map(({ description }) => description)).toEqual([`As on ${address} please`])
  expect(removed).toBe(1)
})
