import type { Clock } from '../clock.ts'
import type { PlatformClient } from './client.ts'
import { createGithub } from './github.ts'
import { createHackernews } from './hackernews.ts'
import type { Platform, PlatformName } from './platform.ts'
import { createStackexchange } from './stackexchange.ts'

export interface PlatformsConfig {
  enabled: readonly PlatformName[]
  githubApiUrl: string
  githubToken: string | undefined
  hackernewsApiUrl: string
  stackexchangeApiUrl: string
  stackexchangeApiKey: string | undefined
  stackexchangeSites: readonly string[]
}

export interface PlatformsOptions {
  config: PlatformsConfig
  client: PlatformClient
  clock: Clock
}

type Create = (options: PlatformsOptions) => Platform

const creators: Record<PlatformName, Create> = {
  github: ({ config, client, clock }) =>
    createGithub({ client, clock, baseUrl: config.githubApiUrl, token: config.githubToken }),
  hackernews: ({ config, client }) => createHackernews({ client, baseUrl: config.hackernewsApiUrl }),
  stackexchange: ({ config, client, clock }) =>
    createStackexchange({
      client,
      clock,
      baseUrl: config.stackexchangeApiUrl,
      key: config.stackexchangeApiKey,
      sites: config.stackexchangeSites,
    }),
}

/**
 * The platforms that the operator has on, in that order. Make them once for a process: each one keeps the budget of its
 * host.
 */
export function createPlatforms(options: PlatformsOptions): Map<PlatformName, Platform> {
  return new Map(options.config.enabled.map((name) => [name, creators[name](options)]))
}
