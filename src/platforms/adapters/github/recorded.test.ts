import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode, RequestStatus } from '../../../database/column-types.ts'
import type { FoundRequest } from '../../platform.ts'
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
  fetchPageOrNull,
  openTestBudget as openBudget,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { readDiscussion } from './discussions.ts'
import { createGithub } from './search.ts'

const clock = testClock()
const recordings = isPresent ? [...recordingsOf('github'), ...laterRecordingsOf('github')] : []
const bodyOf = ({ bytes }: Recording): Raw => JSON.parse(bytes.toString())
const named = (name: string) => recordings.find((recording) => recording.name.startsWith(name))!

const adapterAt = (baseUrl: string, token?: string) =>
  createGithub({ client: testClient(clock), clock, openBudget, baseUrl, token })

/** The statuses of closed issues, worked out apart from the adapter; no recording has a label that tells more. */
const statusOf = ({ state, state_reason: reason }: Raw): RequestStatus => {
  if (state === 'open') return 'open'
  return reason === 'completed' ? 'completed' : reason === 'not_planned' ? 'declined' : 'closed'
}

const repositoryOf = ({ url }: Raw) => url.split('/repos/')[1].split('/issues/')[0]

const expectedIssue = (issue: Raw): Omit<FoundRequest, 'description'> => ({
  sourceId: `${issue.id}`,
  title: inOneLine(issue.title),
  votes: issue.reactions?.['+1'] ?? 0,
  tags: issue.labels.map((label: Raw) => label.name ?? label),
  commentCount: issue.comments,
  stars: null,
  sourceUrl: issue.html_url,
  authorName: null,
  authorHandle: issue.user.login,
  authorProfileUrl: issue.user.html_url,
  license: null,
  originalCreatedAt: new Date(Date.parse(issue.created_at)),
  status: statusOf(issue),
  statusChangedAt: issue.closed_at ? new Date(Date.parse(issue.closed_at)) : null,
  excerpt: false,
  sourceName: repositoryOf(issue),
  refreshHandle: issue.node_id ? `${issue.node_id} ${issue.id} ${repositoryOf(issue)}#${issue.number}` : null,
  ownSource: null,
})

function expectIssues(requests: FoundRequest[], issues: Raw[]): void {
  expect(requests.map(({ description: _, ...rest }) => rest)).toEqual(issues.map(expectedIssue))
  for (const [index, { description }] of requests.entries()) {
    const bounds = markdownWords(issues[index].body ?? '')
    expect(isSubsequence(bounds.required, words(description))).toBe(true)
    expect(isSubsequence(words(description), bounds.allowed)).toBe(true)
    expect(description).not.toMatch(/&(#x?\w+|amp|lt|gt|quot);/)
  }
}

const isIssue = (item: Raw) => !item.pull_request?.html_url

describe.skipIf(!isPresent)('recorded answers of github', () => {
  it.each(recordings.filter(({ name }) => name.startsWith('search-')))('$name is read, field by field', async (one) => {
    const { requests, nextCursor } = await fetchPage(adapterAt(await serve(one)))
    expectIssues(requests, bodyOf(one).items.filter(isIssue))
    const link = one.headers.Link ?? one.headers.link ?? ''
    expect(nextCursor !== null).toBe(/rel="next"/.test(link))
  })

  it.each(recordings.filter(({ name }) => /^(?:repo-issues|issue-)/.test(name)))(
    '$name is read again, field by field',
    async (one) => {
      const issues: Raw[] = [bodyOf(one)].flat()
      for (const issue of issues) {
        const { baseUrl, received } = await startServer((response) => sendJson(response, issue))
        const { refresh } = adapterAt(baseUrl)
        const handle = expectedIssue(issue).refreshHandle!
        const [result] = await refresh!.read([handle], new AbortController().signal)
        expect(received[0]!.path).toBe(`/repos/PyGithub/PyGithub/issues/${issue.number}`)
        expect(result).toMatchObject({ handle, state: 'found' })
        if (result?.state === 'found') expectIssues([result.request], [issue])
      }
    },
  )

  it.each(['graphql-discussions-p1', 'graphql-discussions-by-category', 'graphql-discussion-unanswered'])(
    '%s has discussions, read field by field',
    (name) => {
      const { data } = bodyOf(named(name))
      for (const node of data.node ? [data.node] : data.repository.discussions.nodes) {
        const { description, ...rest } = readDiscussion({
          id: `D_${node.number}`,
          url: 'https://x.example/',
          ...node,
        }) as FoundRequest
        const category = node.category ? [node.category.name] : []
        expect(rest).toEqual({
          sourceId: `discussion:${node.id ?? `D_${node.number}`}`,
          title: node.title,
          votes: 0,
          tags: [...category, ...(node.labels?.nodes ?? []).map((label: Raw) => label.name)],
          stars: null,
          commentCount: node.comments?.totalCount ?? null,
          sourceUrl: node.url ?? 'https://x.example/',
          authorName: null,
          authorHandle: node.author?.login ?? null,
          authorProfileUrl: node.author?.url ?? null,
          license: null,
          originalCreatedAt: node.createdAt ? new Date(Date.parse(node.createdAt)) : null,
          status: 'open',
          statusChangedAt: null,
          excerpt: false,
          sourceName: node.repository ? 'PyGithub/PyGithub' : null,
          refreshHandle: `${node.id ?? `D_${node.number}`}${node.repository ? ' PyGithub/PyGithub' : ''}`,
          ownSource: null,
        })
        expect(description).toBe(node.body ?? '')
      }
    },
  )

  it('graphql-node-null-not-found is a node that is missing, not one that is gone', async () => {
    const { data, errors } = bodyOf(named('graphql-node-null'))
    const { baseUrl } = await startServer((response, { body }) =>
      body.includes('r0: repository(')
        ? sendJson(response, { data: { r0: { isPrivate: false, visibility: 'PUBLIC' } } })
        : sendJson(response, { data: { nodes: [data.node] }, errors: [{ ...errors[0], path: ['nodes', 0] }] }),
    )
    const handle = 'D_abcdefgh PyGithub/PyGithub'
    const results = await adapterAt(baseUrl, 't').refresh!.read([handle], new AbortController().signal)
    expect(results).toEqual([{ handle, state: 'missing' }])
  })

  const codes: Array<[RegExp, PlatformErrorCode | 'end']> = [
    [/rate-limit/, 'rate_limited'],
    [/only-first-1000/, 'end'],
    [/401/, 'unauthorized'],
    [/5\d\d/, 'unavailable'],
  ]
  it.each(recordings.filter(({ status }) => status !== 200))('$name is recognised', async (one) => {
    const page = fetchPageOrNull(adapterAt(await serve(one)))
    const code = codes.find(([pattern]) => pattern.test(one.name))?.[1]
    expect(code).toBeDefined()
    if (code === 'end') expect(await page).toBeNull()
    else await platformError(page, code!)
  })
})

it.skipIf(!isPresent)('no recording is left unread', () => {
  expect(unreadRecordings('github')).toEqual([])
})
