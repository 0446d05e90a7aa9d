import type { Clock } from '../clock.ts'
import type { OpenBudget } from './budget.ts'
import type { PlatformClient } from './client.ts'
import { type Platform, PlatformError } from './platform.ts'

export interface BlueskyOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** `https://bsky.social`. */
  baseUrl: string
  handle?: string | undefined
  appPassword?: string | undefined
}

export function createBluesky(_options: BlueskyOptions): Platform {
  return {
    name: 'bluesky',
    fetchPage: async () => {
      throw new PlatformError('not_configured', 'Under construction.')
    },
  }
}
