import { describe, expect, it } from 'vitest'
import { fetchPageOrNull } from '../platforms/adapters/testing.ts'
import { SourceRefusedError } from '../platforms/platform.ts'
import { privateTitle } from './corpus.ts'
import { collectPages, readAgain, trackers } from './trackers-testing.ts'

const { signal } = new AbortController()

describe('issues of GitHub', () => {
  it.each(['needed', 'default', 'refused'] as const)(
    'are all found where advanced search is %s, with a label or a type',
    async (advancedSearch) => {
      const records = [
        { title: 'Dark mode labelled' },
        { title: 'Dark mode typed', tags: ['typed'] },
        { title: 'Dark mode is broken', tags: ['bug'] },
        { title: 'Dark mode closed', resolution: 'completed' as const },
        { title: 'Dark mode pull', kind: 'pull_request' as const },
      ]
      const { github, simulator } = await trackers({
        records: { github: records },
        behaviours: { github: { advancedSearch } },
      })
      const titles = (await collectPages(github)).requests.map(({ title }) => title)
      const typed = advancedSearch === 'refused' ? [] : ['Dark mode typed']
      expect(titles.sort()).toEqual(['Dark mode closed', 'Dark mode labelled', ...typed])
      simulator.requests.length = 0
      await collectPages(github)
      // The refusal is remembered.
      expect(simulator.requests.map(({ status }) => status)).toEqual([200])
    },
  )

  it('are shared between the topics of live calls', async () => {
    const { github, simulator } = await trackers({ size: 20 })
    const topics = ['dark mode', 'csv export', 'offline mode']
    const pages = await Promise.all(topics.map((topic) => fetchPageOrNull(github, { topic, mayShare: true })))
    expect(pages.every((page) => page!.requests.length > 15)).toBe(true)
    expect(simulator.requests).toHaveLength(2)
  })
})

describe('discussions of GitHub', () => {
  const options = { token: 'good', size: 30, behaviours: { github: { discussions: 30 } } }

  it('are found with a token in categories for wishes, round-robin with issues', async () => {
    const { github, simulator } = await trackers(options)
    const { requests, pages } = await collectPages(github)
    const discussions = requests.filter(({ sourceId }) => sourceId.startsWith('discussion:'))
    expect(pages).toHaveLength(2)
    expect(simulator.requests.map(({ path }) => path)).toEqual(['/search/issues', '/graphql'])
    expect(discussions.length).toBeGreaterThan(5)
    expect(new Set(discussions.map(({ tags }) => tags[0]))).toEqual(new Set(['Ideas', 'Feature Requests']))
    expect(new Set(requests.map(({ sourceId }) => sourceId)).size).toBe(requests.length)
    expect(discussions.every(({ sourceUrl }) => sourceUrl.includes('/discussions/'))).toBe(true)
  })

  it('are the same where GitHub ignores the category', async () => {
    const collect = async (category: 'obeyed' | 'ignored') => {
      const { github } = await trackers({ ...options, behaviours: { github: { discussions: 30, category } } })
      const { requests } = await collectPages(github)
      return requests.map(({ sourceId }) => sourceId).sort()
    }
    expect(await collect('ignored')).toEqual(await collect('obeyed'))
  })

  it('continue until every category has ended', async () => {
    const behaviours = { github: { discussions: 400 } }
    const { github } = await trackers({ token: 'good', size: 400, behaviours })
    const { requests } = await collectPages(github)
    const discussions = requests.filter(({ sourceId }) => sourceId.startsWith('discussion:'))
    expect(discussions.length).toBeGreaterThan(100)
    expect(new Set(discussions.map(({ sourceId }) => sourceId)).size).toBe(discussions.length)
  })

  it('are read again beside issues', async () => {
    const { github, simulator } = await trackers(options)
    const { requests } = await collectPages(github)
    simulator.bumpVotes(3)
    const results = await readAgain(github, requests)
    expect(results.every(({ state }) => state === 'found')).toBe(true)
  })

  it('are never found without a token', async () => {
    const { github, simulator } = await trackers({ size: 30, behaviours: { github: { discussions: 30 } } })
    await collectPages(github)
    expect(simulator.requests.map(({ path }) => path)).toEqual(['/search/issues'])
  })
})

describe('repositories that an account names', () => {
  it('are searched one a page, all their issues and then their discussions', async () => {
    const { github, simulator } = await trackers({
      token: 'good',
      size: 30,
      behaviours: { github: { discussions: 30 } },
    })
    const { requests: all } = await collectPages(github)
    const sources = [...new Set(all.map(({ sourceName }) => sourceName!))].slice(0, 2)
    simulator.requests.length = 0
    const { requests } = await collectPages(github, { sources })
    const queries = simulator.requests.flatMap(({ query }) => query.q ?? [])
    expect(queries).toEqual(sources.map((source) => `"dark" "mode" is:issue is:public repo:${source}`))
    expect(simulator.requests.map(({ path }) => path)).toEqual([
      ...['/search/issues', '/search/issues', '/graphql', '/graphql'],
    ])
    expect(requests.length).toBeGreaterThan(0)
    expect(
      requests.every(({ ownSource, sourceName }) => ownSource === sourceName && sources.includes(ownSource!)),
    ).toBe(true)
    expect(requests.some(({ title }) => title.startsWith(privateTitle))).toBe(false)
  })

  it('must exist under that name and be public', async () => {
    for (const token of [undefined, 'good']) {
      const { github } = await trackers(token === undefined ? {} : { token })
      await github.verifySource!('acme/app', signal)
      for (const source of ['nosuch/app', 'private/app', 'renamed/app']) {
        const error = await github.verifySource!(source, signal).catch((reason: unknown) => reason)
        expect(error).toBeInstanceOf(SourceRefusedError)
        expect((error as Error).message).toContain(`"${source}"`)
      }
    }
  })
})
