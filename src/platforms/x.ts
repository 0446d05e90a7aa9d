import type { Clock } from '../clock.ts'
import type { OpenBudget } from './budget.ts'
import type { PlatformClient } from './client.ts'
import { type Platform, PlatformError } from './platform.ts'

export interface XOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** `https://api.x.com/2`. */
  baseUrl: string
  bearerToken?: string | undefined
}

export function createX(_options: XOptions): Platform {
  return {
    name: 'x',
    fetchPage: async () => {
      throw new PlatformError('not_configured', 'Under construction.')
    },
  }
}
