import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { foundRequest } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { type FakeTracker, startFakeGithub } from '../notifications/trackers/testing.ts'
import { idOf, storeRequests } from '../sharing/shares/testing.ts'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'

// Takes seconds: each command is a process.

let service: TestService
let github: FakeTracker
let directory: string

beforeAll(async () => {
  service = await startTestService({
    environment: { ALLOW_PRIVATE_TARGETS: 'true', SECRETS_KEY: `${'A'.repeat(43)}=` },
  })
  github = await startFakeGithub(() => new Date())
  directory = mkdtempSync(join(tmpdir(), 'wishwell-tracker-'))
  await storeRequests(service, [
    foundRequest('1', { title: 'Dark mode', sourceUrl: 'https://github.com/other/app/issues/5' }),
  ])
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await github.close()
  await service.stop()
})

const run = (...parameters: string[]) => runCommand(['trackers', ...parameters], service)

it('creates a tracker, pushes a wish, shows what to tell those who asked, and takes it back', {
  timeout: 120_000,
}, async () => {
  const file = join(directory, 'token')
  writeFileSync(file, 'token\n')
  const fields = ['--field', 'project=acme/app', '--field', `url=${github.url}`, '--field-file', `token=${file}`]
  const refused = await run('create', 'github', 'App', ...fields.map((one) => one.replace('acme/app', 'acme/none')))
  expect(refused.exitCode).toBe(exitCodes.usage)
  expect(refused.stderr).toContain('project')
  const made = await run('create', 'github', 'App', ...fields)
  expect([made.exitCode, made.stderr]).toEqual([exitCodes.ok, ''])
  const [, trackerId] = /^Tracker (\S+)\n/.exec(made.stdout) ?? []
  expect((await run('list')).stdout).toMatch(/^App {2}github · acme\/app \(127\.0\.0\.1:\d+\) {2}[-0-9a-f]{36}\n$/)
  const wishId = await idOf(service, '1')
  const pushed = await run('push', trackerId!, wishId)
  const [, pushId] = /^no issue {2}waiting · wish \S+ {2}([-0-9a-f]{36})\n$/.exec(pushed.stdout) ?? []
  expect(pushId).toBeDefined()
  await service.deliverEvents()
  expect((await run('pushes', '--wish', wishId)).stdout).toContain(
    '#1  sent · open · https://github.com/acme/app/issues/1',
  )
  expect((await run('show', pushId!)).stdout).toContain(
    'https://github.com/other/app/issues/5\n  Thank you for asking for this. We track it as #1.\n',
  )
  expect((await run('update', trackerId!, '--name', 'Our app')).stdout).toMatch(/^Our app {2}github/)
  expect((await run('undo', pushId!)).stdout).toContain('undoing')
  // After the issue that was just made GitHub is left alone for a second.
  const states = () => service.deliverEvents().then(() => github.issues.map(({ state }) => state))
  await expect.poll(states, { timeout: 10_000 }).toEqual(['NOT_PLANNED'])
  expect((await run('delete', trackerId!)).exitCode).toBe(exitCodes.ok)
  expect((await run('list')).stdout).toBe('The account has no trackers.\n')
})
