import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { endedRun, makeWatch, type TestWatch } from '../watches/news/testing.ts'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'

describe('wishwell watches news and wishwell feeds, with a service', { timeout: 90_000 }, () => {
  let service: TestService
  let watch: TestWatch

  beforeAll(async () => {
    service = await startTestService()
    const { id } = await service.database.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    watch = await makeWatch(service.database, { accountId: id })
    const requests = [foundRequest('a', { title: 'Dark \x1b[31mmode', votes: 3, status: 'open' })]
    await endedRun(service.database, watch, { requests, now: new Date('2026-06-01T00:00:00Z') })
    await service.reportNews()
  })
  afterAll(() => service.stop())

  const run = (...parameters: string[]) => runCommand(parameters, service)

  it('show what is new until it is marked as read', async () => {
    const { id } = await service.database.selectFrom('requests').select('id').executeTakeFirstOrThrow()
    const { apiKey } = (await service.client.post('/api/v1/keys', { name: 'reader', scope: 'read' })).body.data
    const reader = await runCommand(['watches', 'news', '--mark-read'], { ...service, apiKey })
    expect([reader.exitCode, reader.stderr]).toEqual([
      exitCodes.failed,
      expect.stringContaining('Nothing was marked as read. This call needs a key with the scope "collect"'),
    ])
    const read = await runCommand(['watches', 'show', watch.watchId], { ...service, apiKey })
    expect([read.exitCode, read.stderr]).toEqual([exitCodes.ok, ''])
    const shown = await run('watches', 'news', '--watch', watch.watchId, '--mark-read')
    expect(shown).toMatchObject({ exitCode: exitCodes.ok, stderr: '' })
    expect(shown.stdout.split('\n')).toEqual([
      `Dark <mode>  ${watch.watchId}`,
      ' New (1)',
      `  Dark mode  +1 request · 3 votes · github · open  ${id}`,
      '',
    ])
    expect((await run('watches', 'news')).stdout).toBe(`Dark <mode>  ${watch.watchId}\n Nothing new.\n`)
    expect(
      JSON.parse((await run('watches', 'news', '--since', '2026-06-01', '--json')).stdout).data.results[0].reports,
    ).toBe(1)
    expect((await run('watches', 'news', '--watch', 'unknown')).exitCode).toBe(exitCodes.usage)
    expect((await run('watches', 'news', '--watch', crypto.randomUUID())).exitCode).toBe(exitCodes.failed)
  })

  it('make, list and remove feeds', async () => {
    const made = await run('feeds', 'create', '--watch', watch.watchId)
    const [, url] = /Atom: (\S+\.atom) {3}\(shown only once\)/.exec(made.stdout) ?? []
    expect((await fetch(url!)).status).toBe(200)
    const { stdout } = await run('feeds', 'list')
    expect(stdout).toMatch(/^Dark <mode> {2}watch [-0-9a-f]{36} · read \d\d? \w+ \d{4} · /)
    const feedId = stdout.trim().split(' ').at(-1)!
    expect((await run('feeds', 'delete', feedId)).exitCode).toBe(exitCodes.ok)
    expect((await fetch(url!)).status).toBe(404)
    expect((await run('feeds', 'list')).stdout).toBe('The account has no feeds.\n')
    expect((await run('feeds', 'create', '--topic', 'a b', '--search', 'c')).exitCode).toBe(exitCodes.usage)
  })
})
