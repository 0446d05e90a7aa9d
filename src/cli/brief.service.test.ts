import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { purgeRequests } from '../requests/purge/purge.ts'
import { storeRequests } from '../sharing/shares/testing.ts'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'

describe('wishwell brief', { timeout: 60_000 }, () => {
  let service: TestService
  const folder = mkdtempSync(join(tmpdir(), 'wishwell-brief-'))
  const saved = join(folder, 'brief.md')

  beforeAll(async () => {
    service = await startTestService()
    const common = { description: 'Please add a dark mode to the editor.' }
    await storeRequests(service, [
      foundRequest('1', { ...common, title: 'Dark mode', votes: 30 }),
      foundRequest('2', { title: 'Sync', description: 'I would like it to sync.', votes: 12, authorHandle: 'eve' }),
    ])
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await service.stop()
  })

  const run = (...parameters: string[]) => runCommand(['brief', ...parameters], service)
  const verify = (file: string) => runCommand(['brief', 'verify', '-'], service, file)
  const sent = async (): Promise<{ briefId: string; request: object }[]> =>
    (await service.client.get('/api/v1/briefs')).body.data.results

  it('is made with what was given, and saved as the service sends it', async () => {
    const options = ['--question', 'What first?', '--since', '2020-01-01', '--platforms', 'github']
    const { exitCode, stdout, stderr } = await run('create', '--topic', 'dark mode', ...options, '--out', saved)
    const [{ briefId, request } = { briefId: '', request: {} }] = await sent()
    expect([exitCode, stdout]).toEqual([exitCodes.ok, ''])
    expect(stderr).toBe(`Made brief ${briefId}.\nSaved ${saved}. Verify it with: wishwell brief verify ${saved}\n`)
    expect(request).toEqual({
      ...{ topic: 'dark mode', question: 'What first?' },
      ...{ filters: { platforms: ['github'] }, period: { since: '2020-01-01' } },
    })
    const file = (await service.client.get(`/api/v1/briefs/${briefId}/file`)).text
    expect(readFileSync(saved, 'utf8')).toBe(file)
    for (const format of ['html', 'json'] as const) {
      const shown = await run('show', briefId, '--format', format)
      const { text } = await service.client.get(`/api/v1/briefs/${briefId}/file?format=${format}`)
      expect(shown).toEqual({ exitCode: exitCodes.ok, stdout: text, stderr: '' })
    }
    expect((await run('list')).stdout).toMatch(
      new RegExp(
        `^dark mode  "What first\\?" · platforms github · \\d\\d? \\w+ \\d{4}, \\d\\d:\\d\\d UTC  ${briefId}\n$`,
      ),
    )
  })

  it('is verified: what was changed, what holds no more, and what is removed', async () => {
    const file = readFileSync(saved, 'utf8')
    const [{ briefId } = { briefId: '' }] = await sent()
    const intact = `Intact: nothing was changed in it since it was made as brief ${briefId}.\n`
    expect(await run('verify', saved)).toEqual({ exitCode: exitCodes.ok, stdout: intact, stderr: '' })
    const changed = await verify(file.replaceAll('12 votes', '\u001b[2J99 votes'))
    expect(changed.exitCode).toBe(exitCodes.failed)
    expect(changed.stdout).toMatch(
      /^Changed in \d places since it was made as brief .*:\n {2}line \d+\n {4}made: .*12 votes.*\n {4}in file: .*99 votes/,
    )
    expect(changed.stdout).not.toContain('\u001b')
    const unknown = await verify('# Nothing of ours')
    expect([unknown.exitCode, unknown.stdout]).toEqual([exitCodes.failed, 'Not a file of a brief of this account.\n'])
    await storeRequests(service, [foundRequest('1', { title: 'Dark', description: 'Please add it.', votes: 31 })])
    const older = await verify(file)
    expect(older.exitCode).toBe(exitCodes.ok)
    expect(older.stdout).toMatch(
      /^Intact: .*\nDifferent now:\n {2}votes of a wish: 30, now 31 {2}\S{36}\n {2}a request says no more: /,
    )
    await purgeRequests(service.database, { author: 'eve', suppress: true, dryRun: false, now: new Date() })
    const purged = await verify(file)
    expect(purged.exitCode).toBe(exitCodes.failed)
    expect(purged.stdout).toContain(`Removed since: 1 part of it. `)
    const json = await run('verify', saved, '--json')
    expect([json.exitCode, JSON.parse(json.stdout).data.verdict]).toEqual([exitCodes.failed, 'intact'])
    expect((await run('verify', join(folder, 'none.md'))).exitCode).toBe(exitCodes.usage)
  })

  it('is deleted', async () => {
    const [{ briefId } = { briefId: '' }] = await sent()
    expect((await run('delete', briefId)).stdout).toBe(`Deleted: ${briefId}\n`)
    expect((await run('list')).stdout).toBe('No briefs.\n')
    const again = await run('show', briefId)
    expect([again.exitCode, again.stderr]).toEqual([exitCodes.failed, expect.stringContaining('Brief not found.')])
  })
})
