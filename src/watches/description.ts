import type { Executor } from '../database/open.ts'
import { choosePlatforms } from '../platforms/off-platforms.ts'
import type { WatchDependencies } from './dependencies.ts'
import { readLastRuns } from './history.ts'
import { previewRuns } from './preview.ts'
import type { Watch } from './watch.ts'
import { describeWatch, readUsed } from './watches.ts'

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
