import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  isPresent,
  laterRecordingsOf,
  type Raw,
  type Recording,
  recordingsOf,
  unreadRecordings,
} from '../recordings-testing.ts'
import {
  fetchPage,
  openTestBudget as openBudget,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
  unsaidFields,
} from '../testing.ts'
import { createBluesky } from './search.ts'

const clock = testClock()
const recordings = [...recordingsOf('bluesky'), ...laterRecordingsOf('bluesky')]
const bodyOf = ({ bytes }: Recording): Raw => JSON.parse(bytes.toString())
const errorCodes: Array<[RegExp, Parameters<typeof platformError>[1]]> = [
  [/401|expired|auth/i, 'unauthorized'],
  [/403/, 'blocked'],
  [/429/, 'rate_limited'],
  [/5\d\d/, 'unavailable'],
  [/4\d\d/, 'bad_response'],
]

/** The recording answers the search; the session before it was never recorded. */
async function adapterFor({ status, headers, bytes }: Recording) {
  const kept = ['content-type', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy']
  const wire = Object.entries(headers).filter(([name]) => kept.includes(name.toLowerCase()))
  const { baseUrl } = await startServer((response, { path }) => {
    if (path.endsWith('createSession')) return sendJson(response, { accessJwt: 'token' })
    response.writeHead(status, { ...Object.fromEntries(wire), 'content-encoding': 'gzip' }).end(gzipSync(bytes))
  })
  const account = { handle: 'a.bsky.social', appPassword: 'p' }
  return createBluesky({ client: testClient(clock), clock, openBudget, baseUrl, ...account })
}

const features = (post: Raw): Raw[] => (post.record.facets ?? []).flatMap((facet: Raw) => facet.features)

/** What every field but the title has to be, worked out apart from the adapter. */
const expectedPost = (post: Raw) => ({
  sourceId: post.uri,
  description: post.record.text
    .replaceAll('\r\n', '\n')
    .replace(/[^\S\n]+$/gm, '')
    .trim(),
  votes: post.likeCount,
  tags: [
    ...new Set([
      ...features(post)
        .filter((feature) => feature.$type.endsWith('#tag'))
        .map((feature) => feature.tag),
      ...(post.record.tags ?? []),
    ]),
  ],
  stars: null,
  commentCount: post.replyCount,
  sourceUrl: `https://bsky.app/profile/${post.author.handle}/post/${post.uri.split('/').at(-1)}`,
  authorName: post.author.displayName?.trim() || null,
  authorHandle: post.author.handle,
  authorProfileUrl: `https://bsky.app/profile/${post.author.handle}`,
  license: null,
  originalCreatedAt: new Date(Date.parse(post.record.createdAt)),
  ...unsaidFields,
  refreshHandle: post.uri,
})

describe.skipIf(!isPresent)('recorded answers of bluesky', () => {
  it.each(recordings.filter(({ status }) => status === 200))('$name is read, field by field', async (recording) => {
    const { requests, nextCursor } = await fetchPage(await adapterFor(recording))
    const { posts, cursor } = bodyOf(recording)
    expect(requests.map(({ title: _, ...rest }) => rest)).toEqual(posts.map(expectedPost))
    for (const { title, description } of requests) {
      const start = title.replace(/…$/, '')
      expect(description.replace(/\s+/g, ' ').startsWith(start.replace(/\s+/g, ' '))).toBe(true)
      expect([...title].length).toBeLessThanOrEqual(120)
      expect(title === '').toBe(description === '')
    }
    expect((nextCursor as Raw)?.next?.['feature request']).toBe(cursor)
  })

  it.each(recordings.filter(({ status }) => status === 200))('$name is read again by addresses', async (recording) => {
    const adapter = await adapterFor(recording)
    const { requests } = await fetchPage(adapter)
    const uris = requests.map(({ sourceId }) => sourceId)
    const again = await adapter.refresh!.read(
      [...uris, 'at://did:plc:gone/app.bsky.feed.post/1'],
      new AbortController().signal,
    )
    expect(again.map(({ state }) => state)).toEqual([...uris.map(() => 'found'), 'missing'])
    expect(again.flatMap((one) => (one.state === 'found' ? [one.request] : []))).toEqual(requests)
  })

  it.each(recordings.filter(({ status }) => status !== 200))('$name is recognised', async (recording) => {
    const code = errorCodes.find(([pattern]) => pattern.test(recording.name))?.[1]
    expect(code).toBeDefined()
    await platformError(fetchPage(await adapterFor(recording)), code!)
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('bluesky')).toEqual([])
})
