import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Answer, TestClient } from '../../test/client.ts'
import {
  foundRequest,
  platformMap,
  type Script,
  type ScriptedPlatform,
  scriptedPlatform,
} from '../../test/scripted-platform.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../../test/service.ts'
import { verifyLedger } from '../credits/verify.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { Expansion } from '../expansion/expansion.ts'
import { type Page, type PageRequest, PlatformError } from '../platforms/platform.ts'

/** One page of a topic: two requests whose titles hold it, of ids that say platform and topic. */
export const pageOf =
  (name: PlatformName) =>
  ({ topic }: PageRequest): Page => ({
    requests: [1, 2].map((number) =>
      foundRequest(`${topic} ${number}`, { title: `${topic} please`, sourceUrl: `https://${name}.test/${number}` }),
    ),
    nextCursor: 'more',
  })

/** A platform of which a test holds the answers back until it lets them go. */
export interface Gate {
  open(): void
  passed: Promise<void>
}

export function createGate(): Gate {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>()
  return { open, passed }
}

/** What a test of live calls has in its hands. */
export interface LiveService {
  service: TestService
  github: ScriptedPlatform
  hackernews: ScriptedPlatform
  /** What the platforms do until the test ends; by default they give `pageOf` every topic. */
  scripts: { github: Script; hackernews: Script }
  /** What a query stands for besides itself, until the test ends. */
  related: string[]
  /** What thinking of topics waits for, until the test ends. */
  think: (signal: AbortSignal) => Promise<void>
  /** How often topics were thought of. */
  expansions: number
  expand(query: string, more?: Record<string, unknown>, client?: TestClient): Promise<Answer>
  realtime(topic: string, parameters?: string, client?: TestClient): Promise<Answer>
  /** Credits that are used and held this month. */
  used(): Promise<number>
  /** Waits until no collection is under way. */
  settle(): Promise<void>
}

export const platforms: readonly PlatformName[] = ['github', 'hackernews']

/**
 * A service with two scripted platforms and an expansion that says what the test wants, started once for a file and emptied after
 * each test. After each test the ledger is sound, no call is left open and nothing is held for one.
 */
export function prepareLiveService(options: TestServiceOptions = {}): LiveService {
  const scripts = { github: pageScript('github'), hackernews: pageScript('hackernews') }
  const calm = { ...scripts }
  const expansion: Expansion = {
    topicsFor: async (query, signal) => {
      live.expansions += 1
      await live.think(signal)
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
    think: atOnce,
    expand: (query, more = {}, client = live.service.client) =>
      client.post('/api/v1/requests/search', { query, expand: true, platforms, ...more }),
    realtime: (topic, parameters = '', client = live.service.client) =>
      client.get(
        `/api/v1/requests?source=realtime&topic=${encodeURIComponent(topic)}&platforms=${platforms}${parameters}`,
      ),
    used: async () => (await live.service.client.get('/api/v1/usage')).body.data.credits.used,
    settle: () => expect.poll(() => openTasks(live.service), { timeout: 30_000 }).toEqual([]),
  }
  // Tests that do not speak of the deadline must not meet it on a slow machine.
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
    Object.assign(live, { related: [], expansions: 0, think: atOnce })
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

/** Makes what was collected so far as old as `minutes`. */
export const age = async ({ database }: TestService, minutes: number): Promise<void> => {
  const collectedAt = new Date(Date.now() - minutes * 60_000)
  await database.updateTable('platform_topics').set({ collected_at: collectedAt }).execute()
}
