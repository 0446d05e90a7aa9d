import { describe, expect, it } from 'vitest'
import type { FoundRequest } from '../../platform.ts'
import {
  htmlWords,
  isPresent,
  isSubsequence,
  laterRecordingsOf,
  type Raw,
  type Recording,
  recordingsOf,
  serve,
  unreadRecordings,
  words,
} from '../recordings-testing.ts'
import { fetchPage, openTestBudget as openBudget, platformError, testClient, testClock } from '../testing.ts'
import { readForum } from './forum.ts'
import { readTopicPage } from './post.ts'
import { createDiscourse } from './search.ts'
import { discourseStatus } from './status.ts'
import { verifyForum } from './verify.ts'

const clock = testClock()
const recordings = recordingsOf('discourse')
const bodyOf = ({ bytes }: Recording): Raw => JSON.parse(bytes.toString())
const isSearch = (recording: Recording) => recording.status === 200 && bodyOf(recording).grouped_search_result
const errorCodes: Array<[RegExp, Parameters<typeof platformError>[1]]> = [
  [/429|rate-limit/, 'rate_limited'],
  [/403/, 'unauthorized'],
  [/5\d\d/, 'unavailable'],
  [/4\d\d/, 'bad_response'],
]

function adapterAt(baseUrl: string) {
  return createDiscourse({ client: testClient(clock), clock, openBudget, urls: [`${baseUrl}/c/feature/2`] })
}

/** What every field but the description has to be, worked out apart from the adapter. */
function expectedTopic(post: Raw, topics: Raw[], baseUrl: string) {
  const topic = topics.find(({ id }) => id === post.topic_id)
  return {
    sourceId: `${baseUrl.replace('http://', '')}:${topic.id}`,
    title: topic.title,
    votes: topic.vote_count ?? post.like_count,
    tags: topic.tags.map((tag: Raw) => tag.name ?? tag),
    stars: null,
    commentCount: topic.posts_count - 1,
    sourceUrl: `${baseUrl}/t/${topic.slug}/${topic.id}/${post.post_number}`,
    authorName: post.name ? post.name : null,
    authorHandle: post.username,
    authorProfileUrl: `${baseUrl}/u/${post.username}`,
    license: null,
    originalCreatedAt: new Date(Date.parse(post.created_at)),
    status: topic.closed || topic.archived ? 'closed' : 'open',
    statusChangedAt: null,
    excerpt: /^\.\.\.|\.\.\.$/.test(post.blurb),
    sourceName: `${baseUrl.replace('http://', '')}: feature`,
    refreshHandle: null,
    ownSource: null,
  }
}

describe.skipIf(!isPresent)('recorded answers of discourse', () => {
  it.each(recordings.filter(isSearch))('$name is read, field by field', async (recording) => {
    const baseUrl = await serve(recording)
    const { requests, nextCursor } = await fetchPage(adapterAt(baseUrl))
    const { posts = [], topics = [], grouped_search_result: result } = bodyOf(recording)
    expect(requests.map(({ description: _, ...rest }) => rest)).toEqual(
      posts.map((post: Raw) => expectedTopic(post, topics, baseUrl)),
    )
    for (const [index, { description }] of requests.entries()) {
      // A blurb that begins with "..." may begin within a word.
      const bounds = htmlWords(posts[index].blurb.replace(/^\.\.\.\S*/, ''))
      expect(isSubsequence(bounds.required, words(description))).toBe(true)
      expect(isSubsequence(words(description), bounds.allowed)).toBe(true)
    }
    expect(nextCursor !== null).toBe(result.more_full_page_results === true)
  })

  it.each(recordings.filter(({ name }) => name.startsWith('error-')))('$name is recognised', async (recording) => {
    const code = errorCodes.find(([pattern]) => pattern.test(recording.name))?.[1]
    expect(code).toBeDefined()
    const error = await platformError(fetchPage(adapterAt(await serve(recording))), code!)
    const waitSeconds = bodyOf(recording).extras?.wait_seconds
    if (waitSeconds) expect(error.retryAt).toEqual(new Date(clock.now().getTime() + waitSeconds * 1000))
  })
})

/** The page of a topic, worked out apart from the adapter. */
function expectedPage(topic: Raw) {
  const post = topic.post_stream.posts.find(({ post_number }: Raw) => post_number === 1)
  const likes = post.actions_summary.find(({ id }: Raw) => id === 2)
  return {
    sourceId: `forum.example:${topic.id}`,
    title: topic.title,
    votes: topic.vote_count ?? post.like_count ?? likes?.count ?? 0,
    tags: (topic.tags ?? []).map((tag: Raw) => tag.name ?? tag),
    stars: null,
    commentCount: topic.posts_count - 1,
    sourceUrl: `https://forum.example/t/${topic.slug}/${topic.id}/1`,
    authorName: post.name ? post.name : null,
    authorHandle: post.username,
    authorProfileUrl: `https://forum.example/u/${post.username}`,
    license: null,
    originalCreatedAt: new Date(Date.parse(post.created_at)),
    status: topic.closed || topic.archived ? 'closed' : 'open',
    statusChangedAt: null,
    excerpt: false,
    sourceName: 'forum.example',
    refreshHandle: null,
    ownSource: null,
  }
}

describe.skipIf(!isPresent)('recorded pages of topics of discourse', () => {
  const pages = laterRecordingsOf('discourse').filter(({ name }) => name.startsWith('topic-'))
  const forum = readForum('https://forum.example')

  it.each(pages)('$name is read, field by field', (recording) => {
    const body = bodyOf(recording)
    const found = readTopicPage(body, forum)
    // Discourse makes this topic for every category, to describe it.
    if (/^About the .+ category$/.test(body.title)) return expect(found).toBeNull()
    const { description, ...rest } = found as FoundRequest
    expect(rest).toEqual(expectedPage(body))
    const bounds = htmlWords(body.post_stream.posts[0].cooked)
    expect(isSubsequence(bounds.required, words(description))).toBe(true)
    expect(isSubsequence(words(description), bounds.allowed)).toBe(true)
  })

  it('that are lists of topics are none, and the marks of their topics give a status', () => {
    const lists = laterRecordingsOf('discourse').filter(({ name }) => /^(topics|category)-/.test(name))
    expect(lists.length).toBeGreaterThan(2)
    for (const recording of lists) {
      const body = bodyOf(recording)
      expect(readTopicPage(body, forum)).toBeNull()
      for (const topic of body.topic_list.topics) {
        expect(discourseStatus(topic)).toBe(topic.closed || topic.archived ? 'closed' : 'open')
      }
    }
  })

  it('the list of categories says which of them are public', async () => {
    const [recording] = laterRecordingsOf('discourse').filter(({ name }) => name.startsWith('categories-'))
    const { categories } = bodyOf(recording!).category_list
    for (const category of categories) {
      const verified = verifyForum(readForum(`https://forum.example/c/${category.slug}`), 'forum', async () => ({
        categories,
      }))
      if (category.read_restricted) await expect(verified).rejects.toThrow()
      else await verified
    }
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  // A list of replies (`GET /posts.json`), which the adapter does not request.
  expect(unreadRecordings('discourse')).toEqual(['posts-latest.json'])
})
