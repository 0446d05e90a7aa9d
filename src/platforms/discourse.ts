import type { Clock } from '../clock.ts'
import type { OpenBudget } from './budget.ts'
import type { PlatformClient } from './client.ts'
import { type Platform, PlatformError } from './platform.ts'

export interface DiscourseOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** The base addresses of the forums; they take turns, one a page. */
  urls: readonly string[]
}

export function createDiscourse(_options: DiscourseOptions): Platform {
  return {
    name: 'discourse',
    fetchPage: async () => {
      throw new PlatformError('not_configured', 'Under construction.')
    },
  }
}
