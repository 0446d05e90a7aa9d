import type { Clock } from '../clock.ts'
import type { OpenBudget } from './budget.ts'
import type { PlatformClient } from './client.ts'
import type { FindStore } from './finds.ts'
import { type Platform, PlatformError } from './platform.ts'

export interface YoutubeOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  finds: FindStore
  /** `https://www.googleapis.com/youtube/v3`. */
  baseUrl: string
  key?: string | undefined
}

export function createYoutube(_options: YoutubeOptions): Platform {
  return {
    name: 'youtube',
    fetchPage: async () => {
      throw new PlatformError('not_configured', 'Under construction.')
    },
  }
}
