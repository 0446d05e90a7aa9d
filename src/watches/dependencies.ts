import type { Authentication } from '../accounts/authentication.ts'
import type { JobTermsDependencies } from '../collecting/scraping/job-terms.ts'
import type { Database, Executor } from '../database/open.ts'
import type { Idempotent } from '../http/idempotency/idempotency.ts'
import type { Clock } from '../runtime/clock.ts'
import type { RunDependencies } from './runs.ts'

export const security = [{ apiKey: [] }]
export const tags = ['Watches']

/** @returns those of the ids that are no channels of the account, also texts that are no ids. */
export type FindUnknownChannels = (
  executor: Executor,
  accountId: string,
  channelIds: readonly string[],
) => Promise<string[]>

export interface WatchDependencies extends JobTermsDependencies, RunDependencies {
  database: Database
  clock: Clock
  authentication: Authentication
  idempotent: Idempotent
  findUnknownChannels: FindUnknownChannels
  /** Whether a model compares news with goals. */
  comparesGoals: boolean
}
