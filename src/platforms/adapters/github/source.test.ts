import { expect, it } from 'vitest'
import { SourceRefusedError } from '../../platform.ts'
import {
  fetchPageOrNull,
  openTestBudget as openBudget,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createGithub } from './search.ts'

const repositories: Record<string, object> = {
  '/repos/acme/app': { full_name: 'Acme/App', private: false, visibility: 'public' },
  '/repos/acme/secret': { full_name: 'acme/secret', private: true, visibility: 'private' },
  '/repos/acme/internal': { full_name: 'acme/internal', private: false, visibility: 'internal' },
  '/repos/acme/old': { full_name: 'acme/new', private: false, visibility: 'public' },
}

it.each([undefined, 't'])(
  'a repository that an account names must exist under that name and be public, with token %s',
  async (token) => {
    const clock = testClock()
    const { baseUrl } = await startServer((response, { path }) => {
      const repository = repositories[path]
      sendJson(response, repository ?? { message: 'Not Found' }, repository ? 200 : 404)
    })
    const github = createGithub({ client: testClient(clock), clock, openBudget, baseUrl, token })
    const { signal } = new AbortController()
    await github.verifySource!('acme/app', signal)
    for (const source of ['acme/secret', 'acme/internal', 'acme/old', 'acme/nosuch']) {
      const error = await github.verifySource!(source, signal).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(SourceRefusedError)
      expect((error as Error).message).toContain(`"${source}"`)
    }
  },
)

it('a repository that an account names is searched for all its public issues, and is the source of them', async () => {
  const clock = testClock()
  const issue = { id: 1, html_url: 'https://github.com/acme/app/issues/1', title: 'Dark mode' }
  const { baseUrl, received } = await startServer((response) => sendJson(response, { items: [issue] }))
  const github = createGithub({ client: testClient(clock), clock, openBudget, baseUrl })
  const page = await fetchPageOrNull(github, { sources: ['acme/app'] })
  expect(received.map(({ query }) => query.q)).toEqual(['"dark" "mode" is:issue is:public repo:acme/app'])
  expect(page!.requests.map(({ ownSource }) => ownSource)).toEqual(['acme/app'])
})
