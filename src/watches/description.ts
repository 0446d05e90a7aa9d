import type { RouteDependencies } from '../accounts/authentication.ts'
import type { JobTermsDependencies } from '../collecting/scraping/job-terms.ts'
import type { Executor } from '../database/open.ts'
import { choosePlatforms } from '../platforms/off-platforms.ts'
import { readLastRuns } from './history.ts'
import type { RunDependencies } from './runs.ts'
import { previewRuns } from './schedule.ts'
import type { Watch } from './watch.ts'
import { describeWatch, readUsed } from './watches.ts'

export const shared = { tags: ['Watches'], security: [{ apiKey: [] }] }

export interface WatchDependencies extends RouteDependencies, JobTermsDependencies, RunDependencies {
  /** @returns those of the ids that are no channels of the account, also texts that are no ids. */
  findUnknownChannels: (executor: Executor, accountId: string, channelIds: readonly string[]) => Promise<string[]>
  /** Whether a model compares news with goals. */
  comparesGoals: boolean
}

/** A watch with its use of the month and its next runs. */
export async function describeInFull(
  executor: Executor,
  watch: Watch,
  {
    enabledPlatforms,
    comparesGoals,
    now,
  }: Pick<WatchDependencies, 'enabledPlatforms' | 'comparesGoals'> & { now: Date },
) {
  const usedThisMonth = (await readUsed(executor, [watch.id], now)).get(watch.id) ?? 0
  const lastRun = (await readLastRuns(executor, [watch.id])).get(watch.id) ?? null
  const { off } = choosePlatforms(watch.platforms, enabledPlatforms)
  const { account_id: accountId, monthly_credits: monthlyCredits } = watch
  const preview = previewRuns({ ...watch, off, accountId, monthlyCredits }, now)
  return { ...describeWatch(watch, { usedThisMonth, lastRun, comparesGoals }), preview }
}
