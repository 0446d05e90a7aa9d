import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode } from '../../database/column-types.ts'
import type { FoundRequest, Platform } from '../platform.ts'
import { createGithub } from './github/search.ts'
import {
  decode,
  htmlWords,
  isPresent,
  isSubsequence,
  markdownWords,
  type Raw,
  recordingsOf,
  serve,
  words,
} from './recordings.ts'
import { createStackexchange } from './stackexchange/search.ts'
import {
  fetchPage,
  fetchPageOrNull,
  openTestBudget as openBudget,
  platformError,
  testClient,
  testClock,
} from './testing.ts'

const orNull = <Value>(value: Value | undefined) => value ?? null
const isoMs = (text: string) => Date.parse(text)

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
    platform: 'github',
    create: (baseUrl) => createGithub({ client: testClient(clock), clock, openBudget, baseUrl }),
    items: (body) => body.items.filter((item: Raw) => !item.pull_request?.html_url),
    expected: (item) => ({
      sourceId: `${item.id}`,
      title: item.title,
      votes: orNull(item.reactions?.['+1']) ?? 0,
      tags: item.labels.map((label: Raw) => label.name ?? label),
      commentCount: item.comments,
      sourceUrl: item.html_url,
      authorName: null,
      authorHandle: item.user.login,
      authorProfileUrl: item.user.html_url,
      license: null,
      createdMs: isoMs(item.created_at),
      words: markdownWords(item.body ?? ''),
    }),
    hasMore: (_body, headers) => /rel="next"/.test(headers.Link ?? headers.link ?? ''),
    errors: [
      [/rate-limit/, 'rate_limited'],
      [/only-first-1000/, 'end'],
      [/401/, 'unauthorized'],
      [/403/, 'blocked'],
      [/5\d\d/, 'unavailable'],
      [/4\d\d/, 'bad_response'],
    ],
  },
  {
    platform: 'stackexchange',
    create: (baseUrl) =>
      createStackexchange({ client: testClient(clock), clock, openBudget, baseUrl, key: 'k', sites: ['meta'] }),
    items: (body) => body.items,
    expected: (item) => ({
      sourceId: `meta:${item.question_id}`,
      title: decode(item.title),
      votes: item.score,
      tags: item.tags,
      commentCount: item.comment_count ?? item.answer_count,
      sourceUrl: item.link.startsWith('http') ? item.link : `https://meta.stackexchange.com/q/${item.question_id}`,
      authorName: decode(item.owner.display_name),
      authorHandle: item.owner.user_id === undefined ? null : `${item.owner.user_id}`,
      authorProfileUrl: orNull(item.owner.link),
      license: orNull(item.content_license),
      createdMs: item.creation_date * 1000,
      words: htmlWords(item.body),
    }),
    hasMore: (body) => body.has_more === true,
    errors: [[/throttle/, 'rate_limited']],
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
