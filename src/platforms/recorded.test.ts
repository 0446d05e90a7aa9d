import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createGithub } from './github.ts'
import { createHackernews } from './hackernews.ts'
import type { FoundRequest, Platform, PlatformErrorCode } from './platform.ts'
import { createStackexchange } from './stackexchange.ts'
import { fetchPage, platformError, startServer, testClient, testClock } from './testing.ts'

const shared = process.env.WISHWELL_SHARED ?? resolve(import.meta.dirname, '../../../shared')
const recorded = join(shared, 'recorded')
const isPresent = existsSync(recorded)
if (!isPresent) console.log(`skipped: no recordings in ${recorded} (set WISHWELL_SHARED to the folder that holds them)`)

// biome-ignore lint/suspicious/noExplicitAny: a recording has whatever its platform sent.
type Raw = any

interface Recording {
  name: string
  status: number
  headers: Record<string, string>
  bytes: Buffer
}

function recordingsOf(platform: string): Recording[] {
  const folder = join(recorded, platform)
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => /\.(json|html)$/.test(name) && !name.endsWith('.headers.json'))
  return names.sort().map((name) => {
    const headersFile = join(folder, name.replace(/\.\w+$/, '.headers.json'))
    const wire = existsSync(headersFile) ? JSON.parse(readFileSync(headersFile, 'utf8')) : {}
    const status = wire.status ?? Number(/^error-(\d{3})-/.exec(name)?.[1] ?? 200)
    return { name, status, headers: wire.headers ?? {}, bytes: readFileSync(join(folder, name)) }
  })
}

/** Serves a recording as it came over the wire; what frames the body belongs to the old connection. */
async function serve({ status, headers, bytes }: Recording): Promise<string> {
  const framing = new Set(['content-length', 'connection', 'transfer-encoding', 'keep-alive'])
  const kept = Object.entries(headers).filter(([name]) => !framing.has(name.toLowerCase()))
  const isGzip = kept.some(([name, value]) => name.toLowerCase() === 'content-encoding' && value === 'gzip')
  const { baseUrl } = await startServer((response) => {
    response.writeHead(status, Object.fromEntries(kept))
    response.end(isGzip ? gzipSync(bytes) : bytes)
  })
  return baseUrl
}

const decode = (html: string) =>
  html
    .replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(Number(number)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []
const htmlWords = (html: string | null | undefined) => {
  const required = words(decode((html ?? '').replace(/<[^>]*>/g, ' ')))
  return { required, allowed: required }
}
/** In code a tag is text, elsewhere it is not: that is left open here. */
function markdownWords(markdown: string) {
  const text = markdown
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\]\([^)]*\)/g, ' ')
    .replace(/^\s*```.*/gm, ' ')
    .replace(/<\/?(?:br|p|div|li|tr|td|details|summary|h\d)\b[^>]*>/g, ' ')
    .replace(/<\/?\w[^>]*>/g, '')
  return { required: words(decode(text)), allowed: words(decode(markdown)) }
}

function isSubsequence(part: string[], whole: string[]): boolean {
  let found = 0
  for (const word of whole) if (word === part[found]) found += 1
  return found === part.length
}

const orNull = <Value>(value: Value | undefined) => value ?? null
const isoMs = (text: string) => Date.parse(text)

/** What every field has to be, worked out apart from the adapters. */
type Expected = Omit<FoundRequest, 'description' | 'originalCreatedAt'> & {
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
    create: (baseUrl) => createGithub({ client: testClient(clock), clock, baseUrl }),
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
    platform: 'hackernews',
    create: (baseUrl) => createHackernews({ client: testClient(clock), baseUrl }),
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
  {
    platform: 'stackexchange',
    create: (baseUrl) => createStackexchange({ client: testClient(clock), clock, baseUrl, key: 'k', sites: ['meta'] }),
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
    const expected = platformCase.items(body).map(platformCase.expected)
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
    const page = fetchPage(platformCase.create(await serve(recording)))
    const code = platformCase.errors.find(([pattern]) => pattern.test(recording.name))?.[1]
    expect(code).toBeDefined()
    if (code === 'end') expect(await page).toEqual({ requests: [], nextCursor: null })
    else await platformError(page, code!)
  })
})
