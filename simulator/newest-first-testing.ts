import { readConfig } from '../src/app/config.ts'
import { fetchPageOrNull, testClient } from '../src/platforms/adapters/testing.ts'
import { memoryAdapterCache } from '../src/platforms/adapters/youtube/testing.ts'
import { createMemoryQuotas } from '../src/platforms/budget/quota.ts'
import { createPlatforms } from '../src/platforms/create-platforms.ts'
import { type FoundRequest, type Json, type Page, PlatformError } from '../src/platforms/platform.ts'
import type { SimulatedPlatformName } from './platforms/index.ts'
import type { PlatformSimulator, SimulatorOptions } from './simulator.ts'
import { movableClock, simulate } from './testing.ts'

// What the tests of searches for what is new share.

/** About three of five generated records are newer. */
export const since = new Date('2024-01-01T00:00:00.000Z')

/** More than any walk has. */
const maximumPages = 500

/**
 * One platform as the service has it, in front of the simulator.
 * @param variables of the environment that differ.
 */
export async function newestFirst(
  name: SimulatedPlatformName,
  options: SimulatorOptions = {},
  variables: (urls: PlatformSimulator['urls']) => Record<string, string> = () => ({}),
) {
  const clock = movableClock()
  const simulator = await simulate({ clock, ...options })
  const environment = { ...simulator.environment, GITHUB_TOKEN: 'token', PLATFORMS: name, ...variables(simulator.urls) }
  const { adapters } = await createPlatforms({
    config: readConfig(environment).platforms,
    client: testClient(clock),
    clock,
    quotas: createMemoryQuotas(),
    cache: memoryAdapterCache(),
  })
  const platform = adapters.get(name)!

  async function nextPage(cursor: Json, newestSince: Date | null, sources?: string[]): Promise<Page | null> {
    for (;;) {
      try {
        return await fetchPageOrNull(platform, { cursor, newestSince, ...(sources ? { sources } : {}) })
      } catch (error) {
        if (!(error instanceof PlatformError) || error.retryAt === null) throw error
        clock.forward(error.retryAt.getTime() - clock.now().getTime())
      }
    }
  }

  /** All pages of "dark mode", since an instant or without one; what must be waited for is waited for by the clock. */
  async function walk(newestSince: Date | null, sources?: string[]) {
    const pages: Page[] = []
    const found: FoundRequest[] = []
    let cursor: Json = null
    do {
      const page = await nextPage(cursor, newestSince, sources)
      if (page) pages.push(page)
      found.push(...(page?.requests ?? []), ...(page?.incomplete ?? []))
      cursor = page?.nextCursor ?? null
      if (pages.length > maximumPages) throw new Error(`${name} does not end`)
    } while (cursor !== null)
    return { pages, found, ids: idsOf(found), idsSince: idsOf(found.filter(isNew)) }
  }

  return { clock, simulator, platform, walk }
}

export const isNew = ({ originalCreatedAt }: FoundRequest): boolean => originalCreatedAt! >= since

/** Without the port of the simulator, which is a part of the ids of forums, instances and feeds. */
const idsOf = (requests: readonly FoundRequest[]): string[] =>
  [...new Set(requests.map(({ sourceId }) => sourceId.replace(/^(?:127\.0\.0\.1:\d+|[0-9a-f]{12}(?=:))/, '')))].sort()
