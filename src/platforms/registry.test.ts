import { expect, it } from 'vitest'
import { platformNames } from './platform.ts'
import { createPlatforms, type PlatformsConfig } from './registry.ts'
import { fetchPage, sendJson, startServer, testClient, testClock } from './testing.ts'

it('only the platforms that are on are made, in their order, each with its own configuration', async () => {
  const { baseUrl, received } = await startServer((response) => sendJson(response, { items: [], hits: [] }))
  const clock = testClock()
  const config: PlatformsConfig = {
    enabled: [...platformNames],
    githubApiUrl: `${baseUrl}/github`,
    githubToken: 'ghp_x',
    hackernewsApiUrl: `${baseUrl}/hackernews`,
    stackexchangeApiUrl: `${baseUrl}/stackexchange`,
    stackexchangeApiKey: 'k1',
    stackexchangeSites: ['softwarerecs'],
  }
  const client = testClient(clock)
  const platforms = createPlatforms({ config, client, clock })
  expect([...platforms.keys()]).toEqual([...platformNames])
  for (const [name, platform] of platforms) {
    expect(platform.name).toBe(name)
    await fetchPage(platform)
    expect(received.at(-1)!.path.split('/')[1]).toBe(name)
  }
  expect(received[0]!.headers.authorization).toBe('Bearer ghp_x')
  expect(received[2]!.query).toMatchObject({ site: 'softwarerecs', key: 'k1' })

  const some = createPlatforms({ config: { ...config, enabled: ['stackexchange', 'github'] }, client, clock })
  expect([...some.keys()]).toEqual(['stackexchange', 'github'])
})
