import { describe, expect, it } from 'vitest'
import {
  isPresent,
  isSubsequence,
  markdownWords,
  type Raw,
  type Recording,
  recordingsOf,
  serve,
  words,
} from '../recordings.ts'
import { fetchPage, openTestBudget as openBudget, platformError, testClient, testClock } from '../testing.ts'
import { createGitlab } from './search.ts'

const clock = testClock()
const recordings = recordingsOf('gitlab')
const bodyOf = ({ bytes }: Recording): Raw => JSON.parse(bytes.toString())
/** Notes of merge requests were recorded for their headers only. */
const isIssueList = (recording: Recording) =>
  recording.status === 200 && Array.isArray(bodyOf(recording)) && !recording.name.includes('notes')
const errorCodes: Array<[RegExp, Parameters<typeof platformError>[1]]> = [
  [/401/, 'unauthorized'],
  [/429/, 'rate_limited'],
  [/5\d\d/, 'unavailable'],
  [/4\d\d/, 'bad_response'],
]

async function adapterFor(recording: Recording) {
  const baseUrl = await serve(recording)
  return createGitlab({ client: testClient(clock), clock, openBudget, baseUrl, projects: ['a/b:feature'] })
}

/** What every field but the description has to be, worked out apart from the adapter. */
const expectedIssue = (issue: Raw) => ({
  sourceId: `${issue.id}`,
  title: issue.title,
  votes: issue.upvotes,
  tags: issue.labels.map((label: Raw) => label.name ?? label),
  commentCount: issue.user_notes_count,
  sourceUrl: issue.web_url,
  authorName: issue.author.name,
  authorHandle: issue.author.username,
  authorProfileUrl: issue.author.web_url,
  license: null,
  originalCreatedAt: new Date(Date.parse(issue.created_at)),
})

const nextPageOf = ({ headers }: Recording) =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-next-page')?.[1] ?? ''

describe.skipIf(!isPresent)('recorded answers of gitlab', () => {
  it.each(recordings.filter(isIssueList))('$name is read, field by field', async (recording) => {
    const { requests, nextCursor } = await fetchPage(await adapterFor(recording))
    const issues = bodyOf(recording)
    expect(requests.map(({ description: _, ...rest }) => rest)).toEqual(issues.map(expectedIssue))
    for (const [index, { description }] of requests.entries()) {
      const bounds = markdownWords(issues[index].description ?? '')
      expect(isSubsequence(bounds.required, words(description))).toBe(true)
      expect(isSubsequence(words(description), bounds.allowed)).toBe(true)
    }
    expect(nextCursor !== null).toBe(nextPageOf(recording) !== '')
  })

  it.each(recordings.filter(({ name }) => name.includes('notes')))('$name has no issue in it', async (recording) => {
    const { requests, nextCursor } = await fetchPage(await adapterFor(recording))
    expect(requests).toEqual([])
    expect(nextCursor !== null).toBe(nextPageOf(recording) !== '')
  })

  it.each(recordings.filter(({ name }) => name.startsWith('error-')))('$name is recognised', async (recording) => {
    const code = errorCodes.find(([pattern]) => pattern.test(recording.name))?.[1]
    expect(code).toBeDefined()
    await platformError(fetchPage(await adapterFor(recording)), code!)
  })
})
