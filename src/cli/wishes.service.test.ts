import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'
import { requestRecord, startFakeService } from './fake-service-testing.ts'

const listed = {
  wishId: 'w1',
  title: 'Dark \x1b[31mmode',
  requestCount: 3,
  voices: 2,
  votes: 1_234,
  own: { asks: 12, votes: 40 },
  platforms: ['github', 'lemmy'],
  status: 'in_progress',
  firstAskedAt: '2026-01-01T00:00:00.000Z',
  lastAskedAt: '2026-02-01T00:00:00.000Z',
  growth: { days7: 2, days30: 12 },
  topRequest: requestRecord({ stars: 5 }),
  mark: { mark: 'planned', starred: true, note: 'next\x07', owner: 'Ana\x07', updatedAt: '2026-02-01T00:00:00.000Z' },
}

describe('wishwell wishes list', { timeout: 60_000 }, () => {
  it('sends the given options, shows a wish a line, and says how to get more', async () => {
    const service = await startFakeService(() => ({
      body: { data: { results: [listed], hasMore: true, cursor: 'next' } },
    }))
    const options = ['--sort', 'growing', '--mark', 'planned', '--starred', '--limit', '1']
    const { exitCode, stdout } = await runCommand(['wishes', 'list', ...options], service)
    expect(exitCode).toBe(exitCodes.ok)
    expect(service.received[0]?.call).toBe('GET /api/v1/wishes?mark=planned&starred=true&limit=1&sortBy=growing')
    expect(stdout.split('\n')).toEqual([
      'Dark mode  3 requests · 1,234 votes, one with 5 of 5 stars · 2 voices · 12 new votes in 30 days · own: 12 asks, 40 votes · github, lemmy · in progress · starred, planned, owned by Ana, "next"  w1',
      'More: wishwell wishes list --sort growing --mark planned --starred --limit 1 --cursor next',
      '',
    ])
  })
})

describe('wishwell wishes, with a service', { timeout: 60_000 }, () => {
  let service: TestService
  let ids: string[]

  beforeAll(async () => {
    service = await startTestService({ platforms: platformMap(scriptedPlatform('github', numberedPages(1, 2))) })
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    await service.client.waitForJob(body.data.jobId)
    const rows = await service.database.selectFrom('requests').select('id').orderBy('source_id').execute()
    ids = rows.map(({ id }) => id)
  })
  afterAll(() => service.stop())

  const run = (...parameters: string[]) => runCommand(['wishes', ...parameters], service)

  it('merges, splits, lists corrections and undoes them', async () => {
    const [first, second] = ids as [string, string]
    const merged = await run('merge', first, second)
    expect([merged.exitCode, merged.stderr]).toEqual([exitCodes.ok, ''])
    expect(merged.stdout).toContain(`Wish ${first} has the requests of both now.\nUndo it with: wishwell wishes undo `)
    const split = JSON.parse((await run('split', first, second, '--json')).stdout)
    expect(split.data).toMatchObject({ wishId: first, otherWishId: expect.any(String) })
    const { correctionId } = split.data
    expect((await run('undo', correctionId)).stdout).toBe(`Undone: ${correctionId}\n`)
    const lines = (await run('corrections')).stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(new RegExp(`^A split  split .* from ${first} · .* · undone .*  ${correctionId}$`))
    expect(lines[1]).toContain(`Request 0-1  merged ${second} into ${first} · `)
    const again = await run('merge', first, second)
    expect([again.exitCode, again.stderr]).toEqual([exitCodes.failed, expect.stringContaining('Wish not found.')])
  })

  it('shows a wish with its requests, when it was asked for, and what is not known yet', async () => {
    const [first] = ids as [string]
    const { rows } = await sql<{ title: string; source_url: string }>`
      select title, source_url from requests where id = ${first}`.execute(service.database)
    await sql`with reviewed as (update requests set stars = 3), public as (update wishes set status = 'open'),
      own as (update account_wishes set status = 'open')
      update request_facets set status = case when request_id = ${first} then 'completed' else 'open' end`.execute(
      service.database,
    )
    const shown = await run('show', first)
    expect([shown.exitCode, shown.stderr]).toEqual([exitCodes.ok, ''])
    const lines = shown.stdout.split('\n')
    expect(lines[0]).toMatch(new RegExp(`^Request .*  2 requests · .*  ${first}$`))
    expect(lines[1]).toBe('Of its 2 requests 1 is completed.')
    expect(lines).toContain('By 1 voice: 1 author, 0 cross-posts')
    expect(lines).toContain('Votes gained in 7 days: not known yet; in 30 days: not known yet')
    expect(lines[lines.indexOf('Asked for, by when:') + 1]).toMatch(/^ {2}\d\d? \w+ \d{4} +\d requests?$/)
    const { title, source_url: address } = rows[0]!
    const members = shown.stdout.slice(shown.stdout.indexOf('Its requests:'))
    expect(members).toMatch(new RegExp(`^  ${title}  .*, 3 of 5 stars · github.*  ${first}$`, 'm'))
    expect(members).toContain(`\n    ${address}\n`)
  })

  it('marks a wish, and says what is missing', async () => {
    const [first] = ids as [string]
    const marked = await run('mark', first, '--as', 'planned', '--star', '--note', 'soon')
    expect(marked.stdout).toBe(`Wish ${first}: starred, planned, "soon"\n`)
    expect((await run('mark', first, '--as', 'none', '--unstar')).stdout).toBe(`Wish ${first}: "soon"\n`)
    expect((await run('mark', first, '--note', '')).stdout).toBe(`Wish ${first}: not marked\n`)
    const nothing = await run('mark', first)
    expect([nothing.exitCode, nothing.stdout]).toEqual([exitCodes.usage, ''])
    expect(nothing.stderr).toContain('--as, --star, --unstar, --note')
  })
})
