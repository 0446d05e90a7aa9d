import { describe, expect, it } from 'vitest'
import { privateTitle } from '../../../simulator/corpus.ts'
import { describeBoard, writeBoard } from '../../../simulator/platforms/board.ts'
import type { SimulatedPlatformName } from '../../../simulator/platforms/index.ts'
import type { PlatformSimulator } from '../../../simulator/simulator.ts'
import { simulate } from '../../../simulator/testing.ts'
import { readConfig } from '../../app/config.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { createMemoryQuotas } from '../budget/quota.ts'
import { createPlatforms } from '../create-platforms.ts'
import type { FoundRequest, Json, Platform } from '../platform.ts'
import { PlatformError } from '../platform.ts'
import { platformDefinitions, platformNames } from '../registry.ts'
import {
  fetchPage,
  fetchPageOrNull,
  type Handler,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
} from './testing.ts'
import { memoryAdapterCache } from './youtube/testing.ts'

// Holds (Platforms): private content is never collected, whatever a token can read, and credentials go only to configured hosts

const topic = 'dark mode'

/** Every variable of an adapter with its platform and its kind (`definition.ts`). */
const variables = platformDefinitions.flatMap(({ name, variables }) =>
  Object.entries(variables).map(([variable, schema]) => {
    return { platform: name, variable, kind: (schema as { 'x-kind'?: string })['x-kind'] }
  }),
)
const secretVariables = variables.filter(({ kind }) => kind === 'secret')
const secrets = Object.fromEntries(secretVariables.map(({ variable }) => [variable, `secret-of-${variable}`]))
const withSecrets = platformNames.filter((name) => secretVariables.some(({ platform }) => platform === name))

async function makePlatforms(environment: Record<string, string>) {
  const clock = testClock()
  const { platforms: config } = readConfig({ PLATFORMS: platformNames.join(','), ...secrets, ...environment })
  const options = {
    config,
    client: testClient(clock),
    clock,
    quotas: createMemoryQuotas(),
    cache: memoryAdapterCache(),
  }
  const { adapters } = await createPlatforms(options)
  return { clock, platform: (name: PlatformName) => adapters.get(name)! }
}

async function collectAll(platform: Platform): Promise<FoundRequest[]> {
  const requests: FoundRequest[] = []
  let cursor: Json = null
  do {
    const page = await fetchPageOrNull(platform, { topic, cursor })
    requests.push(...(page?.requests ?? []))
    cursor = page?.nextCursor ?? null
  } while (cursor !== null)
  return requests
}

const isPrivate = ({ title }: { title: string }) => title.startsWith(privateTitle)
const titles = (items: unknown) => (items as { title: string }[]).filter(isPrivate)

async function askWith(headers: Record<string, string>, url: string, query: Record<string, string>) {
  const response = await fetch(`${url}?${new URLSearchParams(query)}`, {
    headers: { 'user-agent': 'test', ...headers },
  })
  return response.json()
}

