import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode } from '../../database/column-types.ts'
import type { FoundRequest, Platform } from '../platform.ts'
import { createHackernews } from './hackernews/search.ts'
import { htmlWords, isPresent, isSubsequence, type Raw, recordingsOf, serve, words } from './recordings.ts'
import {
  fetchPage,
  fetchPageOrNull,
  openTestBudget as openBudget,
  platformError,
  testClient,
  testClock,
} from './testing.ts'

const orNull = <Value>(value: Value | undefined) => value ?? null

/** What every field has to be, worked out apart from the adapters. */
type NewField = 'status' | 'statusChangedAt' | 'excerpt' | 'sourceName' | 'refreshHandle' | 'ownSource' | 'confidence'
type Expected = Omit<FoundRequest, 'description' | 'originalCreatedAt' | NewField> &
  Partial<Pick<FoundRequest, NewField>> & {
    createdMs: number
    /** The words that the description must have, and those that it may have, in their order. */
    words: { required: string[]; allowed: string[] }
  }

interface Case {
  platform: string
  create(baseUrl: string): Platform
  items(body: Raw): Raw[]
  expected(item: Raw): Expected
  hasMore(body: Raw, headers: Record<string, string>): boolean
  errors: Array<[RegExp, PlatformErrorCode | 'end']>
}

const clock = testClock()
const cases: Case[] = [
  {
    platform: 'hackernews',
    create: (baseUrl) => createHackernews({ client: testClient(clock), openBudget, baseUrl }),
    items: (body) => body.hits,
    expected: (item) => ({
      sourceId: item.objectID,
      title: item.title ?? item.story_title,
      votes: item.points ?? 0,
      tags: item._tags.filter((tag: string) => tag !== `author_${item.author}` && !tag.startsWith('story_')),
      commentCount: orNull(item.num_comments),
      sourceUrl: `https://news.ycombinator.com/item?id=${item.objectID}`,
      authorName: null,
      authorHandle: item.author,
      authorProfileUrl: `https://news.ycombinator.com/user?id=${item.author}`,
      license: null,
      createdMs: item.created_at_i * 1000,
      words: htmlWords(item.comment_text || item.story_text),
    }),
    hasMore: () => true,
    errors: [[/error-400/, 'bad_response']],
  },
]

describe.skipIf(!isPresent).each(cases)('recorded answers of $platform', (platformCase) => {
  const recordings = isPresent ? recordingsOf(platformCase.platform) : []
  const pages = recordings.filter(({ status }) => status === 200)
  const errors = recordings.filter(({ status }) => status !== 200)

  it.each(pages)('$name is read, field by field', async (recording) => {
    const platform = platformCase.create(await serve(recording))
    const { requests, nextCursor } = await fetchPage(platform)
    const body = JSON.parse(recording.bytes.toString())
    const isEmpty = ({ title, words: { allowed } }: Expected) => title === '' && allowed.length === 0
    const expected = platformCase
      .items(body)
      .map(platformCase.expected)
      .filter((item) => !isEmpty(item))
    expect(requests.map(({ sourceId }) => sourceId)).toEqual(expected.map(({ sourceId }) => sourceId))
    for (const [index, { words: bounds, createdMs, ...fields }] of expected.entries()) {
      const { description, originalCreatedAt, ...rest } = requests[index]!
      expect(rest).toEqual(fields)
      expect(originalCreatedAt?.getTime()).toBe(createdMs)
      expect(isSubsequence(bounds.required, words(description))).toBe(true)
      expect(isSubsequence(words(description), bounds.allowed)).toBe(true)
      expect(description).not.toMatch(/&(#x?\w+|amp|lt|gt|quot);/)
    }
    expect(nextCursor !== null).toBe(platformCase.hasMore(body, recording.headers))
  })

  it.each(errors)('$name is recognised', async (recording) => {
    const page = fetchPageOrNull(platformCase.create(await serve(recording)))
    const code = platformCase.errors.find(([pattern]) => pattern.test(recording.name))?.[1]
    expect(code).toBeDefined()
    if (code === 'end') expect(await page).toBeNull()
    else await platformError(page, code!)
  })
})
