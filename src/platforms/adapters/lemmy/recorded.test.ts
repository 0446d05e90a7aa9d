import { describe, expect, it } from 'vitest'
import {
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
import { fetchPage, openTestBudget as openBudget, platformError, testClient, testClock } from '../testing.ts'
import { createLemmy } from './search.ts'

const clock = testClock()
const recordings = [...recordingsOf('lemmy'), ...laterRecordingsOf('lemmy')]
const isComments = ({ name }: Recording) => name.startsWith('comment-')
const pages = recordings.filter((recording) => recording.status === 200 && !isComments(recording))
const errorCodes: Array<[RegExp, Parameters<typeof platformError>[1]]> = [
  [/429|rate-limit/, 'rate_limited'],
  [/5\d\d/, 'unavailable'],
  [/4\d\d/, 'bad_response'],
]

/** A recording is an answer of the search or one element of its list. */
function asSearch(recording: Recording): Recording & { posts: Raw[] } {
  const body = JSON.parse(recording.bytes.toString())
  const posts = body.posts ?? [body.post_view ?? body]
  return { ...recording, posts, bytes: Buffer.from(JSON.stringify({ type_: 'Posts', comments: [], posts })) }
}

async function adapterFor(recording: Recording) {
  return createLemmy({ client: testClient(clock), clock, openBudget, urls: [await serve(recording)] })
}

/** What every field but the description has to be, worked out apart from the adapter. */
function expectedPost({ post, creator, community, counts }: Raw) {
  const zoned = /Z|[+-]\d\d:\d\d$/.test(post.published) ? post.published : `${post.published}+00:00`
  return {
    sourceId: post.ap_id,
    title: post.name,
    votes: counts.score,
    tags: [community.name],
    stars: null,
    commentCount: counts.comments,
    sourceUrl: post.ap_id,
    authorName: creator.display_name ?? creator.name,
    authorHandle: `${creator.name}@${creator.actor_id.split('/')[2]}`,
    authorProfileUrl: creator.actor_id,
    license: null,
    originalCreatedAt: new Date(Date.parse(zoned)),
    status: null,
    statusChangedAt: null,
    excerpt: false,
    sourceName: `!${community.name}@${community.actor_id.split('/')[2]}`,
    refreshHandle: null,
    ownSource: null,
  }
}

describe.skipIf(!isPresent)('recorded answers of lemmy', () => {
  it.each(pages)('$name is read, field by field', async (recording) => {
    const search = asSearch(recording)
    const { requests } = await fetchPage(await adapterFor(search))
    const posts = search.posts.filter(({ post }) => !post.deleted && !post.removed)
    expect(requests.map(({ description: _, ...rest }) => rest)).toEqual(posts.map(expectedPost))
    for (const [index, { description }] of requests.entries()) {
      const bounds = markdownWords(posts[index].post.body ?? '')
      expect(isSubsequence(bounds.required, words(description))).toBe(true)
      expect(isSubsequence(words(description), bounds.allowed)).toBe(true)
    }
  })

  it.each(recordings.filter(isComments))('$name has no posts, only replies', async (recording) => {
    const { comments } = JSON.parse(recording.bytes.toString())
    const bytes = Buffer.from(JSON.stringify({ posts: comments }))
    const page = await fetchPage(await adapterFor({ ...recording, bytes }))
    expect([page.requests, page.discarded]).toEqual([[], { reply: comments.length }])
  })

  it('each recorded error is recognised', async () => {
    for (const recording of recordings.filter(({ name }) => name.startsWith('error-'))) {
      const code = errorCodes.find(([pattern]) => pattern.test(recording.name))?.[1]
      await platformError(fetchPage(await adapterFor(recording)), code!)
    }
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('lemmy')).toEqual([])
})
