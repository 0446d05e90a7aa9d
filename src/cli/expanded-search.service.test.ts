import { describe, expect, it } from 'vitest'
import { prepareLiveService, refusing } from '../collecting/live/testing.ts'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'
import { startFakeService } from './fake-service-testing.ts'

const live = prepareLiveService()
const search = (...parameters: string[]) =>
  runCommand(['search', '--expand', '--platforms', 'github,hackernews', ...parameters], live.service)

describe('wishwell search --expand', () => {
  it('shows the topics and how far they are on stderr, and the results on stdout', async () => {
    live.related = ['night light']
    live.scripts.hackernews = refusing
    const { exitCode, stdout, stderr } = await search('dark', 'mode')
    expect(exitCode).toBe(exitCodes.ok)
    const lines = stderr.split('\n')
    expect(lines[0]).toBe('Topics: dark mode, night light')
    expect(lines).toEqual(
      expect.arrayContaining([
        ...['dark mode: running', 'night light: running', 'dark mode: done', 'night light: done'],
        'hackernews (night light): blocked: The platform refuses this address.',
      ]),
    )
    expect(stderr).toMatch(/^Collected 2 topics: 4 new requests in .*\. Credits: 14999 of 15000 left\.$/m)
    expect(stdout).toContain('  1. dark mode please')
    expect(stdout).toContain('Results 1 to 4; there are no more.')
  })

  it('says which topics are fresh, and how to get more results', async () => {
    await live.expand('dark mode')
    const { stdout, stderr } = await search('--limit', '3', 'dark mode')
    expect(stderr).toMatch(/^Collected 0 topics \(1 fresh already\): 0 new requests/m)
    expect(stdout).toContain(
      "wishwell search --expand --platforms='github,hackernews' --limit 3 --offset 3 'dark mode'",
    )
  })

  it('prints the answer of the service with --json', async () => {
    const { stdout } = await search('dark mode', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ meta: { expanded: true, topicsScraped: 1 }, data: { hasMore: false } })
  })

  it('says why the service refuses, be it after the stream began', async () => {
    const stream = 'event: error\ndata: {"status":503,"error":{"code":"UNAVAILABLE","message":"No database."}}\n\n'
    const headers = { 'content-type': 'text/event-stream' }
    const service = await startFakeService(() => ({ headers, body: stream }))
    const { exitCode, stderr } = await runCommand(['search', '--expand', 'dark mode'], service)
    expect([exitCode, stderr]).toEqual([exitCodes.failed, 'wishwell: No database.\n'])
    const ended = await startFakeService(() => ({ headers, body: ': nothing\n\n' }))
    expect((await runCommand(['search', '--expand', 'dark mode'], ended)).exitCode).toBe(exitCodes.unreachable)
  })

  it('without --expand takes platforms for a filter', async () => {
    await live.expand('dark mode')
    const { exitCode, stdout } = await runCommand(['search', '--platforms', 'hackernews', 'dark'], live.service)
    expect(exitCode).toBe(exitCodes.ok)
    expect(stdout).not.toContain('· github ·')
  })
})
