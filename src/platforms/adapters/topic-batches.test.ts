import { describe, expect, it } from 'vitest'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { Page } from '../platform.ts'
import { type BatchSearch, createTopicBatches, shareOut } from './topic-batches.ts'

let now = new Date('2026-11-21T12:00:00Z')
const never = new AbortController().signal
const page = (title: string): Page => ({ requests: [foundRequest(title, { title })], nextCursor: null })

function setUp(fields: Partial<BatchSearch> = {}) {
  const queried: (string | readonly string[])[] = []
  /** Answers wait for it, so that what is wanted meanwhile meets. */
  const gate = Promise.withResolvers<void>()
  const fetch = createTopicBatches({
    platform: 'github',
    clock: { now: () => now },
    countFitting: (topics) => Math.min(3, topics.length),
    fetchOne: async (topic) => {
      queried.push(topic)
      await gate.promise
      return page(topic)
    },
    fetchTogether: async (topics) => {
      queried.push(topics)
      return { found: topics.map((title) => foundRequest(title, { title })), isFull: false }
    },
    ...fields,
  })
  return { queried, fetch, open: gate.resolve }
}
const titlesOf = (found: Page | null) => found?.requests.map(({ title }) => title)

describe('first pages of several topics', () => {
  it('have a query of their own at first; those that arrive meanwhile share one', async () => {
    const { queried, fetch, open } = setUp()
    const pages = ['dark mode', 'csv export', 'offline', 'calendar', 'tags'].map((topic) => fetch(topic, never))
    open()
    expect((await Promise.all(pages)).map(titlesOf)).toEqual([
      ...[['dark mode'], ['csv export'], ['offline'], ['calendar'], ['tags']],
    ])
    expect(queried).toEqual(['dark mode', ['csv export', 'offline', 'calendar'], 'tags'])
  })

  it('have a query each for an hour after the platform refused a shared one', async () => {
    const refused: (readonly string[])[] = []
    const { queried, fetch, open } = setUp({
      fetchTogether: async (topics) => {
        refused.push(topics)
        return null
      },
    })
    const pages = ['dark mode', 'csv export', 'offline'].map((topic) => fetch(topic, never))
    open()
    expect((await Promise.all(pages)).map(titlesOf)).toEqual([['dark mode'], ['csv export'], ['offline']])
    await Promise.all(['tags', 'calendar', 'theme'].map((topic) => fetch(topic, never)))
    expect([refused.length, queried]).toEqual([1, ['dark mode', 'csv export', 'offline', 'tags', 'calendar', 'theme']])
    now = new Date(now.getTime() + 3600_000)
    await Promise.all(['export', 'fonts', 'icons'].map((topic) => fetch(topic, never)))
    expect(refused.slice(1)).toEqual([['fonts', 'icons']])
  })

  it('have a query of their own when the matches of the others filled the answer', async () => {
    for (const isFull of [true, false]) {
      const { queried, fetch, open } = setUp({
        fetchTogether: async ([title]) => ({ found: [foundRequest(title!, { title: title! })], isFull }),
      })
      const pages = ['dark mode', 'csv export', 'offline'].map((topic) => fetch(topic, never))
      open()
      expect((await Promise.all(pages)).map(titlesOf)).toEqual([
        ['dark mode'],
        ['csv export'],
        isFull ? ['offline'] : [],
      ])
      expect(queried).toEqual(isFull ? ['dark mode', 'offline'] : ['dark mode'])
    }
  })

  it('count once what the answer left out', async () => {
    const { fetch, open } = setUp({
      fetchTogether: async (topics) => ({
        found: topics.map((title) => foundRequest(title, { title })),
        isFull: false,
        discarded: { notPublic: 2 },
      }),
    })
    const pages = ['dark mode', 'csv export', 'offline'].map((topic) => fetch(topic, never))
    open()
    expect((await Promise.all(pages)).map((one) => one?.discarded)).toEqual([undefined, { notPublic: 2 }, undefined])
  })

  it('have a query of their own when what the answer has for them is not about them', async () => {
    const { queried, fetch, open } = setUp({
      fetchTogether: async () => ({ found: [foundRequest('1', { title: 'CSV export, darkness' })], isFull: true }),
    })
    const pages = ['offline', 'csv export', 'dark mode'].map((topic) => fetch(topic, never))
    open()
    await Promise.all(pages)
    expect(queried).toEqual(['offline', 'dark mode'])
  })

  it('fail together, and an aborted one is not queried', async () => {
    const { queried, fetch, open } = setUp({
      fetchTogether: async () => {
        throw new Error('away')
      },
    })
    const gone = new AbortController()
    const first = fetch('dark mode', never)
    const others = [fetch('csv export', never), fetch('offline', never), fetch('tags', gone.signal)]
    gone.abort(new Error('enough'))
    const late = new AbortController()
    others.push(fetch('icons', late.signal))
    late.abort(new DOMException('too late', 'TimeoutError'))
    const settled = Promise.allSettled(others)
    open()
    await first
    const reasons = (await settled).map((one) => one.status === 'rejected' && one.reason)
    expect(reasons).toMatchObject([
      ...[{ message: 'away' }, { message: 'away' }],
      ...[
        { name: 'PlatformError', code: 'cancelled' },
        { name: 'PlatformError', code: 'timeout' },
      ],
    ])
    expect(queried).toEqual(['dark mode'])
    // The next one is queried all the same.
    expect(titlesOf(await fetch('calendar', never))).toEqual(['calendar'])
  })
})

describe('the result of a shared query', () => {
  it('goes to each topic of which it has all words, else to those of which it has the largest share', () => {
    const request = (title: string, description = '') => foundRequest(title, { title, description })
    const found = [
      request('Dark MODE for the export'),
      request('CSV', 'export in dark mode'),
      request('Darker'),
      request('Nothing of all that'),
    ]
    const pages = shareOut(['dark mode', 'csv export'], found)
    expect(pages.map(titlesOf)).toEqual([['Dark MODE for the export', 'CSV', 'Darker'], ['CSV']])
  })
})
