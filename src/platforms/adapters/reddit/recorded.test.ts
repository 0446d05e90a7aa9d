import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode } from '../../../database/column-types.ts'
import { type Platform, SourceRefusedError } from '../../platform.ts'
import {
  inOneLine,
  isPresent,
  isSubsequence,
  laterRecordingsOf,
  markdownWords,
  type Raw,
  type Recording,
  recordingsOf,
  serve,
  unreadRecordings,
  words,
} from '../recordings-testing.ts'
import {
  fetchPage,
  openTestBudget as openBudget,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createReddit } from './search.ts'

const clock = testClock()
const recordings = isPresent ? recordingsOf('reddit') : []
const tokens = recordings.filter(({ name }) => /oauth-token/.test(name))
const pages = recordings.filter(({ name, status }) => /^search/.test(name) && status === 200)
const errors = recordings.filter((recording) => !tokens.includes(recording) && !pages.includes(recording))

function reddit(baseUrl: string, tokenUrl: string): Platform {
  const credentials = { clientId: 'app', clientSecret: 'hush' }
  return createReddit({ client: testClient(clock), clock, openBudget, baseUrl, tokenUrl, ...credentials })
}

async function tokenUrl(): Promise<string> {
  const { baseUrl } = await startServer((response) => sendJson(response, { access_token: 't', expires_in: 3600 }))
  return baseUrl
}

async function listing(recording: Recording): Promise<Platform> {
  return reddit(await serve(recording), await tokenUrl())
}

/** What every field has to be, worked out apart from the adapter. */
const expectedOf = ({ data }: Raw) => ({
  sourceId: `t3_${data.id}`,
  title: inOneLine(data.title),
  votes: data.score,
  tags: [data.link_flair_text, data.subreddit].filter((tag) => tag),
  stars: null,
  commentCount: data.num_comments,
  sourceUrl: `https://www.reddit.com${data.permalink}`,
  authorName: null,
  authorHandle: data.author === '[deleted]' ? null : data.author,
  authorProfileUrl: data.author === '[deleted]' ? null : `https://www.reddit.com/user/${data.author}`,
  license: null,
  originalCreatedAt: new Date(data.created_utc * 1000),
  status: null,
  statusChangedAt: null,
  excerpt: false,
  sourceName: `r/${data.subreddit}`,
  refreshHandle: `t3_${data.id}`,
  ownSource: null,
})

const codes: Array<[RegExp, PlatformErrorCode]> = [
  [/403/, 'blocked'],
  [/429/, 'rate_limited'],
  [/40[14]|invalid/, 'unauthorized'],
  [/5\d\d/, 'unavailable'],
]

describe.skipIf(!isPresent)('further recorded answers of reddit', () => {
  const further = laterRecordingsOf('reddit')
  const named = (start: string) => further.filter(({ name }) => name.startsWith(start))
  const isRemoved = ({ data }: Raw) => /^\[(removed|deleted)\]$/.test(data.selftext)

  it.each(named('info-'))('$name is read again, field by field', async (recording) => {
    const { children } = JSON.parse(recording.bytes.toString()).data
    const posts = children.filter(({ kind }: Raw) => kind === 't3')
    const handles = [...posts.map(({ data }: Raw) => data.name), 't3_absent']
    const read = await (await listing(recording)).refresh!.read(handles, new AbortController().signal)
    expect(read.map(({ handle }) => handle)).toEqual(handles)
    expect(read.at(-1)!.state).toBe('unreadable')
    for (const [index, post] of posts.entries()) {
      const one = read[index]!
      expect(one.state).toBe(isRemoved(post) ? 'gone' : 'found')
      if (one.state !== 'found') continue
      const { description, ...rest } = one.request
      expect(rest).toEqual(expectedOf(post))
      const bounds = markdownWords(post.data.selftext)
      expect(isSubsequence(bounds.required, words(description))).toBe(true)
      expect(isSubsequence(words(description), bounds.allowed)).toBe(true)
    }
  })

  it.each(named('duplicates-'))('$name has posts that are read, field by field', async (recording) => {
    for (const list of JSON.parse(recording.bytes.toString())) {
      const { requests } = await fetchPage(await listing({ ...recording, bytes: Buffer.from(JSON.stringify(list)) }))
      const expected = list.data.children.map(expectedOf)
      expect(requests.map(({ description: _, ...rest }) => rest)).toEqual(expected)
    }
  })

  it.each(named('error-'))('$name costs a named community, and is recognised without one', async (recording) => {
    await platformError(fetchPage(await listing(recording)), 'blocked')
    const platform = await listing(recording)
    const { signal } = new AbortController()
    await expect(platform.verifySource!('r/named', signal)).rejects.toBeInstanceOf(SourceRefusedError)
  })
})

describe.skipIf(!isPresent)('recorded answers of reddit', () => {
  it.each(pages)('$name is read, field by field', async (recording) => {
    const { requests, nextCursor } = await fetchPage(await listing(recording))
    const { data } = JSON.parse(recording.bytes.toString())
    const posts = data.children.filter(
      ({ data }: Raw) => !data.removed_by_category && !/^\[(removed|deleted)\]$/.test(data.selftext),
    )
    expect(requests.map(({ description: _, ...rest }) => rest)).toEqual(posts.map(expectedOf))
    for (const [index, { description }] of requests.entries()) {
      const bounds = markdownWords(posts[index].data.selftext)
      expect(isSubsequence(bounds.required, words(description))).toBe(true)
      expect(isSubsequence(words(description), bounds.allowed)).toBe(true)
    }
    expect(nextCursor).toEqual(data.after === null ? null : { after: data.after, page: 2 })
  })

  it.each(tokens)('$name gives a token', async (recording) => {
    const { access_token: token } = JSON.parse(recording.bytes.toString())
    const empty = { kind: 'Listing', data: { children: [], after: null } }
    const { baseUrl, received } = await startServer((response) => sendJson(response, empty))
    await fetchPage(reddit(baseUrl, await serve(recording)))
    expect(received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`])
  })

  it.each(errors)('$name is recognised, from the search and from the token', async (recording) => {
    const code = codes.find(([pattern]) => pattern.test(recording.name))?.[1]
    expect(code).toBeDefined()
    await platformError(fetchPage(await listing(recording)), code!)
    await platformError(fetchPage(reddit('http://127.0.0.1:9', await serve(recording))), code!)
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('reddit')).toEqual([])
})
