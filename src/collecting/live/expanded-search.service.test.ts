import { describe, expect, it } from 'vitest'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { deleteEndedCollections } from './collections.ts'
import { age, createGate, pageOf, prepareLiveService, refusing, unusable } from './testing.ts'

// Holds (Live calls): a live call that delivers nothing costs nothing, also after `kill -9`

// Takes seconds: a pool is spent to its end.

const live = prepareLiveService()
const calledTopics = () => [live.github, live.hackernews].map(({ calls }) => calls.map(({ topic }) => topic).sort())
const titles = (results: RequestRecord[]) => results.map(({ title }) => title)

describe('a search with expand', () => {
  it('collects every topic once from each platform, and answers with the union for one credit', async () => {
    live.related = ['night light', 'contrast']
    const { status, body, headers } = await live.expand('dark mode', { limit: 50, total: true })
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(calledTopics()).toEqual(Array(2).fill(['contrast', 'dark mode', 'night light']))
    expect(body.meta).toEqual({
      originalQuery: 'dark mode',
      understood: {
        words: ['dark', 'mode'],
        phrases: [],
        excluded: [],
        alternatives: [expect.anything()],
        unknown: expect.anything(),
      },
      maybeResults: 0,
      total: 4,
      totalIsExact: true,
      expanded: true,
      expandedTopics: ['dark mode', 'night light', 'contrast'],
      cachedResults: 0,
      newResultsFound: 12,
      topicsScraped: 3,
      topicsSkipped: 0,
      errors: [],
      scrapingTimeMs: expect.any(Number),
    })
    expect(body.data.results).toHaveLength(12)
    expect(body.usage.credits).toEqual({ used: 1, limit: 15_000, remaining: 14_999 })
    expect(await live.used()).toBe(1)
  })

  it('costs nothing and calls no platform when every topic is fresh', async () => {
    await live.expand('dark mode')
    const { body } = await live.expand('Dark  Mode')
    expect(calledTopics()).toEqual([['dark mode'], ['dark mode']])
    expect(body.meta).toMatchObject({ cachedResults: 4, newResultsFound: 0, topicsScraped: 0, topicsSkipped: 1 })
    expect(body.usage.credits.used).toBe(1)
  })

  it('collects a topic again when it is no longer fresh', async () => {
    await live.expand('dark mode')
    await age(live.service, 361)
    const { body } = await live.expand('dark mode')
    expect(calledTopics()).toEqual(Array(2).fill(['dark mode', 'dark mode']))
    expect(body.meta).toMatchObject({ cachedResults: 4, newResultsFound: 0, topicsScraped: 1, topicsSkipped: 0 })
    expect(body.usage.credits.used).toBe(2)
  })

  it('calls only the platforms that are not fresh for a topic', async () => {
    await live.expand('dark mode', { platforms: ['github'] })
    const { body } = await live.expand('dark mode')
    expect(calledTopics()).toEqual([['dark mode'], ['dark mode']])
    expect(body.meta).toMatchObject({ cachedResults: 2, newResultsFound: 2, topicsScraped: 1, topicsSkipped: 0 })
  })

  it('counts a topic that a job collected as fresh', async () => {
    const { body } = await live.service.client.scrape({ topic: 'dark mode', platforms: ['github', 'hackernews'] })
    await live.service.client.waitForJob(body.data.jobId, 30_000)
    expect((await live.expand('dark mode')).body.meta).toMatchObject({ topicsSkipped: 1, topicsScraped: 0 })
    expect(await live.used()).toBe(2)
  })

  it('names the platform that failed, and answers with the results of the others', async () => {
    live.scripts.github = refusing
    const { body } = await live.expand('dark mode')
    expect(body.meta).toMatchObject({
      topicsScraped: 1,
      newResultsFound: 2,
      errors: [
        { platform: 'github', topic: 'dark mode', code: 'blocked', message: 'The platform refuses this address.' },
      ],
    })
    expect(body.usage.credits.used).toBe(1)
    // A failed collection is not fresh.
    live.scripts.github = (_call, request) => pageOf('github')(request)
    expect((await live.expand('dark mode')).body.meta).toMatchObject({ newResultsFound: 2, errors: [] })
  })

  it('costs nothing when no platform could be used', async () => {
    live.scripts.github = unusable
    live.scripts.hackernews = refusing
    const { status, body } = await live.expand('dark mode')
    expect(status).toBe(200)
    expect(body.meta).toMatchObject({ topicsScraped: 0, topicsSkipped: 0, newResultsFound: 0 })
    expect(body.meta.errors).toMatchObject([
      { platform: 'github', code: 'not_configured' },
      { platform: 'hackernews', code: 'blocked' },
    ])
    expect(body.usage.credits.used).toBe(0)
    expect(await live.used()).toBe(0)
  })

  it('pays for a page that was stored, even an empty one', async () => {
    live.scripts.github = () => ({ requests: [], nextCursor: null })
    const { body } = await live.expand('dark mode', { platforms: ['github'] })
    expect(body.meta).toMatchObject({ topicsScraped: 1, newResultsFound: 0 })
    expect(body.usage.credits.used).toBe(1)
  })

  it('pays nothing when the platforms have no page to fetch', async () => {
    live.scripts.github = () => null
    const { body } = await live.expand('dark mode', { platforms: ['github'] })
    expect(body.meta).toMatchObject({ topicsScraped: 0, errors: [] })
    expect(body.usage.credits.used).toBe(0)
  })

  it('is refused before the expansion and any call when its credit cannot be paid', async () => {
    const { client } = await live.service.createAccount('free')
    live.scripts.github = () => ({ requests: [], nextCursor: 'more' })
    const { body } = await client.scrape({ topic: 'spend all', platforms: ['github', 'hackernews'], depth: 40 })
    await client.scrape({ topic: 'spend the rest', platforms: ['github'], depth: 20 })
    expect(body.usage.credits.used).toBe(80)
    const before = calledTopics()
      .flat()
      .filter((topic) => topic === 'dark mode').length
    const refused = await live.expand('dark mode', {}, client)
    expect([refused.status, refused.body.error.reason]).toEqual([429, 'credits'])
    expect(live.expansions).toBe(0)
    expect(
      calledTopics()
        .flat()
        .filter((topic) => topic === 'dark mode'),
    ).toHaveLength(before)
    const started = await live.service.database
      .selectFrom('scrape_jobs')
      .select('id')
      .where('account_id', 'is', null)
      .execute()
    expect(started).toEqual([])
  })

  it('collects nothing and costs nothing when the query has no word', async () => {
    const { status, body } = await live.expand('!?')
    expect([status, body.meta.topicsScraped, body.usage.credits.used]).toEqual([200, 0, 0])
    expect(calledTopics()).toEqual([[], []])
  })

  it('pages through the union inside the cap', async () => {
    live.related = ['night light']
    live.scripts.github = (_call, { topic }) => ({
      requests: Array.from({ length: 70 }, (_, index) => ({
        ...pageOf('github')({ topic } as never).requests[0]!,
        sourceId: `${topic} ${index}`,
      })),
      nextCursor: null,
    })
    const first = (await live.expand('dark mode', { limit: 60, platforms: ['github'] })).body
    expect([first.data.results.length, first.data.hasMore, first.data.limitReached]).toEqual([60, true, false])
    const second = (await live.expand('dark mode', { limit: 60, offset: 60, platforms: ['github'] })).body
    expect([second.data.results.length, second.data.hasMore, second.data.limitReached]).toEqual([40, false, true])
    const ids = [...first.data.results, ...second.data.results].map(({ _id }: RequestRecord) => _id)
    expect(new Set(ids).size).toBe(100)
  })

  it('reports no further page when the union ends with the page', async () => {
    live.related = ['night light']
    const { data } = (await live.expand('dark mode', { limit: 8 })).body
    expect([data.results.length, data.hasMore, data.limitReached]).toEqual([8, false, false])
    const less = (await live.expand('dark mode', { limit: 7 })).body
    expect([less.data.results.length, less.data.hasMore]).toEqual([7, true])
  })

  it('lists rows of the query before those of another topic, each once, and applies the filters to all', async () => {
    live.related = ['night light']
    const all = (await live.expand('dark mode', { limit: 50, total: true })).body.data.results as RequestRecord[]
    expect(titles(all).slice(0, 4)).toEqual(Array(4).fill('dark mode please'))
    expect(titles(all).slice(4)).toEqual(Array(4).fill('night light please'))
    const { body } = await live.expand('dark mode', { filters: { platforms: ['hackernews'] } })
    const results = body.data.results as RequestRecord[]
    expect(new Set(results.map(({ sourcePlatform }) => sourcePlatform))).toEqual(new Set(['hackernews']))
    expect(results).toHaveLength(4)
  })

  it('applies the exclusions of the query to the rows of every topic, and sends them to no platform', async () => {
    live.related = ['night light']
    live.scripts.github = (_call, { topic }) => ({
      requests: ['for android', 'for the web'].map((where) =>
        foundRequest(`${topic} ${where}`, { title: `${topic} ${where}`, description: '' }),
      ),
      nextCursor: null,
    })
    const { body } = await live.expand('"dark mode" -android', { platforms: ['github'] })
    expect(titles(body.data.results)).toEqual(['dark mode for the web', 'night light for the web'])
    expect(body.meta).toMatchObject({ originalQuery: '"dark mode" -android', newResultsFound: 4 })
    expect(calledTopics()[0]).toEqual(['dark mode', 'night light'])
  })

  it('is refused before anything is reserved when the query has only exclusions', async () => {
    const { status } = await live.expand('-android')
    expect([status, live.expansions]).toEqual([400, 0])
  })

  it('sorts the whole union on request, and highlights the words of all topics', async () => {
    live.related = ['night light']
    live.scripts.github = (_call, { topic }) => ({
      requests: [1, 9].map((votes) => foundRequest(`${topic} ${votes}`, { title: topic, votes: votes + topic.length })),
      nextCursor: null,
    })
    const { body } = await live.expand('dark mode', { platforms: ['github'], sortBy: 'votes', highlight: true })
    const results = body.data.results as (RequestRecord & { highlights: { field: string; text: string }[] })[]
    expect(results.map(({ title, votes }) => [title, votes])).toEqual([
      ...[
        ['night light', 20],
        ['dark mode', 18],
        ['night light', 12],
        ['dark mode', 10],
      ],
    ])
    for (const { title, highlights } of results) {
      expect(highlights).toContainEqual(expect.objectContaining({ field: 'title', text: title }))
    }
  })

  it('deletes its collections after a day, and keeps the requests that they found', async () => {
    await live.expand('dark mode')
    const { database } = live.service
    const hidden = () => database.selectFrom('scrape_jobs').select('id').execute()
    const inHours = (hours: number) => new Date(Date.now() + hours * 3600_000)
    expect(await deleteEndedCollections(database, inHours(23))).toBe(false)
    expect(await hidden()).toHaveLength(1)
    await deleteEndedCollections(database, inHours(25))
    expect(await hidden()).toEqual([])
    expect((await live.expand('dark mode')).body.meta).toMatchObject({ topicsSkipped: 1, cachedResults: 4 })
  })

  it('never shows its collections as jobs, also not by their ids', async () => {
    const gate = createGate()
    live.scripts.github = async (_call, request) => {
      await gate.passed
      return pageOf('github')(request)
    }
    const answer = live.expand('dark mode')
    const hidden = () => live.service.database.selectFrom('scrape_jobs').select('id').execute()
    await expect.poll(hidden, { timeout: 30_000 }).toHaveLength(1)
    const jobId = (await hidden())[0]!.id
    const { client } = live.service
    expect((await client.get('/api/v1/scrape')).body.data.results).toEqual([])
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const [method, path] of [
      ['GET', '/api/v1/scrape/ID'],
      ['GET', '/api/v1/scrape/ID/events'],
      ['DELETE', '/api/v1/scrape/ID'],
      ['GET', '/api/v1/requests?jobId=ID'],
    ] as const) {
      const [secret, none] = await Promise.all(
        [jobId, unknown].map((id) => client.send(method, path.replace('ID', id))),
      )
      expect([secret?.status, secret?.body]).toEqual([404, none?.body])
    }
    gate.open()
    expect((await answer).status).toBe(200)
  })
})
