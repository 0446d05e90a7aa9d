import { describe, expect, it } from 'vitest'
import type { FaultName, FaultOptions } from '../../simulator/faults.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from '../../simulator/platforms/index.ts'
import { simulate } from '../../simulator/testing.ts'
import { readConfig } from '../../src/app/config.ts'
import type { AdapterCache } from '../../src/platforms/adapters/adapter-cache.ts'
import { fetchPageOrNull, testClient, testClock } from '../../src/platforms/adapters/testing.ts'
import { createMemoryQuotas } from '../../src/platforms/budget/quota.ts'
import { createPlatforms } from '../../src/platforms/create-platforms.ts'
import { type Page, type Platform, PlatformError } from '../../src/platforms/platform.ts'

// Every form in which the platforms say "not now", adapter by adapter, with waits that no test could sit through.

const announcedSeconds = 90

const forms: readonly [FaultName, FaultOptions][] = [
  ['rate_limit', { seconds: announcedSeconds }],
  ['secondary_rate_limit', { seconds: announcedSeconds }],
  ['silent_rate_limit', {}],
  ['dated_rate_limit', { seconds: announcedSeconds }],
  ['html_rate_limit', { seconds: announcedSeconds }],
  ['server_error', { seconds: announcedSeconds }],
]

/** One adapter in front of its simulated platform, both by the same clock. */
async function setUp(name: SimulatedPlatformName) {
  const clock = testClock()
  const simulator = await simulate({ clock })
  const config = readConfig({ ...simulator.environment, PLATFORMS: name }).platforms
  const { adapters, hosts } = await createPlatforms({
    config,
    clock,
    quotas: createMemoryQuotas(),
    cache: memoryCache(),
    client: testClient(clock),
  })
  const searched = hosts.get(name)!.filter(({ isOptional }) => !isOptional)
  return { clock, simulator, platform: adapters.get(name)!, hostCount: searched.length }
}

function memoryCache(): AdapterCache {
  const kept = new Map<string, Awaited<ReturnType<AdapterCache['read']>>>()
  return {
    read: async (platform, key) => kept.get(`${platform} ${key}`) ?? null,
    store: async (platform, key, value) => {
      kept.set(`${platform} ${key}`, value)
    },
  }
}

async function tryPage(platform: Platform): Promise<Page | PlatformError> {
  const page = await fetchPageOrNull(platform).catch((error: unknown) => error)
  if (page instanceof PlatformError) return page
  if (page === null || page instanceof Error) throw page ?? new Error('there was nothing to ask')
  return page as Page
}

describe.each(simulatedPlatformNames)('%s, when it refuses', (name) => {
  it.each(forms)('by %s %o, is asked again when the wait is over and not before', async (fault, options) => {
    const { clock, simulator, platform, hostCount } = await setUp(name)
    // Where there are several hosts, each of them refuses.
    simulator.setFault(name, fault, { ...options, times: hostCount })
    const codes = new Set<string>()
    for (;;) {
      const answer = await tryPage(platform)
      if (!(answer instanceof PlatformError)) break
      codes.add(answer.code)
      const waitSeconds = (answer.retryAt!.getTime() - clock.now().getTime()) / 1_000
      const isTold = options.seconds !== undefined
      expect(waitSeconds).toBeGreaterThan(isTold ? announcedSeconds - 1 : 59)
      expect(waitSeconds).toBeLessThan(isTold ? announcedSeconds + 2 : 61)

      const asked = simulator.requests.length
      clock.advance((waitSeconds - 1) * 1_000)
      expect(await tryPage(platform)).toMatchObject({ code: 'rate_limited', retryAt: answer.retryAt })
      expect(simulator.requests.length).toBe(asked)
      clock.advance(1_000)
    }
    expect(codes).toEqual(new Set([fault === 'server_error' ? 'unavailable' : 'rate_limited']))
    expect(simulator.breachLog).toEqual([])
  })
})

it('stackexchange gets no calls during the pause that its answer requests', async () => {
  const { clock, simulator, platform } = await setUp('stackexchange')
  simulator.setFault('stackexchange', 'backoff', { seconds: announcedSeconds })
  expect(await tryPage(platform)).toHaveProperty('requests')
  expect(await tryPage(platform)).toMatchObject({ code: 'rate_limited' })
  clock.advance((announcedSeconds - 1) * 1_000)
  expect(await tryPage(platform)).toMatchObject({ code: 'rate_limited' })
  clock.advance(2_000)
  expect(await tryPage(platform)).toHaveProperty('requests')
  expect(simulator.breaches).toBe(0)
})
