import type { PlatformName } from '../database/column-types.ts'
import type { Clock } from '../runtime/clock.ts'
import { filterByTopic } from './about-topic.ts'
import type { AdapterCache } from './adapters/adapter-cache.ts'
import { type Budget, createBudget, type OpenBudget } from './budget/budget.ts'
import type { QuotaStore } from './budget/quota.ts'
import type { PlatformClient } from './client/client.ts'
import type { Platform } from './platform.ts'
import { platformDefinitions } from './registry.ts'
import type { PlatformsConfig } from './settings.ts'

export interface PlatformsOptions {
  config: PlatformsConfig
  client: PlatformClient
  clock: Clock
  quotas: QuotaStore
  cache: AdapterCache
  /** Divides every budget window, for tests and benchmarks against a simulator of the same scale. */
  timeScale?: number | undefined
}

export interface Platforms {
  adapters: ReadonlyMap<PlatformName, Platform>
  hosts: ReadonlyMap<PlatformName, readonly Budget[]>
}

/** Creates the enabled platforms in configured order. Call once per process: each owns its hosts' budgets. */
export async function createPlatforms(options: PlatformsOptions): Promise<Platforms> {
  const { config, client, clock, quotas, cache, timeScale = 1 } = options
  const adapters = new Map<PlatformName, Platform>()
  const hosts = new Map<PlatformName, Budget[]>()
  for (const platform of config.enabled) {
    const opened: Budget[] = []
    const openBudget: OpenBudget = (limits) => {
      const windows = limits.windows.map(({ limit, windowMs }) => ({ limit, windowMs: windowMs / timeScale }))
      const budget = createBudget({ ...limits, windows, platform, quotas })
      if (limits.isUnlisted !== true) opened.push(budget)
      return budget
    }
    const { create, contextIsTopic } = platformDefinitions.find(({ name }) => name === platform)!
    const adapter = await create({ client, clock, openBudget, cache }, config.environment)
    adapters.set(platform, filterByTopic(adapter, { contextIsTopic }))
    hosts.set(platform, opened)
  }
  return { adapters, hosts }
}
