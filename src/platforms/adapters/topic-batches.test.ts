import { describe, expect, it } from 'vitest'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { Page } from '../platform.ts'
import { type BatchSearch, createTopicBatches, shareOut } from './topic-batches.ts'

let now = new Date('2026-11-21T12:00:00Z')
const never = new AbortController().signal
const page = (title: string): Page => ({ requests: [foundRequest(title, { title })], nextCursor: null })

function setUp(fields: Partial<BatchSearch> = {}) {
  const asked: (string | readonly string[])[] = []
  /** Answers wait for it, so that what is wanted meanwhile meets. */
  const gate = Promise.withResolvers<void>()
  const fetch = createTopicBatches({
    ...{ platform: 'github', clock: { now: () => now } },
    countFitting: (topics) => Math.min(3, topics.length),
    fetchOne: async (topic) => {
      asked.push(topic)
      await gate.promise
      return page(topic)
    },
    fetchTogether: async (topics) => {
      asked.push(topics)
      return { found: topics.map((title) => foundRequest(title, { title })), isFull: false }
    },
    ...fields,
  })
  return { asked, fetch, open: gate.resolve }
}
const titlesOf = (found: Page | null) => found?.requests.map(({ title }) => title)

describe('first pages of several topics', () => {
  it('are asked for alone by who comes first, and together by who comes meanwhile', async () => {
    const { asked, fetch, open } = setUp()
    const pages = ['dark mode', 'csv export', 'offline', 'calendar', 'tags'].map((topic) => fetch(topic, never))
    open()
    expect((await Promise.all(pages)).map(titlesOf)).toEqual([
      ...[['dark mode'], ['csv export'], ['offline'], ['calendar'], ['tags']],
    ])
    expect(asked).toEqual(['dark mode', ['csv export', 'offline', 'calendar'], 'tags'])
  })

  it('are asked for one by one where the platform does not take several, and for an hour from then on', async () => {
    const refused: (readonly string[])[] = []
    const { asked, fetch, open } = setUp({
      fetchTogether: async (topics) => {
        refused.push(topics)
        return null
      },
    })
    const pages = ['dark mode', 'csv export', 'offline'].map((topic) => fetch(topic, never))
    open()
    expect((await Promise.all(pages)).map(titlesOf)).toEqual([['dark mode'], ['csv export'], ['offline']])
    await Promise.all(['tags', 'calendar', 'theme'].map((topic) => fetch(topic, never)))
    expect([refused.length, asked]).toEqual([1, ['dark mode', 'csv export', 'offline', 'tags', 'calendar', 'theme']])
    now = new Date(now.getTime() + 3600_000)
    await Promise.all(['export', 'fonts', 'icons'].map((topic) => fetch(topic, never)))
    expect(refused.slice(1)).toEqual([['fonts', 'icons']])
  })

  it('are asked for alone where the matches of the others filled the answer', async () => {
    for (const isFull of [true, false]) {
      const { asked, fetch, open } = setUp({
        fetchTogether: async ([title]) => ({ found: [foundRequest(title!, { title: title! })], isFull }),
      })
      const pages = ['dark mode', 'csv export', 'offline'].map((topic) => fetch(topic, never))
      open()
      expect((await Promise.all(pages)).map(titlesOf)).toEqual([
        ['dark mode'],
        ['csv export'],
        isFull ? ['offline'] : [],
      ])
      expect(asked).toEqual(isFull ? ['dark mode', 'offline'] : ['dark mode'])
    }
  })

  it('fail together, and who gave up before is not asked for', async () => {
    const { asked, fetch, open } = setUp({
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
    expect(asked).toEqual(['dark mode'])
    // The next one is asked all the same.
    expect(titlesOf(await fetch('calendar', never))).toEqual(['calendar'])
  })
})

describe('what was found for several topics', () => {
  it('goes to each topic of which it has all words, else to those of which it has most', () => {
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
