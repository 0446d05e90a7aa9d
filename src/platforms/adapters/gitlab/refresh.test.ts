import { describe, expect, it } from 'vitest'
import {
  openTestBudget as openBudget,
  type Received,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createGitlab } from './search.ts'

// Holds (Jobs): a request is deleted on its platform's explicit sign, or when missing on three days from a readable source
// Holds (Jobs): a source that became private or unreadable deletes nothing

/** @param answer to each list of issues. */
async function setUp(answer: (query: URLSearchParams) => [status: number, body: unknown]) {
  const clock = testClock()
  const server = await startServer((response, { url }: Received) => {
    const [status, body] = answer(url.searchParams)
    sendJson(response, body, status)
  })
  const baseUrl = `${server.baseUrl}/api/v4`
  const gitlab = createGitlab({ client: testClient(clock), clock, openBudget, baseUrl, projects: ['a/b'] })
  const read = async (...handles: string[]) =>
    (await gitlab.refresh!.read(handles, new AbortController().signal)).map(({ state }) => state)
  return { ...server, gitlab, read }
}

describe('issues of GitLab that are read again', () => {
  it('are found in one request, with their votes and what became of them', async () => {
    const closed = { state: 'closed', closed_at: '2026-02-03T04:05:06Z', labels: ['done'], upvotes: 11 }
    const issue = { id: 7001, iid: 1, project_id: 42, title: 'Tabs', web_url: 'https://gitlab.com/a/b/-/issues/1' }
    const { gitlab, received } = await setUp(() => [200, [{ ...issue, ...closed }]])
    const results = await gitlab.refresh!.read(['42#1', '42#2'], new AbortController().signal)
    expect(results).toMatchObject([
      {
        handle: '42#1',
        state: 'found',
        request: {
          sourceId: '7001',
          votes: 11,
          status: 'completed',
          statusChangedAt: new Date('2026-02-03T04:05:06Z'),
          refreshHandle: '42#1',
        },
      },
      { handle: '42#2', state: 'missing' },
    ])
    expect(received.map(({ path, url }) => [path, url.searchParams.getAll('iids[]')])).toEqual([
      ['/api/v4/projects/42/issues', ['1', '2']],
    ])
  })

  it('are missing when the answer does not have them while the project shows others', async () => {
    const { read, received } = await setUp((query) => [200, query.has('iids[]') ? [] : [{ id: 9, iid: 9 }]])
    expect(await read('42#1', '42#2')).toEqual(['missing', 'missing'])
    expect(received).toHaveLength(2)
  })

  it('are unreadable while the project shows no issues at all', async () => {
    const { read } = await setUp(() => [200, []])
    expect(await read('42#1', '42#2')).toEqual(['unreadable', 'unreadable'])
  })

  it.each([
    [404, { message: '404 Project Not Found' }],
    [403, { message: '403 Forbidden' }],
  ])('are unreadable when the project answers %i', async (status, body) => {
    const { read } = await setUp(() => [status, body])
    expect(await read('42#1')).toEqual(['unreadable'])
  })

  it('are unreadable when their handle cannot be parsed, without a request', async () => {
    const { read, received } = await setUp(() => [200, []])
    expect(await read('no handle at all')).toEqual(['unreadable'])
    expect(received).toEqual([])
  })
})
