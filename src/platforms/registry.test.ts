import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { readConfig } from '../app/config.ts'
import type { AdapterCache } from './adapters/adapter-cache.ts'
import { fetchPageOrNull, privateTargets, sendJson, startServer, testClient, testClock } from './adapters/testing.ts'
import { createMemoryQuotas } from './budget/quota.ts'
import { createPlatforms } from './create-platforms.ts'
import { definePlatform } from './definition.ts'
import { platformNames } from './registry.ts'

const cache: AdapterCache = { read: async () => null, store: async () => {} }

it('only the platforms that are on are made, in their order, each with its own configuration', async () => {
  const { baseUrl, received } = await startServer((response) => sendJson(response, { items: [], hits: [] }))
  const clock = testClock()
  const client = testClient(clock)
  const create = (environment: Record<string, string>) => {
    const config = readConfig(environment).platforms
    return createPlatforms({ config, client, clock, quotas: createMemoryQuotas(), cache })
  }
  expect([...(await create({ PLATFORMS: platformNames.join(',') })).adapters.keys()]).toEqual([...platformNames])

  const platforms = await create({
    PLATFORMS: 'stackexchange,github',
    GITHUB_API_URL: `${baseUrl}/github`,
    GITHUB_TOKEN: 'ghp_x',
    STACKEXCHANGE_API_URL: `${baseUrl}/stackexchange`,
    STACKEXCHANGE_API_KEY: 'k1',
    STACKEXCHANGE_SITES: 'softwarerecs',
  })
  expect([...platforms.adapters.keys()]).toEqual(['stackexchange', 'github'])
  for (const [name, platform] of platforms.adapters) {
    expect(platform.name).toBe(name)
    await fetchPageOrNull(platform)
    expect(received.at(-1)!.path.split('/')[1]).toBe(name)
    const needed = platforms.hosts.get(name)!.filter((host) => !host.isOptional)
    expect(needed.map((host) => host.name)).toEqual([new URL(baseUrl).host])
  }
  expect(received[0]!.query).toMatchObject({ site: 'softwarerecs', key: 'k1' })
  expect(received[1]!.headers.authorization).toBe('Bearer ghp_x')
})

it('forums that only accounts name are not among the hosts of the platform', async () => {
  const { baseUrl } = await startServer((response) => sendJson(response, { posts: [], grouped_search_result: {} }))
  const clock = testClock()
  const config = readConfig({ PLATFORMS: 'discourse', DISCOURSE_URLS: 'https://forum.example' }).platforms
  const client = testClient(clock, privateTargets)
  const { adapters, hosts } = await createPlatforms({ config, client, clock, quotas: createMemoryQuotas(), cache })
  await fetchPageOrNull(adapters.get('discourse')!, { sources: [baseUrl] })
  expect(hosts.get('discourse')!.map(({ name }) => name)).toEqual(['forum.example'])
})

it('a credential that no header can hold is refused at the start, and not shown', () => {
  for (const GITHUB_TOKEN of ['ghp_\u201cx\u201d', 'ghp_x\nghp_y', 'ghp x']) {
    expect(() => readConfig({ GITHUB_TOKEN })).toThrow(/^GITHUB_TOKEN: (?!.*ghp)/)
  }
  expect(readConfig({ GITHUB_TOKEN: ' ghp_x\n' }).platforms.environment.GITHUB_TOKEN).toBe('ghp_x')
})

it('a definition whose name or variables have another form is refused', () => {
  const definition = {
    name: 'forge',
    title: 'Forge',
    votes: 'likes',
    isOpen: true,
    publicPages: { show: 'links' as const },
    create: async () => Promise.reject(new Error()),
  }
  expect(definePlatform({ ...definition, variables: { FORGE_URL: Type.String() } }).name).toBe('forge')
  for (const name of ['Forge', 'forge2', 'code-forge', '']) {
    expect(() => definePlatform({ ...definition, name, variables: {} })).toThrow('must be [a-z]+')
  }
  expect(() => definePlatform({ ...definition, variables: { GITHUB_URL: Type.String() } })).toThrow('FORGE_')
})