describe('private repositories of GitHub', () => {
  const setUp = async (leakPrivate: boolean) => {
    const simulator = await simulate({ leakPrivate, size: 30 })
    return { simulator, github: (await makePlatforms(simulator.environment)).platform('github') }
  }

  it('match a search with a token, unless the query excludes them', async () => {
    const { simulator } = await setUp(false)
    const ask = async (q: string, headers: Record<string, string>) => {
      const body = await askWith(headers, `${simulator.urls.github}/search/issues`, { q, per_page: '100' })
      return titles((body as { items: unknown }).items).length
    }
    expect(await ask('dark mode is:issue', { authorization: `Bearer ${secrets.GITHUB_TOKEN}` })).toBeGreaterThan(0)
    expect(await ask('dark mode is:issue is:public', { authorization: `Bearer ${secrets.GITHUB_TOKEN}` })).toBe(0)
    expect(await ask('dark mode is:issue', {})).toBe(0)
  })

  it.each([false, true])('are never stored, also when GitHub sends them: %s', async (leakPrivate) => {
    const { simulator, github } = await setUp(leakPrivate)
    const alone = await collectAll(github)
    const together = await Promise.all(
      [topic, 'csv export', 'offline'].map((one) => fetchPageOrNull(github, { topic: one, mayShare: true })),
    )
    const requests = [...alone, ...together.flatMap((page) => page?.requests ?? [])]
    expect(requests.length).toBeGreaterThan(60)
    expect(requests.filter(isPrivate)).toEqual([])
    const queries = simulator.requests.flatMap(({ query }) => query.q ?? [])
    expect(queries.some((query) => query.startsWith('(('))).toBe(true)
    expect(queries.filter((query) => !query.includes(' is:public '))).toEqual([])
  })

  it('are recognised by the repository in the answer', async () => {
    const item = { id: 1, html_url: 'https://github.com/a/b/issues/1', title: 'Tabs in dark mode' }
    const repositories = [{ private: true }, { private: 'yes' }, { visibility: 'internal' }, { visibility: 'private' }]
    const open = [{ private: false, visibility: 'public' }, { private: false }, null, 'x']
    const { baseUrl } = await startServer((response) =>
      sendJson(response, { items: [...repositories, ...open].map((repository) => ({ ...item, repository })) }),
    )
    const github = (await makePlatforms({ GITHUB_API_URL: baseUrl })).platform('github')
    expect((await fetchPage(github)).requests).toHaveLength(open.length)
  })
})

describe('projects of GitLab', () => {
  const closed = ['private/desk', 'internal/desk', 'members/desk']
  const setUp = async (projects: string[], leakPrivate = false) => {
    const simulator = await simulate({ leakPrivate, size: 30 })
    const made = await makePlatforms({ ...simulator.environment, GITLAB_PROJECTS: projects.join(',') })
    return { simulator, clock: made.clock, gitlab: made.platform('gitlab') }
  }
  const listed = ({ requests }: PlatformSimulator) =>
    requests.flatMap(({ path }) => /^\/projects\/([^/]+)\/issues$/.exec(path)?.[1] ?? []).map(decodeURIComponent)

  it.each(closed)('that are not public are refused by name and not searched: %s', async (project) => {
    const { simulator, gitlab } = await setUp([project])
    const url = `${simulator.urls.gitlab}/projects/${encodeURIComponent(project)}/issues`
    // The token opens it.
    const body = await askWith({ 'private-token': secrets.GITLAB_TOKEN! }, url, { search: topic, per_page: '100' })
    expect((body as unknown[]).length).toBeGreaterThan(0)
    simulator.requests.length = 0
    const error = await platformError(fetchPage(gitlab, topic), 'bad_response')
    expect(error.message).toContain(`"${project}" publicly`)
    expect(error.message).toContain('GITLAB_PROJECTS')
    expect(listed(simulator)).toEqual([])
  })

  it('that are public are searched beside them', async () => {
    const { simulator, gitlab } = await setUp([...closed, 'quillbox/desk'])
    const requests = await collectAll(gitlab)
    expect(requests).toHaveLength(30)
    expect(requests.filter(isPrivate)).toEqual([])
    expect([...new Set(listed(simulator))]).toEqual(['quillbox/desk'])
  })

  it('give no confidential issue, also where GitLab answers them', async () => {
    const { simulator, gitlab } = await setUp(['quillbox/desk'], true)
    const url = `${simulator.urls.gitlab}/projects/quillbox%2Fdesk/issues`
    const asked = { search: topic, confidential: 'false', per_page: '100' }
    const body = await askWith({ 'private-token': secrets.GITLAB_TOKEN! }, url, asked)
    expect(titles(body).length).toBeGreaterThan(0)
    const requests = await collectAll(gitlab)
    expect(requests).toHaveLength(30)
    expect(requests.filter(isPrivate)).toEqual([])
  })

  it('that stop being public are refused a minute later at the latest', async () => {
    let visibility: unknown = 'public'
    const { baseUrl, received } = await startServer((response, { path }) =>
      sendJson(response, path.endsWith('/issues') ? [] : { visibility }),
    )
    const { clock, platform } = await makePlatforms({ GITLAB_API_URL: baseUrl, GITLAB_PROJECTS: 'a/b' })
    const fetch = () => fetchPageOrNull(platform('gitlab'))
    await fetch()
    await fetch()
    expect(received.filter(({ path }) => path === '/projects/a%2Fb')).toHaveLength(1)
    for (visibility of ['private', 'internal', undefined, null, ['public']]) {
      clock.advance(60_000)
      await platformError(fetch(), 'bad_response')
    }
    visibility = 'public'
    await fetch()
  })
})

