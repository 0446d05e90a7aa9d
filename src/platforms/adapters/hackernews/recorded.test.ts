import { describe, expect, it } from 'vitest'
import {
  decode,
  htmlWords,
  isPresent,
  isSubsequence,
  type Raw,
  recordingsOf,
  serve,
  unreadRecordings,
  words,
} from '../recordings-testing.ts'
import {
  fetchPage,
  openTestBudget as openBudget,
  platformError,
  testClient,
  testClock,
  unsaidFields,
} from '../testing.ts'
import { createHackernews } from './search.ts'

const recordings = isPresent ? recordingsOf('hackernews') : []
const adapterFor = async (recording: (typeof recordings)[number]) =>
  createHackernews({
    client: testClient(testClock()),
    openBudget,
    baseUrl: await serve(recording),
    webUrl: 'https://news.ycombinator.com',
  })

/** A link that is shown cut short reads as its address. */
const withWholeLinks = (html: string) =>
  html.replace(/<a href="([^"]*)"[^>]*>[^<]*\.\.\.<\/a>/g, (_, address) => ` ${address} `)

/** What every field but the description has to be, worked out apart from the adapter. */
const expectedOf = (item: Raw) => ({
  sourceId: item.objectID,
  title: decode(item.title ?? item.story_title).replace(/\s+/g, ' '),
  votes: item.points ?? 0,
  tags: item._tags.filter((tag: string) => /^(?:ask|show)_hn$/.test(tag)),
  stars: null,
  commentCount: item.num_comments ?? null,
  sourceUrl: `https://news.ycombinator.com/item?id=${item.objectID}`,
  authorName: null,
  authorHandle: item.author,
  authorProfileUrl: `https://news.ycombinator.com/user?id=${item.author}`,
  license: null,
  originalCreatedAt: new Date(item.created_at_i * 1000),
  ...unsaidFields,
})

describe.skipIf(!isPresent)('recorded answers of hackernews', () => {
  it.each(recordings.filter(({ status }) => status === 200))('$name is read, field by field', async (recording) => {
    const { requests, discarded, nextCursor } = await fetchPage(await adapterFor(recording))
    const { hits } = JSON.parse(recording.bytes.toString())
    expect(requests.map(({ description: _, ...rest }) => rest)).toEqual(hits.map(expectedOf))
    for (const [index, { description }] of requests.entries()) {
      const { required, allowed } = htmlWords(withWholeLinks(hits[index].comment_text || hits[index].story_text || ''))
      expect(isSubsequence(required, words(description))).toBe(true)
      expect(isSubsequence(words(description), allowed)).toBe(true)
      expect(description).not.toMatch(/&(#x?\w+|amp|lt|gt|quot);|https?:\S*\.\.\.(\s|$)/)
    }
    expect(discarded).toEqual({})
    expect(nextCursor).not.toBeNull()
  })

  it.each(recordings.filter(({ status }) => status !== 200))('$name is recognised', async (recording) => {
    await platformError(fetchPage(await adapterFor(recording)), 'bad_response')
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('hackernews')).toEqual([])
})
