import type { Clock } from '../clock.ts'
import type { OpenBudget } from './budget.ts'
import type { PlatformClient } from './client.ts'
import { type Platform, PlatformError } from './platform.ts'

export interface GitlabOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** `https://gitlab.com/api/v4`. */
  baseUrl: string
  token?: string | undefined
  /** By path (`gitlab-org/gitlab`) or number; they take turns, one a page. */
  projects: readonly string[]
}

export function createGitlab(_options: GitlabOptions): Platform {
  return {
    name: 'gitlab',
    fetchPage: async () => {
      throw new PlatformError('not_configured', 'Under construction.')
    },
  }
}
