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
  return { ...server, read }
}

describe('issues of GitLab that are read again', () => {
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
