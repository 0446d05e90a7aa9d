import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { readConfig } from '../../app/config.ts'
import { openTestBudget, platformError, testClock } from '../adapters/testing.ts'
import { readPlatformStatus } from '../status.ts'
import type { Budget } from './budget.ts'
import { rememberHosts } from './host-memory.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

it('a cooldown is not shortened by another process that writes the same host without it', async () => {
  const clock = testClock()
  const process = async () => {
    const windows = [{ limit: 10, windowMs: 60_000 }]
    const budget = openTestBudget({ name: 'api.github.com', windows, concurrency: 1 })
    const hosts = new Map<'github', Budget[]>([['github', [budget]]])
    const memory = await rememberHosts({ database: opened.database, clock, log: pino({ level: 'silent' }), hosts })
    return { budget, memory }
  }
  const [first, second] = [await process(), await process()]
  const cooldownUntil = new Date(clock.now().getTime() + 3_600_000)
  first.budget.pauseUntil(cooldownUntil)
  await first.memory.stop()
  second.budget.recordSuccess(clock.now())
  await second.memory.stop()

  const third = await process()
  expect(third.budget.state(clock.now())).toMatchObject({ cooldownUntil, lastSuccessAt: clock.now() })
  await third.memory.stop()
})

it('the requests of a window stay counted after a restart', async () => {
  const clock = testClock()
  const start = async () => {
    const budget = openTestBudget({ name: 'search.example', windows: [{ limit: 3, windowMs: 60_000 }], concurrency: 1 })
    const hosts = new Map([['gitlab' as const, [budget]]])
    const memory = await rememberHosts({ database: opened.database, clock, log: pino({ level: 'silent' }), hosts })
    return { budget, memory }
  }
  const before = await start()
  await before.budget.take(clock.now())
  await before.budget.take(clock.now())
  before.budget.recordSuccess(clock.now())
  await before.memory.stop()

  const { budget, memory } = await start()
  await budget.take(clock.now())
  await platformError(budget.take(clock.now()), 'rate_limited')
  clock.advance(60_000)
  await budget.take(clock.now())
  await memory.stop()
})

it.each([
  ['reddit', 'waiting'],
  ['lemmy', 'ready'],
] as const)('%s, with one of two hosts in a cooldown, is %s', async (platform, state) => {
  const { database } = opened
  const clock = testClock()
  const open = (name: string) => openTestBudget({ name, windows: [{ limit: 10, windowMs: 60_000 }], concurrency: 1 })
  const hosts = new Map([[platform, [open('one.example'), open('two.example')]]])
  const memory = await rememberHosts({ database, clock, log: pino({ level: 'silent' }), hosts })
  hosts.get(platform)![0]!.pauseUntil(new Date(clock.now().getTime() + 60_000))
  await memory.stop()
  const environment = { PLATFORMS: platform, REDDIT_CLIENT_ID: 'a', REDDIT_CLIENT_SECRET: 'b' }
  const config = readConfig(environment).platforms
  const statuses = await readPlatformStatus({ database, config, hosts, now: clock.now() })
  expect(statuses.find((status) => status.platform === platform)).toMatchObject({ state })
})

it('a platform is ready while a host waits that it can search without, and that host is reported once it was used', async () => {
  const { database } = opened
  const clock = testClock()
  const limits = { windows: [{ limit: 10, windowMs: 60_000 }], concurrency: 1 }
  const needed = openTestBudget({ ...limits, name: 'needed.example' })
  const optional = openTestBudget({ ...limits, name: 'optional.example', isOptional: true })
  const hosts = new Map([['github', [needed, optional]]])
  const config = readConfig({ PLATFORMS: 'github' }).platforms
  const read = async () => {
    const statuses = await readPlatformStatus({ database, config, hosts, now: clock.now() })
    const { state, hosts: reported } = statuses.find(({ platform }) => platform === 'github')!
    return { state, hosts: reported.map(({ host, state: own }) => [host, own]) }
  }
  expect(await read()).toEqual({ state: 'ready', hosts: [['needed.example', 'ready']] })
  const memory = await rememberHosts({ database, clock, log: pino({ level: 'silent' }), hosts })
  optional.recordSuccess(clock.now())
  optional.pauseUntil(new Date(clock.now().getTime() + 60_000))
  await memory.stop()
  expect(await read()).toEqual({
    state: 'ready',
    hosts: [
      ['needed.example', 'ready'],
      ['optional.example', 'waiting'],
    ],
  })
})
