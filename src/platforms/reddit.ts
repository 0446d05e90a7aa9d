import type { Clock } from '../clock.ts'
import type { OpenBudget } from './budget.ts'
import type { PlatformClient } from './client.ts'
import { type Platform, PlatformError } from './platform.ts'

export interface RedditOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** `https://oauth.reddit.com`. */
  baseUrl: string
  tokenUrl: string
  clientId?: string | undefined
  clientSecret?: string | undefined
}

export function createReddit(_options: RedditOptions): Platform {
  return {
    name: 'reddit',
    fetchPage: async () => {
      throw new PlatformError('not_configured', 'Under construction.')
    },
  }
}
