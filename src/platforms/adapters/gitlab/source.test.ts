import { describe, expect, it } from 'vitest'
import { SourceRefusedError } from '../../platform.ts'
import {
  fetchPageOrNull,
  openTestBudget as openBudget,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createGitlab } from './search.ts'

const { signal } = new AbortController()
const closed: Record<string, string> = { project: '404 Project Not Found', group: '404 Group Not Found' }

/** @param visible what a look at a project or group answers; others are not found. */
async function setUp(visible: Record<string, object>, token?: string) {
  const { baseUrl, received } = await startServer((response, { path }) => {
    const issue = { id: 1, title: 'Dark mode', web_url: 'https://gitlab.com/ada/notes/-/issues/1' }
    if (path.endsWith('/issues')) return sendJson(response, [issue])
    const named = visible[decodeURIComponent(path)]
    sendJson(response, named ?? { message: closed[path.slice(1).split('s/')[0]!] }, named ? 200 : 404)
  })
  const clock = testClock()
  const projects = ['operator/project']
  const gitlab = createGitlab({ client: testClient(clock), clock, openBudget, baseUrl, token, projects })
  return { gitlab, received }
}

describe('projects and groups of GitLab that an account names', () => {
  it('are searched instead of the configured ones, groups without the token', async () => {
    const { gitlab, received } = await setUp({ '/projects/ada/notes': { visibility: 'public' } }, 't1')
    const sources = ['ada/notes:feature', 'groups/ada']
    const first = await fetchPageOrNull(gitlab, { sources })
    const second = await fetchPageOrNull(gitlab, { sources, cursor: first!.nextCursor })
    expect([first, second].map((page) => page!.requests.map(({ ownSource }) => ownSource))).toEqual(
      sources.map((source) => [source]),
    )
    const lists = received.filter(({ path }) => path.endsWith('/issues'))
    expect(lists.map(({ path, query, headers }) => [path, query.labels, headers['private-token']])).toEqual([
      ['/projects/ada%2Fnotes/issues', 'feature', 't1'],
      ['/groups/ada/issues', undefined, undefined],
    ])
  })

  it.each([undefined, 't1'])('must exist and be public, with token %s', async (token) => {
    const shown = {
      '/projects/ada/notes': { visibility: 'public' },
      '/projects/ada/secret': { visibility: 'private' },
      '/projects/ada/members': { visibility: 'public', issues_access_level: 'private' },
      '/groups/ada': { visibility: 'public' },
      '/groups/internal': { visibility: 'internal' },
    }
    const { gitlab, received } = await setUp(shown, token)
    await gitlab.verifySource!('ada/notes', signal)
    await gitlab.verifySource!('groups/ada', signal)
    for (const source of ['ada/secret', 'ada/members', 'ada/nosuch', 'groups/internal', 'groups/nosuch']) {
      const error = await gitlab.verifySource!(source, signal).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(SourceRefusedError)
      expect((error as Error).message).toContain('the sources of the job')
    }
    const ofGroups = received.filter(({ path }) => path.startsWith('/groups/'))
    expect(ofGroups.map(({ headers }) => headers['private-token'])).toEqual([undefined, undefined, undefined])
  })
})
