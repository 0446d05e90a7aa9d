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
  { enabledPlatforms, now }: Pick<WatchDependencies, 'enabledPlatforms'> & { now: Date },
) {
  const used = await readUsed(executor, [watch.id], now)
  const runs = await readLastRuns(executor, [watch.id])
  const { off } = choosePlatforms(watch.platforms, enabledPlatforms)
  const { account_id: accountId, monthly_credits: monthlyCredits } = watch
  const preview = previewRuns({ ...watch, off, accountId, monthlyCredits }, now)
  return { ...describeWatch(watch, used.get(watch.id) ?? 0, runs.get(watch.id) ?? null), preview }
}
