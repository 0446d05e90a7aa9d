import { describe, expect, it } from 'vitest'
import {
  openTestBudget as openBudget,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createGithub } from './search.ts'

// Holds (Jobs): a request is deleted on its platform's explicit sign, or when missing on three days from a readable source
// Holds (Jobs): a source that became private or unreadable deletes nothing

const { signal } = new AbortController()
const notFound = { message: 'Not Found' }
const publicRepository = { full_name: 'a/b', private: false, visibility: 'public' }

type Answers = Record<string, [status: number, body: object]>

/** Without a token. What is not given is answered by 404. */
async function setUpRest(answers: Answers) {
  const clock = testClock()
  const server = await startServer((response, { path }) => {
    const [status, body] = answers[path] ?? [404, notFound]
    sendJson(response, body, status)
  })
  const github = createGithub({ client: testClient(clock), clock, openBudget, baseUrl: server.baseUrl })
  const read = async (...handles: string[]) => (await github.refresh!.read(handles, signal)).map(({ state }) => state)
  return { ...server, read }
}

/** With a token. @param repositories those that everybody may read, or that are private; others are not found. */
async function setUpGraphql(nodes: unknown[], repositories: Record<string, boolean>, errors: object[] = []) {
  const clock = testClock()
  const server = await startServer((response, { body }) => {
    const named = [...JSON.parse(body).query.matchAll(/(\w+): repository\(owner: "(.+?)", name: "(.+?)"\)/g)]
    if (named.length === 0) return sendJson(response, { data: { nodes }, errors })
    const found = named.map(([, alias, owner, name]) => {
      const isPublic = repositories[`${owner}/${name}`]
      return [
        alias,
        isPublic === undefined ? null : { isPrivate: !isPublic, visibility: isPublic ? 'PUBLIC' : 'PRIVATE' },
      ]
    })
    const missing = [{ type: 'NOT_FOUND', path: ['r0'], message: 'x' }]
    sendJson(response, { data: { __typename: 'Query', ...Object.fromEntries(found) }, errors: missing })
  })
  const github = createGithub({ client: testClient(clock), clock, openBudget, baseUrl: server.baseUrl, token: 't' })
  return { ...server, read: (handles: readonly string[]) => github.refresh!.read(handles, signal), github }
}

describe('without a token, an issue of GitHub that is not found', () => {
  it('is missing where its repository can be read', async () => {
    const { read, received } = await setUpRest({ '/repos/a/b': [200, publicRepository] })
    expect(await read('I_1 1 a/b#1', 'I_2 2 a/b#2')).toEqual(['missing', 'missing'])
    expect(received.filter(({ path }) => path === '/repos/a/b')).toHaveLength(1)
  })

  it.each<[string, Answers]>([
    ['is not found either', {}],
    ['is private', { '/repos/a/b': [200, { ...publicRepository, private: true, visibility: 'private' }] }],
    ['is blocked', { '/repos/a/b': [451, { message: 'Repository access blocked' }] }],
    ['is forbidden', { '/repos/a/b': [403, { message: 'Repository access blocked' }] }],
    ['cannot be looked up now', { '/repos/a/b': [422, {}] }],
  ])('is unreadable where its repository %s', async (_how, answers) => {
    const { read } = await setUpRest(answers)
    expect(await read('I_1 1 a/b#1')).toEqual(['unreadable'])
  })

  it('is gone when GitHub says that it was deleted, without another request', async () => {
    const { read, received } = await setUpRest({ '/repos/a/b/issues/1': [410, { message: 'This issue was deleted' }] })
    expect(await read('I_1 1 a/b#1')).toEqual(['gone'])
    expect(received).toHaveLength(1)
  })

  it('is missing when it was transferred: its copy is an issue of its own', async () => {
    const copy = { id: 9, node_id: 'I_9', html_url: 'https://github.com/a/c/issues/2', title: 'Dark mode' }
    const answers: Answers = { '/repos/a/b/issues/1': [200, copy], '/repos/a/b': [200, publicRepository] }
    expect(await (await setUpRest(answers)).read('I_1 1 a/b#1')).toEqual(['missing'])
  })

  it('is unreadable where the whole repository is blocked', async () => {
    const { read } = await setUpRest({ '/repos/a/b/issues/1': [403, { message: 'Repository access blocked' }] })
    expect(await read('I_1 1 a/b#1')).toEqual(['unreadable'])
  })
})

