import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode } from '../../../database/column-types.ts'
import type { AdapterCache } from '../adapter-cache.ts'
import {
  decode,
  isPresent,
  laterRecordingsOf,
  type Raw,
  type Recording,
  recordingsOf,
  unreadRecordings,
} from '../recordings-testing.ts'
import {
  fetchPage,
  fetchPageOrNull,
  openTestBudget as openBudget,
  platformError,
  startServer,
  testClient,
  testClock,
  unsaidFields,
} from '../testing.ts'
import { createYoutube } from './search.ts'

const recordings = isPresent ? [...recordingsOf('youtube'), ...laterRecordingsOf('youtube')] : []
const bodyOf = ({ bytes }: Recording): Raw => JSON.parse(bytes.toString())
const ofKind = (kind: string) =>
  recordings.filter((recording) => recording.status === 200 && bodyOf(recording).kind === `youtube#${kind}`)

const errors: Array<[RegExp, PlatformErrorCode]> = [
  [/quota|daily/, 'quota_exhausted'],
  [/rate-?limit/, 'rate_limited'],
  [/key|forbidden|configured/, 'unauthorized'],
  [/5\d\d/, 'unavailable'],
  [/40[04]/, 'bad_response'],
]

/** The adapter before a server that answers each of the two methods with a body. */
async function setUp(answers: { search: Raw; commentThreads: Raw; status?: number }) {
  const { baseUrl, received } = await startServer((response, { path }) => {
    response.writeHead(answers.status ?? 200, { 'content-type': 'application/json; charset=UTF-8' })
    response.end(JSON.stringify(path === '/search' ? answers.search : answers.commentThreads))
  })
  const clock = testClock()
  const cache: AdapterCache = { read: async () => null, store: async () => {} }
  return {
    received,
    clock,
    youtube: createYoutube({ client: testClient(clock), clock, openBudget, cache, baseUrl, key: 'k' }),
  }
}

const oneVideo = { items: [{ id: { videoId: 'other' }, snippet: { title: 'Its video' } }] }
const words = (text: string) => text.match(/\S+/g) ?? []

describe.skipIf(!isPresent)('recorded answers of youtube', () => {
  it.each(ofKind('searchListResponse'))(
    '$name is read: every video is queried, and is the source of its comments',
    async (recording) => {
      const search = bodyOf(recording)
      const snippet = { textOriginal: 'I wish', likeCount: 0 }
      const commentThreads = { items: [{ snippet: { topLevelComment: { id: 'c', snippet } } }] }
      const { youtube, received, clock } = await setUp({ search, commentThreads })
      const titles: string[] = []
      for (let turn = 0; turn < search.items.length; turn++) {
        const { requests } = await fetchPage(youtube, 'dark mode', { turn, next: {}, ended: [] })
        titles.push(requests[0]!.sourceName ?? '')
        clock.advance(1_000)
      }
      expect(titles).toEqual(search.items.map((item: Raw) => decode(item.snippet.title).replace(/ +/g, ' ')))
      const videoIds = received.map(({ query }) => query.videoId).filter((id) => id !== undefined)
      expect(videoIds).toEqual(search.items.map((item: Raw) => item.id.videoId))
    },
  )

  it.each(ofKind('commentThreadListResponse'))('$name is read, field by field', async (recording) => {
    const commentThreads = bodyOf(recording)
    const { youtube } = await setUp({ search: oneVideo, commentThreads })
    const { requests, nextCursor } = await fetchPage(youtube)
    expect(requests).toHaveLength(commentThreads.items.length)
    for (const [index, { id, snippet }] of commentThreads.items.entries()) {
      const comment = snippet.topLevelComment.snippet
      const { title, description, ...request } = requests[index]!
      expect(words(description)).toEqual(words(comment.textOriginal))
      expect(words(description).join(' ').startsWith(title.replace(/…$/, ''))).toBe(true)
      const videoId = snippet.videoId ?? 'other'
      expect(request).toEqual({
        sourceId: id,
        votes: comment.likeCount,
        tags: [],
        stars: null,
        commentCount: snippet.totalReplyCount,
        sourceUrl: `https://www.youtube.com/watch?v=${videoId}&lc=${id}`,
        authorName: comment.authorDisplayName,
        authorHandle: /^@(.*)/.exec(comment.authorDisplayName)?.[1] ?? null,
        authorProfileUrl: comment.authorChannelUrl,
        license: null,
        originalCreatedAt: new Date(comment.publishedAt),
        ...unsaidFields,
        sourceName: 'Its video',
        refreshHandle: `${id} ${videoId} Its video`,
      })
    }
    const token = commentThreads.nextPageToken
    expect(nextCursor).toMatchObject({ next: { other: token ? { done: 0, token } : { done: 1, token: null } } })
  })

  it.each(ofKind('commentThreadListResponse'))('$name is read again by its ids', async (recording) => {
    const commentThreads = bodyOf(recording)
    const { youtube } = await setUp({ search: oneVideo, commentThreads })
    const { requests } = await fetchPage(youtube)
    const handles = requests.map(({ refreshHandle }) => refreshHandle!)
    const again = await youtube.refresh!.read(handles, new AbortController().signal)
    expect(again).toEqual(requests.map((request, index) => ({ handle: handles[index], state: 'found', request })))
  })

  it.each(recordings.filter(({ status, name }) => status !== 200 && !name.includes('comments-disabled')))(
    '$name is recognised',
    async (recording) => {
      const body = bodyOf(recording)
      const { youtube } = await setUp({ search: body, commentThreads: body, status: recording.status })
      const code = errors.find(([pattern]) => pattern.test(recording.name))?.[1]
      expect(code).toBeDefined()
      await platformError(fetchPage(youtube), code!)
    },
  )

  it.each(recordings.filter(({ name }) => name.includes('comments-disabled')))(
    '$name ends its video',
    async (recording) => {
      const { baseUrl } = await startServer((response, { path }) => {
        response.writeHead(path === '/search' ? 200 : recording.status, { 'content-type': 'application/json' })
        response.end(path === '/search' ? JSON.stringify(oneVideo) : recording.bytes)
      })
      const clock = testClock()
      const cache: AdapterCache = { read: async () => null, store: async () => {} }
      const youtube = createYoutube({ client: testClient(clock), clock, openBudget, cache, baseUrl, key: 'k' })
      expect(await fetchPageOrNull(youtube)).toBeNull()
    },
  )
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('youtube')).toEqual([])
})
