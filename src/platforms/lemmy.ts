import type { Clock } from '../clock.ts'
import type { OpenBudget } from './budget.ts'
import type { PlatformClient } from './client.ts'
import { type Platform, PlatformError } from './platform.ts'

export interface LemmyOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** The base addresses of the instances; they take turns, one a page. */
  urls: readonly string[]
}

export function createLemmy(_options: LemmyOptions): Platform {
  return {
    name: 'lemmy',
    fetchPage: async () => {
      throw new PlatformError('not_configured', 'Under construction.')
    },
  }
}
