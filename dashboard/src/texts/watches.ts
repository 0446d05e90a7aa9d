import { t } from '@lingui/core/macro'
import { number } from '../shell/format.ts'
import { counts } from './counts.ts'

/** Of a watch as a line, and of the ways to one. */
export const watchTexts = {
  title: t`Watches`,
  make: t`Create a watch`,
  watchThis: t`Watch this topic`,
  state: { active: t`active`, paused: t`paused`, asking: t`waits for you` },
  next: (when: string) => t`next run ${when}`,
  neverRan: t`has not run yet`,
  ran: (when: string) => t`ran ${when}`,
  ranInPart: (when: string) => t`ran ${when}, not all sources answered`,
  runsNow: t`is running now`,
  failed: (when: string) => t`failed ${when}`,
  skippedBrief: (when: string) => t`skipped ${when}`,
  skipped: {
    no_credits: t`Its budget, its key or the account could not pay for it.`,
    under_way: t`The previous run was still under way.`,
  },
  budgetUsed: (used: number, limit: number) => t`${number(used)} of ${counts.credits(limit)}`,
  spent: t`Spent this month`,
  spentLabel: (used: string) => t`${used} spent this month`,
}
