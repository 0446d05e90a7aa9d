import { describe, expect, it } from 'vitest'
import { foundRequest } from '../../test/scripted-platform.ts'
import type { Page } from './platform.ts'
import { type BatchSearch, createTopicBatches, shareOut } from './topic-batches.ts'

const never = new AbortController().signal
const page = (title: string): Page => ({ requests: [foundRequest(title, { title })], nextCursor: null })

function setUp(fields: Partial<BatchSearch> = {}) {
  const asked: (string | readonly string[])[] = []
  /** Answers wait for it, so that what is wanted meanwhile meets. */
  const gate = Promise.withResolvers<void>()
  const fetch = createTopicBatches({
    countFitting: (topics) => Math.min(3, topics.length),
    fetchOne: async (topic) => {
      asked.push(topic)
      await gate.promise
      return page(topic)
    },
    fetchTogether: async (topics) => {
      asked.push(topics)
      return topics.map((title) => foundRequest(title, { title }))
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

  it('are asked for one by one where the platform does not take several, and from then on', async () => {
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
    const settled = Promise.allSettled(others)
    open()
    await first
    expect((await settled).map((one) => one.status === 'rejected' && one.reason.message)).toEqual([
      ...['away', 'away', 'enough'],
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
