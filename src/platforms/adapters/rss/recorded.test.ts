import { describe, expect, it } from 'vitest'
import {
  decode,
  htmlWords,
  isPresent,
  isSubsequence,
  laterRecordingsOf,
  type Recording,
  recordingsOf,
  serve,
  unreadRecordings,
  words,
} from '../recordings-testing.ts'
import { fetchPage, openTestBudget as openBudget, platformError, testClient, testClock } from '../testing.ts'
import { createRss } from './search.ts'

const clock = testClock()
const recordings = [...recordingsOf('feeds'), ...laterRecordingsOf('feeds')]
const isPage = ({ name }: Recording) => name.endsWith('.html')

async function fetchItems(recording: Recording) {
  const url = `${await serve(recording)}/feed`
  return { url, page: fetchPage(createRss({ client: testClient(clock), clock, openBudget, urls: [url] })) }
}

/** The bytes as text, by what the prolog says, apart from the adapter. */
function textOf({ bytes }: Recording): string {
  const named = /encoding="([^"]+)"/.exec(bytes.toString('latin1'))?.[1] ?? 'utf-8'
  return new TextDecoder(named).decode(bytes)
}

/** The titles of all items, in any form of feed; an item without a title and a text is none. */
function titlesOf(recording: Recording): string[] {
  const text = textOf(recording)
  if (recording.name.endsWith('.json'))
    return (JSON.parse(text) as { items: { title?: string }[] }).items.map(({ title = '' }) => title)
  return [...text.matchAll(/<(item|entry)\b[\s\S]*?<\/\1>/g)].map(([item]) => {
    const title = /<title\b[^>]*>([\s\S]*?)<\/title>/.exec(item)?.[1] ?? ''
    return /^\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*$/.exec(title)?.[1] ?? decode(title)
  })
}

describe.skipIf(!isPresent)('recorded feeds', () => {
  it.each(recordings.filter((one) => !isPage(one)))('$name is read, item by item', async (recording) => {
    const { page, url } = await fetchItems(recording)
    const { requests } = await page
    const all: readonly string[] = htmlWords(decode(textOf(recording).replaceAll(/<!\[CDATA\[|\]\]>/g, ' '))).allowed
    const shown = titlesOf(recording).filter((title) => title.trim() !== '')
    expect(requests.map(({ title }) => words(title))).toEqual(shown.map((title) => words(decode(title))))
    const source = textOf(recording)
    for (const { title, description, sourceUrl, originalCreatedAt, sourceId } of requests) {
      expect(words(title).every((word) => all.includes(word))).toBe(true)
      expect(description).not.toMatch(/<\/(?:p|div|a|li|span)>|&(?:amp|lt|#\d+);|\ufffd/)
      expect(isSubsequence(words(description).slice(0, 5), [...all])).toBe(true)
      expect(sourceUrl === url || decode(source).includes(sourceUrl.replace(/\/$/, ''))).toBe(true)
      expect(originalCreatedAt === null || originalCreatedAt < clock.now()).toBe(true)
      expect(sourceId).toMatch(/^[0-9a-f]{12}:[\x21-\x7e]{1,150}$/)
    }
    expect(new Set(requests.map(({ sourceId }) => sourceId)).size).toBe(requests.length)
    const dated = /<(?:pubDate|published|updated|dc:date)>|"date_published"/.test(
      source.replace(/^[\s\S]*?<(?:item|entry)\b/, ''),
    )
    expect(requests.some(({ originalCreatedAt }) => originalCreatedAt !== null)).toBe(dated && requests.length > 0)
  })

  it.each(recordings.filter(isPage))('$name is no feed', async (recording) => {
    expect(recording.bytes.length).toBeGreaterThan(0)
    const { page } = await fetchItems(recording)
    expect((await platformError(page, 'bad_response')).message).toContain('is a web page, not a feed')
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('feeds')).toEqual([])
})
