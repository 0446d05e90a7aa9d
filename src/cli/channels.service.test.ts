import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'
import { type Receiver, startReceiver, status } from '../notifications/channels/testing.ts'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'

// Takes seconds: each command is a process.

let service: TestService
let receiver: Receiver
let directory: string

beforeAll(async () => {
  service = await startTestService({
    environment: { ALLOW_PRIVATE_TARGETS: 'true', SECRETS_KEY: `${'A'.repeat(43)}=` },
  })
  receiver = await startReceiver()
  directory = mkdtempSync(join(tmpdir(), 'wishwell-channel-'))
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await receiver.close()
  await service.stop()
})

const run = (...parameters: string[]) => runCommand(['channels', ...parameters], service)

it('adds, lists, tests, replays and removes a channel', { timeout: 120_000 }, async () => {
  const file = join(directory, 'url')
  writeFileSync(file, `${receiver.url}/hooks/secret-path\n`)
  const added = await run(
    'create',
    'webhook',
    'My hook',
    '--field-file',
    `url=${file}`,
    '--events',
    'credits.low,scrape.failed',
  )
  expect([added.exitCode, added.stderr]).toEqual([exitCodes.ok, ''])
  const [, channelId] = /^Channel (\S+)\nSecret: whsec_\S+ {3}\(shown only once\)\n/.exec(added.stdout) ?? []
  expect(channelId).toBeDefined()
  const listed = await run('list')
  expect(listed.stdout).toMatch(
    /^My hook {2}webhook · 127\.0\.0\.1:\d+\/…path · at once · credits\.low, scrape\.failed {2}[-0-9a-f]{36}\n$/,
  )
  const muted = await run('update', channelId!, '--mute', 'grown,new', '--no-events')
  expect(muted.stdout).toMatch(/ · at once · no subscriptions · muted: grown, new {2}/)
  expect((await run('update', channelId!, '--no-mute', '--events', 'credits.low')).stdout).not.toContain('muted')
  expect((await run('test', channelId!)).stdout).toBe('Delivered.\n')
  receiver.answer(status(503))
  const failed = await run('test', channelId!)
  expect([failed.exitCode, failed.stdout]).toEqual([exitCodes.failed, 'Not delivered. The receiver answered 503.\n'])
  const log = await run('deliveries', channelId!, '--limit', '1')
  expect(log.stdout).toMatch(
    /^channel\.test {2}\d\d? \w+ \d{4}, \d\d:\d\d UTC · failed · 1 attempt · 503 · The receiver answered 503\. {2}[-0-9a-f]{36}\nMore: wishwell channels deliveries/,
  )
  const { data } = JSON.parse((await run('deliveries', channelId!, '--json')).stdout)
  expect((await run('replay', channelId!, data.results[0].deliveryId)).stdout).toContain('will be sent again')
  expect((await run('enable', channelId!, '--json')).exitCode).toBe(exitCodes.ok)
  expect((await run('delete', channelId!)).stdout).toBe(`Channel ${channelId} is deleted.\n`)
  expect((await run('list')).stdout).toBe('The account has no channels.\n')
  const wrong = await run('create', 'webhook', 'x', '--field-file', `url=${join(directory, 'none')}`)
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    exitCodes.usage,
    expect.stringMatching(/none": there is no such file or directory\.\n$/),
  ])
})
