import { afterAll, beforeAll, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'

// Holds (Search, lists and export): a text that repeats a sentence gains nothing in search

const author = { authorName: null, authorHandle: null, tags: [] }
const sentence = 'Please add a dark mode to the editor'
const wanted = foundRequest('wanted', {
  ...author,
  title: 'Dark mode for the editor',
  description: 'Please add a dark mode to the editor. White pages at night are hard to read.',
  votes: 340,
})
const spam = ['. ', ' ', '\n'].map((mark, number) =>
  foundRequest(`spam${number}`, {
    ...author,
    title: 'My editor and other things',
    description: `${Array<string>(60).fill(sentence).join(mark)}. It is late at night.`,
    votes: 1,
  }),
)
const once = foundRequest('once', {
  ...author,
  title: 'My editor and other things',
  description: `${sentence}. It is late at night.`,
  votes: 1,
})
const others = Array.from({ length: 40 }, (_, number) =>
  foundRequest(`other${number}`, {
    ...author,
    title: `Export of table ${number}`,
    description: 'The editor has no way to save a table in another form, which costs time each day.',
  }),
)

let service: TestService
beforeAll(async () => {
  const github = scriptedPlatform('github', () => ({ requests: [...spam, once, ...others, wanted], nextCursor: null }))
  service = await startTestService({ platforms: new Map([['github', github]]) })
  const { body } = await service.client.scrape({ topic: 'editor', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId, 60_000)
})
afterAll(() => service.stop())

it.each(['dark mode', 'dark mode editor', sentence])(
  'one-vote texts that repeat a sentence are behind a wanted request, and no better than one that says it once: %s',
  async (query) => {
    const { status, body } = await service.client.search(query, { limit: 10 })
    expect(status).toBe(200)
    const found: string[] = body.data.results.map((result: { sourceUrl: string }) => result.sourceUrl.split('/').at(-1))
    expect(found[0]).toBe('wanted')
    // All four have the same searched text and votes: the order of their ids decides.
    const equal = body.data.results.slice(1, 5).map((result: { _id: string }) => result._id)
    expect(found.slice(1, 5).sort()).toEqual(['once', 'spam0', 'spam1', 'spam2'])
    expect(equal).toEqual(equal.toSorted())
  },
)
