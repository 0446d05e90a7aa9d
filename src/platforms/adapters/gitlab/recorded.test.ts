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
import {
  fetchPage,
  openTestBudget as openBudget,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createGitlab } from './search.ts'

const clock = testClock()
const recordings = [...recordingsOf('gitlab'), ...laterRecordingsOf('gitlab')]
const bodyOf = ({ bytes }: Recording): Raw => JSON.parse(bytes.toString())
/** Notes of merge requests were recorded for their headers only, and issues of epics have no address. */
const isOfAnotherKind = ({ name }: Recording) => /notes|epic/.test(name)
const isIssueList = (recording: Recording) =>
  recording.status === 200 && Array.isArray(bodyOf(recording)) && !isOfAnotherKind(recording)
const isSingle = (recording: Recording) => recording.name.startsWith('issue-single')
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
  votes: issue.upvotes ?? 0,
  tags: issue.labels.map((label: Raw) => label.name ?? label),
  stars: null,
  commentCount: issue.user_notes_count,
  sourceUrl: issue.web_url,
  authorName: issue.author.name,
  authorHandle: issue.author.username,
  authorProfileUrl: issue.author.web_url,
  license: null,
  originalCreatedAt: new Date(Date.parse(issue.created_at)),
  status: issue.state === 'closed' ? 'closed' : 'open',
  statusChangedAt: issue.closed_at ? new Date(Date.parse(issue.closed_at)) : null,
  excerpt: false,
  sourceName: new URL(issue.web_url).pathname.replace(/^\/(.*?)(?:\/-)?\/issues\/\d+$/, '$1'),
  refreshHandle: `${issue.project_id}#${issue.iid}`,
  ownSource: null,
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

  it.each(recordings.filter(isSingle))('$name is read again, field by field', async (recording) => {
    const issue = bodyOf(recording)
    const { baseUrl } = await startServer((response) => sendJson(response, [issue]))
    const gitlab = createGitlab({ client: testClient(clock), clock, openBudget, baseUrl, projects: [] })
    const [result] = await gitlab.refresh!.read(['1#1'], new AbortController().signal)
    expect(result).toMatchObject({ handle: '1#1', state: 'found', request: expectedIssue(issue) })
  })

  it.each(recordings.filter(isOfAnotherKind))('$name has no issue in it', async (recording) => {
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

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('gitlab')).toEqual([])
})
