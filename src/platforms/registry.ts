import type { Clock } from '../clock.ts'
import { createBluesky } from './bluesky.ts'
import { type Budget, createBudget, type OpenBudget } from './budget.ts'
import type { PlatformClient } from './client.ts'
import { createDiscourse } from './discourse.ts'
import type { FindStore } from './finds.ts'
import { createGithub } from './github.ts'
import { createGitlab } from './gitlab.ts'
import { createHackernews } from './hackernews.ts'
import { createLemmy } from './lemmy.ts'
import type { Platform, PlatformName } from './platform.ts'
import type { QuotaStore } from './quota.ts'
import { createReddit } from './reddit.ts'
import type { PlatformsConfig } from './settings.ts'
import { createStackexchange } from './stackexchange.ts'
import { createX } from './x.ts'
import { createYoutube } from './youtube.ts'

export interface PlatformsOptions {
  config: PlatformsConfig
  client: PlatformClient
  clock: Clock
  quotas: QuotaStore
  finds: FindStore
  /** Makes every window of a budget this many times shorter, for tests and benchmarks against a simulator that does so too. */
  timeScale?: number | undefined
}

/** The platforms that are on, and the hosts that they ask. */
export interface Platforms {
  adapters: ReadonlyMap<PlatformName, Platform>
  hosts: ReadonlyMap<PlatformName, readonly Budget[]>
}

/** What every adapter gets; what else it needs is in the configuration. */
interface Shared {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  finds: FindStore
}

const creators: Record<PlatformName, (shared: Shared, config: PlatformsConfig) => Platform> = {
  github: (shared, config) => createGithub({ ...shared, baseUrl: config.githubApiUrl, token: config.githubToken }),
  hackernews: (shared, config) => createHackernews({ ...shared, baseUrl: config.hackernewsApiUrl }),
  stackexchange: (shared, { stackexchangeApiUrl, stackexchangeApiKey, stackexchangeSites }) =>
    createStackexchange({
      ...shared,
      baseUrl: stackexchangeApiUrl,
      key: stackexchangeApiKey,
      sites: stackexchangeSites,
    }),
  discourse: (shared, config) => createDiscourse({ ...shared, urls: config.discourseUrls }),
  lemmy: (shared, config) => createLemmy({ ...shared, urls: config.lemmyUrls }),
  gitlab: (shared, { gitlabApiUrl, gitlabToken, gitlabProjects }) =>
    createGitlab({ ...shared, baseUrl: gitlabApiUrl, token: gitlabToken, projects: gitlabProjects }),
  reddit: (shared, { redditApiUrl, redditTokenUrl, redditClientId, redditClientSecret }) =>
    createReddit({
      ...shared,
      baseUrl: redditApiUrl,
      tokenUrl: redditTokenUrl,
      clientId: redditClientId,
      clientSecret: redditClientSecret,
    }),
  x: (shared, config) => createX({ ...shared, baseUrl: config.xApiUrl, bearerToken: config.xBearerToken }),
  youtube: (shared, config) => createYoutube({ ...shared, baseUrl: config.youtubeApiUrl, key: config.youtubeApiKey }),
  bluesky: (shared, { blueskyApiUrl, blueskyHandle, blueskyAppPassword }) =>
    createBluesky({ ...shared, baseUrl: blueskyApiUrl, handle: blueskyHandle, appPassword: blueskyAppPassword }),
}

/**
 * The platforms that the operator has on, in that order. Make them once for a process: each one keeps the budgets of its
 * hosts.
 */
export function createPlatforms({ config, client, clock, quotas, finds, timeScale = 1 }: PlatformsOptions): Platforms {
  const adapters = new Map<PlatformName, Platform>()
  const hosts = new Map<PlatformName, Budget[]>()
  for (const platform of config.enabled) {
    const opened: Budget[] = []
    const openBudget: OpenBudget = (limits) => {
      const windows = limits.windows.map(({ limit, windowMs }) => ({ limit, windowMs: windowMs / timeScale }))
      const budget = createBudget({ ...limits, windows, platform, quotas })
      opened.push(budget)
      return budget
    }
    adapters.set(platform, creators[platform]({ client, clock, openBudget, finds }, config))
    hosts.set(platform, opened)
  }
  return { adapters, hosts }
}