it('posts of protected accounts of X and of private communities of Reddit never come in', async () => {
  const users = [
    { id: '1', username: 'open', protected: false },
    { id: '2', username: 'shut', protected: true },
  ]
  const kinds = ['public', 'restricted', 'private', 'gold_only', 'employees_only', undefined]
  const posts = kinds.map((subreddit_type, index) => ({
    data: { name: `t3_${index}`, title: 'Tabs in dark mode', subreddit_type },
  }))
  const { baseUrl } = await startServer((response, { path }) => {
    if (path.includes('tweets')) {
      const data = ['1', '2'].map((id) => ({ id, author_id: id, text: 'Tabs in dark mode' }))
      sendJson(response, { data, includes: { users }, meta: { result_count: 2 } })
    } else if (path === '/token') sendJson(response, { access_token: 't', expires_in: 3600 })
    else sendJson(response, { data: { children: posts, after: null } })
  })
  const addresses = { X_API_URL: baseUrl, REDDIT_API_URL: baseUrl, REDDIT_TOKEN_URL: `${baseUrl}/token` }
  const { platform } = await makePlatforms(addresses)
  expect((await fetchPage(platform('x'))).requests.map(({ sourceId }) => sourceId)).toEqual(['1'])
  const ids = (await fetchPage(platform('reddit'))).requests.map(({ sourceId }) => sourceId)
  expect(ids).toEqual(['t3_0', 't3_1', 't3_5'])
})

describe.each(withSecrets)('the credentials of %s', (name) => {
  it('go nowhere else when any of its requests is redirected to another origin', async () => {
    // One after the other: the request for a token, the look at a project, the search itself.
    for (let step = 0; ; step++) {
      const simulator = await simulate({ size: 5 })
      simulator.setFault(name as SimulatedPlatformName, 'redirect_private', { skip: step, fromPage: 0 })
      const outcome = await fetchPageOrNull(
        (await makePlatforms({ ...simulator.environment, ...secrets })).platform(name),
      ).catch((error: unknown) => error)
      const isRedirected = simulator.requests.some(({ fault }) => fault === 'redirect_private')
      expect(simulator.requests.filter(({ path }) => path === '/private')).toEqual([])
      if (!isRedirected) {
        expect(step).toBeGreaterThan(0)
        break
      }
      if (!(outcome instanceof PlatformError)) {
        // A single video that cannot be read is passed over, and discussions are searched when issues cannot be.
        expect(['youtube', 'github']).toContain(name)
        continue
      }
      const { message } = outcome
      expect(message).toMatch(/redirects to http:\/\/localhost/)
      for (const secret of Object.values(secrets)) expect(message).not.toContain(secret)
    }
  })
})

describe.each(platformNames)('the requests of %s', (name) => {
  it('go nowhere else when an answer names another origin for what comes next', async () => {
    const elsewhere = await startServer((response) => sendJson(response, {}))
    const away = `${elsewhere.baseUrl}/next?page=2`
    const home = await startServer(leadingAway(away))
    const board = describeBoard(home.baseUrl, {
      request: { url: `${home.baseUrl}/board?cursor={cursor}`, headers: { Authorization: 'Bearer {secret}' } },
      paging: { by: 'cursor', next: '$.next' },
    })
    const { platform, clock } = await makePlatforms({
      ...everyAddress(home.baseUrl),
      BOARD_FILES: writeBoard(board),
      APPSTORE_APPS: 'us/1',
    })
    let cursor: Json = null
    for (let count = 0; count < 3; count++) {
      const page = await fetchPageOrNull(platform(name), { cursor })
      cursor = page?.nextCursor ?? null
      // Discourse allows two searches a second.
      clock.advance(1_000)
    }
    expect(home.received.length).toBeGreaterThan(1)
    expect(elsewhere.received).toEqual([])
  })
})

