import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { PlatformError } from '../platforms/platform.ts'
import { platformNames } from '../platforms/registry.ts'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'

// Holds (Jobs): a lost response never makes the command start a job twice

describe('the commands and the real service', () => {
  let service: TestService
  beforeAll(async () => {
    const refused = () => {
      throw new PlatformError('unauthorized', 'hackernews answered 401. Check its credentials.')
    }
    const waiting = scriptedPlatform(
      'stackexchange',
      (_call, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const platforms = platformMap(
      scriptedPlatform('github', numberedPages(2)),
      scriptedPlatform('hackernews', refused),
      waiting,
    )
    service = await startTestService({ platforms })
  })
  afterAll(() => service.stop())

  it('collect requests, and then find them', async () => {
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

  it('start a job once however many answers are lost, and follow it by its events alone', async () => {
    const lost = new Set<string>()
    const calls: string[] = []
    // A proxy that loses the first answer to every start.
    const proxy = createServer(async (request, response) => {
      const { method, url, headers } = request
      calls.push(`${method} ${url}`.replace(/[0-9a-f-]{36}/, 'id'))
      let body = ''
      for await (const chunk of request) body += chunk
      const answer = await fetch(`${service.url}${url}`, {
        method: method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(method === 'POST' ? { body } : {}),
      })
      const key = String(headers['idempotency-key'] ?? '')
      if (key !== '' && !lost.has(key)) {
        lost.add(key)
        return request.socket.destroy()
      }
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      for await (const chunk of answer.body ?? []) response.write(chunk)
      response.end()
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const before = (await service.client.get('/api/v1/scrape')).body.data.results.length
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const { apiKey } = service
    const scraped = await runCommand(['scrape', 'dark mode', '--platforms', 'github', '--depth', '3'], { url, apiKey })
    proxy.closeAllConnections()
    proxy.close()
    expect(scraped).toMatchObject({ exitCode: exitCodes.ok, stderr: expect.stringContaining('github: done\n') })
    expect((await service.client.get('/api/v1/scrape')).body.data.results.length - before).toBe(1)
    expect(calls).toEqual([
      ...['POST /api/v1/scrape', 'POST /api/v1/scrape', 'GET /api/v1/scrape/id/events', 'GET /api/v1/usage'],
    ])
  })

  it('list, show and cancel jobs', async () => {
    const held = await service.client.scrape({ topic: 'light mode', platforms: ['stackexchange'], depth: 2 })
    const { jobId } = held.body.data
    // In the order of a job's life, so that it cannot slip through between the two.
    const pending = await runCommand(['jobs', 'list', '--status', 'pending', '--limit', '5'], service)
    const running = await runCommand(['jobs', 'list', '--status', 'running', '--limit', '5'], service)
    expect(pending.stdout + running.stdout).toMatch(new RegExp(`^light mode  .* · 1 platform, .*  ${jobId}$`, 'm'))
    const cancelled = await runCommand(['jobs', 'cancel', jobId], service)
    expect(cancelled).toMatchObject({
      exitCode: exitCodes.ok,
      stdout: expect.stringMatching(/^The job is cancelled\.\n/),
    })
    const again = await runCommand(['jobs', 'cancel', jobId, '--json'], service)
    expect(JSON.parse(again.stdout).data).toMatchObject({ jobId, status: 'failed' })
    const shown = await runCommand(['jobs', 'show', jobId], service)
    expect(shown.exitCode).toBe(exitCodes.ok)
    expect(shown.stdout).toContain('  stackexchange  skipped  cancelled: The job was cancelled.\n')
    const json = await runCommand(['jobs', 'list', '--limit', '1', '--json'], service)
    expect(JSON.parse(json.stdout).data.results[0]).toMatchObject({ jobId, depth: 2 })
    const unknown = await runCommand(['jobs', 'show', '00000000-0000-4000-8000-000000000000'], service)
    expect(unknown).toMatchObject({ exitCode: exitCodes.failed, stderr: 'wishwell: Scrape job not found.\n' })
    const malformed = await runCommand(['jobs', 'show', 'light mode'], service)
    expect(malformed).toMatchObject({
      exitCode: exitCodes.usage,
      stderr: expect.stringMatching(/^wishwell: jobId: "light mode" is no id\. An id has 36 characters, such as /),
    })
  })

  it('say when a platform failed, and end with 4', async () => {
    const { exitCode, stdout } = await runCommand(['scrape', 'dark mode', '--platforms', 'github,hackernews'], service)
    expect(exitCode).toBe(exitCodes.partial)
    expect(stdout).toContain('  hackernews  error    unauthorized: hackernews answered 401. Check its credentials.\n')
  })

  it("give the service's own words for what it refuses, with the names of their options", async () => {
    const refused = async (...parameters: string[]) => {
      const { exitCode, stderr } = await runCommand(parameters, service)
      expect(exitCode).toBe(exitCodes.usage)
      return stderr
    }
    expect(await refused('scrape', 'dark mode', '--platforms', 'github?')).toBe(
      `wishwell: --platforms: must be one of ${platformNames.join(', ')}, not "github?". Did you mean github?\n`,
    )
    expect(await refused('scrape', 'a')).toBe('wishwell: topic: must have at least 2 characters, not 1.\n')
    expect(await refused('watches', 'create', 'maps', '--timezone', 'Berlin')).toBe(
      'wishwell: --timezone: must be a name of a time zone, such as Europe/Berlin, not "Berlin".\n',
    )
  })

  it('end with 5 when the credits do not suffice', async () => {
    const { apiKey } = await service.createAccount('free')
    const depth = ['--platforms', 'github,hackernews,stackexchange', '--depth', '40']
    const { exitCode, stderr } = await runCommand(['scrape', 'dark mode', ...depth], { url: service.url, apiKey })
    expect(exitCode).toBe(exitCodes.limited)
    expect(stderr).toContain('Credit limit exceeded (0/100).')
  })
})