describe('with a token, a node of GitHub that is not found', () => {
  const notFoundAt = (...indexes: number[]) =>
    indexes.map((index) => ({ type: 'NOT_FOUND', path: ['nodes', index], message: 'x' }))

  it('is missing where its repository is public, else unreadable, by one more request for all repositories', async () => {
    const handles = ['I_1 1 a/b#1', 'D_2 a/b', 'I_3 3 a/secret#1', 'D_4 a/none', 'D_5']
    const repositories = { 'a/b': true, 'a/secret': false }
    const { read, received } = await setUpGraphql(
      handles.map(() => null),
      repositories,
      notFoundAt(0, 1, 2, 3, 4),
    )
    const states = (await read(handles)).map(({ state }) => state)
    expect(states).toEqual(['missing', 'missing', 'unreadable', 'unreadable', 'unreadable'])
    expect(received).toHaveLength(2)
  })

  it('is unreadable when no repository can be read', async () => {
    const { read } = await setUpGraphql([null], {}, notFoundAt(0))
    expect(await read(['I_1 1 a/b#1'])).toEqual([{ handle: 'I_1 1 a/b#1', state: 'unreadable' }])
  })

  it('is unreadable after any other error', async () => {
    const errors = [{ type: 'FORBIDDEN', path: ['nodes', 0], message: 'x' }]
    const { read, received } = await setUpGraphql([null], { 'a/b': true }, errors)
    expect(await read(['I_1 1 a/b#1'])).toMatchObject([{ state: 'unreadable' }])
    expect(received).toHaveLength(1)
  })
})

it('with a token, issues and discussions are found in one request, with all that a search has of them', async () => {
  const common = {
    title: 'Dark mode',
    body: 'Please **add** it.',
    createdAt: '2025-02-03T04:05:06Z',
    closedAt: '2025-03-04T05:06:07Z',
    author: { login: 'ada', url: 'https://github.com/ada' },
    labels: { nodes: [{ name: 'enhancement' }] },
    comments: { totalCount: 3 },
    repository: { nameWithOwner: 'a/b', isPrivate: false, visibility: 'PUBLIC' },
  }
  const state = { state: 'CLOSED', stateReason: 'NOT_PLANNED', reactions: { totalCount: 12 } }
  const issue = { ...common, ...state, id: 'I_1', number: 1, url: 'https://github.com/a/b/issues/1' }
  const discussion = { ...common, id: 'D_2', url: 'https://github.com/a/b/discussions/2', upvoteCount: 7 }
  const { read, received, github } = await setUpGraphql([issue, discussion], {})
  const handles = ['I_1 4101 a/b#1', 'D_2 a/b']
  const [first, second] = await read(handles)
  const fromSearch = {
    title: 'Dark mode',
    description: 'Please add it.',
    commentCount: 3,
    authorHandle: 'ada',
    authorProfileUrl: 'https://github.com/ada',
    originalCreatedAt: new Date('2025-02-03T04:05:06Z'),
    sourceName: 'a/b',
  }
  expect(first).toMatchObject({
    handle: handles[0],
    state: 'found',
    request: {
      ...fromSearch,
      sourceId: '4101',
      sourceUrl: issue.url,
      votes: 12,
      tags: ['enhancement'],
      status: 'declined',
      statusChangedAt: new Date('2025-03-04T05:06:07Z'),
      refreshHandle: handles[0],
    },
  })
  expect(second).toMatchObject({
    handle: handles[1],
    state: 'found',
    request: {
      ...fromSearch,
      sourceId: 'discussion:D_2',
      sourceUrl: discussion.url,
      votes: 7,
      refreshHandle: handles[1],
    },
  })
  expect([received.length, github.refresh!.maxHandles]).toEqual([1, 100])
})

describe('a handle that cannot be parsed', () => {
  it('is unreadable, alone and beside others', async () => {
    const handles = ['no handle at all', '?', 'I_1 1 a/b#x']
    const alone = await setUpGraphql([], {})
    expect((await alone.read(handles)).map(({ state }) => state)).toEqual(handles.map(() => 'unreadable'))
    expect(alone.received).toEqual([])
    const beside = await setUpGraphql([null], { 'a/b': true })
    expect((await beside.read([...handles, 'I_1 1 a/b#1'])).map(({ state }) => state)).toEqual([
      ...handles.map(() => 'unreadable'),
      'missing',
    ])
    const { read } = await setUpRest({})
    expect(await read(...handles)).toEqual(handles.map(() => 'unreadable'))
  })
})

it('a refusal of the token fails the whole refresh', async () => {
  const { read } = await setUpRest({ '/repos/a/b/issues/1': [401, { message: 'Bad credentials' }] })
  await platformError(read('I_1 1 a/b#1'), 'unauthorized')
})
