import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readLabelled } from '../../scripts/detection/labelled.ts'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { runCommand, startCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'
let service: TestService
let ids: string[]

beforeAll(async () => {
  service = await startTestService({ platforms: platformMap(scriptedPlatform('github', numberedPages(1, 3))) })
  const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
  const rows = await service.database.selectFrom('requests').select('id').orderBy('source_id').execute()
  ids = rows.map(({ id }) => id)
})
afterAll(() => service.stop())

const correct = (...parameters: string[]) => runCommand(['wishes', 'correct', ...parameters], service)

describe('wishwell wishes correct', { timeout: 60_000 }, () => {
  it('says that a request is one, is none, or takes the correction back', async () => {
    const id = ids[0]!
    expect(await correct(id, 'not-request')).toMatchObject({
      exitCode: exitCodes.ok,
      stdout: `Request ${id} is no feature request for this account.\n`,
    })
    const request = await correct(id, 'request', '--json')
    const { data } = JSON.parse(request.stdout)
    expect(data).toMatchObject({ isRequest: true, request: { _id: id } })
    const undone = await correct(id, 'undo', '--json')
    expect(JSON.parse(undone.stdout)).toEqual({ data: { correctionId: data.correctionId } })
    expect((await correct(id, 'undo')).stderr).toContain('The account has not corrected this request.')
  })

  it('explains an unknown request and a wrong word', async () => {
    const unknown = await correct(unknownId, 'request')
    expect([unknown.exitCode, unknown.stdout]).toEqual([exitCodes.failed, ''])
    expect(unknown.stderr).toContain('Request not found.')
    const wrong = await correct(ids[0]!, 'maybe')
    expect(wrong.exitCode).toBe(exitCodes.usage)
    expect(wrong.stderr).toContain('request, not-request, undo')
  })
})

it('wishwell accuracy shows how strict the account is, and changes it', { timeout: 60_000 }, async () => {
  const accuracy = (...parameters: string[]) => runCommand(['accuracy', ...parameters], service)
  expect((await accuracy()).stdout).toBe('Strictness: usual\nToo few drawn texts are answered yet.\n')
  expect(JSON.parse((await accuracy('strict', '--json')).stdout).data.strictness).toBe('strict')
  expect((await accuracy()).stdout).toContain('Strictness: strict\n')
  expect((await accuracy('usual')).stdout).toContain('Strictness: usual\n')
  const wrong = await accuracy('lax')
  expect([wrong.exitCode, wrong.stderr]).toEqual([exitCodes.usage, expect.stringContaining('usual, strict')])
})

describe('wishwell admin detection export', { timeout: 60_000 }, () => {
  const run = (...parameters: string[]) => {
    const environment = { WISHWELL_URL: service.url, ADMIN_API_KEY: service.adminKey, DATA_DIR: '/nonexistent' }
    return startCommand(['admin', 'detection', 'export', ...parameters], environment).finished
  }

  it('writes labelled texts that the bench and the training of detection read, to stdout or a file', async () => {
    await correct(ids[1]!, 'not-request')
    await correct(ids[2]!, 'request')
    const printed = await run()
    expect([printed.exitCode, printed.stderr]).toEqual([exitCodes.ok, '2 labelled texts.\n'])
    const directory = mkdtempSync(join(tmpdir(), 'wishwell-corrections-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const file = join(directory, 'corrections.jsonl')
    writeFileSync(file, 'an older export')
    const saved = await run('--out', file)
    expect([saved.exitCode, saved.stdout, saved.stderr]).toEqual([
      exitCodes.ok,
      '',
      `Saved ${file}: 2 labelled texts.\n`,
    ])
    expect(readFileSync(file, 'utf8')).toBe(printed.stdout)
    expect(existsSync(`${file}.partial`)).toBe(false)
    expect(readLabelled(file).sort((a, b) => (a.title < b.title ? -1 : 1))).toEqual([
      expect.objectContaining({ title: 'Request 0-1', platform: 'github', tags: ['enhancement'], label: false }),
      expect.objectContaining({ title: 'Request 0-2', platform: 'github', tags: ['enhancement'], label: true }),
    ])
  })
})
