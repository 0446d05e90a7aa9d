import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { PlatformError } from '../platforms/platform.ts'
import { exitCodes } from './exit-codes.ts'
import { runCommand } from './testing.ts'

describe('the commands and the real service', () => {
  let service: TestService
  beforeAll(async () => {
    const refused = () => {
      throw new PlatformError('unauthorized', 'hackernews answered 401. Check its credentials.')
    }
    const platforms = platformMap(scriptedPlatform('github', numberedPages(2)), scriptedPlatform('hackernews', refused))
    service = await startTestService({ platforms })
  })
  afterAll(() => service.stop())

  it('collect, and then find what was collected', async () => {
    const scraped = await runCommand(
      ['scrape', 'dark mode', '--platforms', 'github', '--depth', '3', '--json'],
      service,
    )
    expect(scraped.exitCode).toBe(exitCodes.ok)
    expect(JSON.parse(scraped.stdout)).toMatchObject({
      data: { status: 'completed', topic: 'dark mode', progress: { github: 'done' }, requestsCreated: 4 },
      // Three pages were held, two delivered.
      usage: { credits: { used: 2, limit: 15_000, remaining: 14_998 } },
    })
    const found = await runCommand(['search', 'request'], service)
    expect(found.stdout).toContain('https://example.org/0-1')
    expect(found.stdout).toContain('Results 1 to 4; there are no more.')
  })

  it('say when a platform failed, and end with 4', async () => {
    const { exitCode, stdout } = await runCommand(['scrape', 'dark mode', '--platforms', 'github,hackernews'], service)
    expect(exitCode).toBe(exitCodes.partial)
    expect(stdout).toContain('  hackernews  error    unauthorized: hackernews answered 401. Check its credentials.\n')
  })

  it("give the service's own words for what it refuses", async () => {
    const { exitCode, stderr } = await runCommand(['scrape', 'dark mode', '--platforms', 'myspace'], service)
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toContain('platforms.0: must be one of github')
  })

  it('end with 5 when the credits do not suffice', async () => {
    const { apiKey } = await service.createAccount('free')
    const depth = ['--platforms', 'github,hackernews,stackexchange', '--depth', '40']
    const { exitCode, stderr } = await runCommand(['scrape', 'dark mode', ...depth], { url: service.url, apiKey })
    expect(exitCode).toBe(exitCodes.limited)
    expect(stderr).toContain('Credit limit exceeded (0/100).')
  })
})
