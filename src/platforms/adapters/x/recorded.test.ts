import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode } from '../../../database/column-types.ts'
import type { Platform } from '../../platform.ts'
import {
  decode,
  isPresent,
  laterRecordingsOf,
  type Raw,
  type Recording,
  recordingsOf,
  serve,
  unreadRecordings,
} from '../recordings-testing.ts'
import {
  fetchPage,
  openTestBudget as openBudget,
  platformError,
  testClient,
  testClock,
  unsaidFields,
} from '../testing.ts'
import { createX } from './search.ts'

const clock = testClock('2021-07-04T11:55:00Z')
const recordings = isPresent ? [...recordingsOf('x'), ...laterRecordingsOf('x')] : []
const pages = recordings.filter(({ status }) => status === 200)
const errors = recordings.filter(({ status }) => status !== 200)

async function search(recording: Recording): Promise<Platform> {
  return createX({ client: testClient(clock), clock, openBudget, baseUrl: await serve(recording), bearerToken: 'b' })
}

/** What every field has to be, worked out apart from the adapter. */
function expectedOf(post: Raw, users: Raw[]) {
  const user = users.find(({ id }) => id === post.author_id)
  const urls: Raw[] = [post, post.note_tweet].flatMap((part) => part?.entities?.urls ?? [])
  const shown = ({ expanded_url }: Raw) => (/\/(?:photo|video)\/\d+$/.test(expanded_url) ? '' : expanded_url)
  const text = urls
    .reduce((read, link) => read.replaceAll(link.url, shown(link)), decode(post.note_tweet?.text ?? post.text))
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n(?:[ \t]*\n){3,}/g, '\n\n\n')
    .trim()
  const tags = [post, post.note_tweet].flatMap((part) => part?.entities?.hashtags ?? []).map(({ tag }: Raw) => tag)
  return {
    sourceId: post.id,
    description: text,
    votes: post.public_metrics?.like_count ?? 0,
    tags: [...new Set(tags)],
    stars: null,
    commentCount: post.public_metrics?.reply_count ?? null,
    sourceUrl: `https://x.com/${user?.username ?? 'i'}/status/${post.id}`,
    authorName: user?.name ?? null,
    authorHandle: user?.username ?? null,
    authorProfileUrl: user ? `https://x.com/${user.username}` : null,
    license: null,
    originalCreatedAt: post.created_at ? new Date(post.created_at) : null,
    ...unsaidFields,
  }
}

const codes: Array<[RegExp, PlatformErrorCode]> = [
  [/cap|credit|402/, 'quota_exhausted'],
  [/429/, 'rate_limited'],
  [/40[13]/, 'unauthorized'],
  [/400/, 'bad_response'],
  [/5\d\d/, 'unavailable'],
]

describe.skipIf(!isPresent)('recorded answers of x', () => {
  it.each(pages)('$name is read, field by field', async (recording) => {
    const { requests, nextCursor } = await fetchPage(await search(recording))
    const { data = [], includes, meta } = JSON.parse(recording.bytes.toString())
    const isRetweet = (post: Raw) => post.referenced_tweets?.some(({ type }: Raw) => type === 'retweeted')
    const posts = data.filter((post: Raw) => !isRetweet(post) && !post.withheld)
    expect(requests.map(({ title: _, ...rest }) => rest)).toEqual(
      posts.map((post: Raw) => expectedOf(post, includes?.users ?? [])),
    )
    for (const { title, description } of requests) {
      // A title is the start of the text in one line, or most of it and an ellipsis.
      const withoutLinks = (text: string) =>
        text
          .replace(/https?:\/\/\S+/g, '')
          .replace(/\s+/g, ' ')
          .trim()
      expect(title).not.toBe('')
      expect(title).not.toContain('t.co/')
      expect(withoutLinks(description).startsWith(withoutLinks(title.replace(/…$/, '')))).toBe(true)
      expect([...title].length).toBeLessThanOrEqual(120)
    }
    expect(nextCursor).toEqual(meta?.next_token === undefined ? null : { token: meta.next_token })
  })

  it.each(errors)('$name is recognised', async (recording) => {
    const code = codes.find(([pattern]) => pattern.test(recording.name))?.[1]
    expect(code).toBeDefined()
    await platformError(fetchPage(await search(recording)), code!)
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('x')).toEqual([])
})
