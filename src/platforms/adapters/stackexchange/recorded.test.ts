import { describe, expect, it } from 'vitest'
import type { RequestStatus } from '../../../database/column-types.ts'
import type { FoundRequest } from '../../platform.ts'
import {
  decode,
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
import { createStackexchange } from './search.ts'

const clock = testClock()
const recordings = isPresent ? [...recordingsOf('stackexchange'), ...laterRecordingsOf('stackexchange')] : []
const bodyOf = ({ bytes }: Recording): Raw => JSON.parse(bytes.toString())
const pages = recordings.filter(({ status }) => status === 200)
const isPosts = ({ name }: Recording) => name.startsWith('posts-')

const adapterFor = async (recording: Recording) => {
  const baseUrl = await serve(recording)
  return createStackexchange({ client: testClient(clock), clock, openBudget, baseUrl, key: 'k', sites: ['meta'] })
}
const orNull = <Value>(value: Value | undefined) => value ?? null

/** None of the recorded questions has a tag of a status. */
const statusOf = ({ closed_date: closed, closed_reason: reason }: Raw): RequestStatus =>
  closed === undefined ? 'open' : /duplicate/i.test(reason) ? 'duplicate' : 'closed'

/** What every field but the description has to be, worked out apart from the adapter. */
const expectedQuestion = (item: Raw): Omit<FoundRequest, 'description'> => ({
  sourceId: `meta:${item.question_id}`,
  title: decode(item.title),
  votes: item.score,
  tags: item.tags,
  commentCount: item.comment_count ?? item.answer_count,
  stars: null,
  sourceUrl: item.link.startsWith('http') ? item.link : `https://meta.stackexchange.com/q/${item.question_id}`,
  authorName: item.owner ? decode(item.owner.display_name).trim() : null,
  authorHandle: item.owner?.user_id === undefined ? null : `${item.owner.user_id}`,
  authorProfileUrl: orNull(item.owner?.link),
  license: orNull(item.content_license),
  originalCreatedAt: new Date(item.creation_date * 1000),
  status: statusOf(item),
  statusChangedAt: item.closed_date === undefined ? null : new Date(item.closed_date * 1000),
  excerpt: false,
  sourceName: 'meta',
  refreshHandle: `meta:${item.question_id}`,
  ownSource: null,
})

describe.skipIf(!isPresent)('recorded answers of stackexchange', () => {
  it.each(pages.filter((one) => !isPosts(one)))('$name is read, field by field', async (recording) => {
    const { requests, nextCursor } = await fetchPage(await adapterFor(recording))
    const body = bodyOf(recording)
    const items: Raw[] = body.items.filter((item: Raw) => item.title !== '' || item.body)
    expect(requests.map(({ description: _, ...rest }) => rest)).toEqual(items.map(expectedQuestion))
    for (const [index, { description }] of requests.entries()) {
      const bounds = htmlWords(items[index].body)
      expect(isSubsequence(bounds.required, words(description))).toBe(true)
      expect(isSubsequence(words(description), bounds.allowed)).toBe(true)
    }
    expect(nextCursor !== null).toBe(body.has_more === true)
  })

  it.each(pages.filter((one) => !isPosts(one)))('$name is read again by its ids', async (recording) => {
    const { refresh } = await adapterFor(recording)
    const items: Raw[] = bodyOf(recording).items.filter((item: Raw) => item.title !== '' || item.body)
    const handles = [...new Set(items.map((item: Raw) => `meta:${item.question_id}`)), 'meta:1000000001']
    const results = await refresh!.read(handles, new AbortController().signal)
    expect(results.map(({ state }) => state)).toEqual([...handles.slice(1).map(() => 'found'), 'missing'])
  })

  it.each(pages.filter(isPosts))('$name has posts, which are no questions', async (recording) => {
    expect((await fetchPage(await adapterFor(recording))).requests).toEqual([])
  })

  it.each(recordings.filter(({ status }) => status !== 200))('$name is recognised', async (recording) => {
    await platformError(fetchPage(await adapterFor(recording)), 'rate_limited')
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('stackexchange')).toEqual([])
})