/** The address of every platform, below one server. The path begins with the name of the platform and ends with that of the variable. */
const everyAddress = (baseUrl: string) =>
  Object.fromEntries(
    variables.flatMap(({ platform, variable, kind }) =>
      kind?.startsWith('web address') ? [[variable, `${baseUrl}/${platform}/${variable}`]] : [],
    ),
  )

/** A full page of every platform that calls another address the next one, wherever a platform could. */
function leadingAway(away: string): Handler {
  const headers = { link: `<${away}>; rel="next"` }
  const item = { id: 1, title: 'Tabs in dark mode', html_url: `${away}#1`, web_url: `${away}#1`, url: away }
  let ideas = 0
  const bodies: Record<SimulatedPlatformName, (path: string) => unknown> = {
    github: () => ({ items: [item], next: away, next_page: away }),
    hackernews: () => ({
      hits: [{ objectID: '1', title: 'Tabs in dark mode', url: away }],
      page: 0,
      nbPages: 9,
      next: away,
    }),
    discourse: () => ({
      posts: [{ id: 1, topic_id: 1, blurb: 'Tabs in dark mode', url: away }],
      topics: [{ id: 1, title: 'Tabs in dark mode', url: away }],
      grouped_search_result: { more_full_page_results: true, more_posts: away },
    }),
    lemmy: () => ({
      posts: Array(50).fill({ post: { ap_id: away, name: 'Tabs in dark mode', url: away } }),
      next_page: away,
    }),
    gitlab: (path) => (path.endsWith('/issues') ? [item] : { visibility: 'public', _links: { issues: away } }),
    stackexchange: () => ({ items: [{ question_id: 1, title: 'Tabs in dark mode' }], has_more: true, next: away }),
    reddit: (path) =>
      path.endsWith('/REDDIT_TOKEN_URL')
        ? { access_token: 't', expires_in: 3600, refresh_url: away }
        : { data: { children: [{ data: { name: 't3_1', title: 'Tabs in dark mode' } }], after: away } },
    x: () => ({ data: [{ id: '1', text: 'Tabs in dark mode' }], meta: { result_count: 1, next_token: away } }),
    youtube: (path) =>
      path.endsWith('/search')
        ? { items: [{ id: { videoId: 'v' }, snippet: { title: 'v' } }], nextPageToken: away }
        : { items: [{ id: 'c', snippet: {} }], nextPageToken: away },
    rss: () => ({
      version: 'https://jsonfeed.org/version/1.1',
      items: [{ id: '1', title: 'Tabs in dark mode', url: away }],
      next_url: away,
      feed_url: away,
    }),
    appstore: (path) => ({
      results: [{ wrapperType: 'software', trackName: 'Tabs', trackViewUrl: away }],
      feed: {
        entry: { id: { label: '1' }, title: { label: 'Tabs in dark mode' }, 'im:rating': { label: '5' } },
        link: {
          attributes: {
            rel: 'next',
            href: away.replace('page=2', `/page=${Number(/page=(\d+)/.exec(path)?.[1]) + 1}`),
          },
        },
      },
    }),
    fider: () => [{ number: 1, title: 'Tabs in dark mode', url: away, next: away }],
    // A page with the items of the one before would end it.
    board: () => ({ ideas: [{ id: ++ideas, slug: 'a', title: 'Tabs in dark mode', url: away }], next: away }),
    bluesky: (path) =>
      path.endsWith('createSession')
        ? { accessJwt: 't', didDoc: { service: [{ serviceEndpoint: away }] } }
        : {
            posts: [{ uri: 'at://did:plc:a/app.bsky.feed.post/b', record: { text: 'Tabs in dark mode' } }],
            cursor: away,
          },
  }
  return (response, { path }) =>
    sendJson(response, bodies[path.split('/')[1] as SimulatedPlatformName](path), 200, headers)
}
