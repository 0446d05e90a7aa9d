import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Answer, TestClient } from '../../../test/client.ts'
import {
  foundRequest,
  platformMap,
  type Script,
  type ScriptedPlatform,
  scriptedPlatform,
} from '../../../test/scripted-platform.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { type Page, type PageRequest, PlatformError } from '../../platforms/platform.ts'
import type { Expansion } from '../expansion/expansion.ts'

/** One page of a topic: two requests whose titles contain it, with ids of platform and topic. */
export const pageOf =
  (name: PlatformName) =>
  ({ topic }: PageRequest): Page => ({
    requests: [1, 2].map((number) =>
      foundRequest(`${topic} ${number}`, { title: `${topic} please`, sourceUrl: `https://${name}.test/${number}` }),
    ),
    nextCursor: 'more',
  })

/** Holds back the answers of a platform until the test opens it. */
export interface Gate {
  open(): void
  passed: Promise<void>
}

export function createGate(): Gate {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>()
  return { open, passed }
}

/** The service of a test of live calls, with its platforms. */
export interface LiveService {
  service: TestService
  github: ScriptedPlatform
  hackernews: ScriptedPlatform
  /** The behaviour of the platforms until the test ends; the default is `pageOf` every topic. */
  scripts: { github: Script; hackernews: Script }
  /** The topics of every query besides itself, until the test ends. */
  related: string[]
  /** The expansion waits for this, until the test ends. */
  beforeExpansion: (signal: AbortSignal) => Promise<void>
  /** How often a query was expanded. */
  expansions: number
  expand(query: string, more?: Record<string, unknown>, client?: TestClient): Promise<Answer>
  realtime(topic: string, parameters?: string, client?: TestClient): Promise<Answer>
  /** Credits that are used and reserved this month. */
  used(): Promise<number>
  /** Waits until no collection is under way. */
  settle(): Promise<void>
}

export const platforms: readonly PlatformName[] = ['github', 'hackernews']

/**
 * A service with two scripted platforms and a scripted expansion, started once for a file and emptied after each test. After each
 * test the ledger is sound, and no call and no reservation of one is left open.
 */
export function prepareLiveService(options: TestServiceOptions = {}): LiveService {
  const scripts = { github: pageScript('github'), hackernews: pageScript('hackernews') }
  const calm = { ...scripts }
  const expansion: Expansion = {
    topicsFor: async (query, signal) => {
      live.expansions += 1
      await live.beforeExpansion(signal)
      return [query, ...live.related]
    },
  }
  const github = scriptedPlatform('github', (call, request) => live.scripts.github(call, request))
  const hackernews = scriptedPlatform('hackernews', (call, request) => live.scripts.hackernews(call, request))
  const live: LiveService = {
    service: undefined as never,
    github,
    hackernews,
    scripts,
    related: [],
    expansions: 0,
    beforeExpansion: atOnce,
    expand: (query, more = {}, client = live.service.client) =>
      client.post('/api/v1/requests/search', { query, expand: true, platforms, ...more }),
    realtime: (topic, parameters = '', client = live.service.client) =>
      client.get(
        `/api/v1/requests?source=realtime&topic=${encodeURIComponent(topic)}&platforms=${platforms}${parameters}`,
      ),
    used: async () => (await live.service.client.get('/api/v1/usage')).body.data.credits.used,
    settle: () => expect.poll(() => openTasks(live.service), { timeout: 30_000 }).toEqual([]),
  }
  // Tests of other things than the deadline must not reach it on a slow machine.
  const environment = { LIVE_DEADLINE_SECONDS: '60', ...options.environment }
  beforeAll(async () => {
    live.service = await startTestService({
      platforms: platformMap(github, hackernews),
      expansion,
      ...options,
      environment,
    })
  })
  afterEach(async () => {
    Object.assign(live.scripts, calm)
    await live.settle()
    await expect.poll(() => openCalls(live.service), { timeout: 30_000 }).toEqual([])
    expect(await verifyLedger(live.service.database)).toEqual([])
    await live.service.reset()
    Object.assign(live, { related: [], expansions: 0, beforeExpansion: atOnce })
    github.calls.length = 0
    hackernews.calls.length = 0
  })
  afterAll(() => live.service.stop())
  return live
}

const atOnce = async () => {}

const pageScript =
  (name: PlatformName): Script =>
  (_call, request) =>
    pageOf(name)(request)

const openTasks = ({ database }: TestService) =>
  database.selectFrom('scrape_tasks').select('id').where('state', 'in', ['pending', 'running']).execute()

const openCalls = ({ database }: TestService) =>
  database
    .selectFrom('credit_reservations')
    .select('id')
    .where('call_id', 'is not', null)
    .where('state', '=', 'open')
    .execute()

/** A script that fails for good. */
export const refusing: Script = () => {
  throw new PlatformError('blocked', 'The platform refuses this address.')
}

/** A script that cannot be used at all. */
export const unusable: Script = () => {
  throw new PlatformError('not_configured', 'It has no credentials.')
}

/** Makes all collected pages `minutes` old. */
export const age = async ({ database }: TestService, minutes: number): Promise<void> => {
  const collectedAt = new Date(Date.now() - minutes * 60_000)
  await database.updateTable('platform_topics').set({ collected_at: collectedAt }).execute()
}
