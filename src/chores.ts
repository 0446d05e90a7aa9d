import type { Logger } from 'pino'
import { type Clock, systemClock } from './clock.ts'
import type { OpenDatabase } from './database/open.ts'
import type { Chore } from './housekeeping.ts'
import { purgeExpiredAnswers } from './idempotency/store.ts'
import { sweepCalls } from './live/calls.ts'
import { deleteEndedCollections } from './live/collections.ts'
import { purgeExpiredFinds } from './platforms/finds.ts'
import { purgeIdleWindows } from './rate-limits/database-limiter.ts'
import { deleteExpiredRequests, type Retention } from './requests/retention.ts'
import { endOverdueJobs } from './scraping/job-end.ts'
import { beginForgottenJobs } from './scraping/line.ts'
import type { TaskQueue } from './scraping/queue.ts'
import { purgeExpiredLinks } from './sessions/links.ts'
import { purgeExpiredSessions } from './sessions/sessions.ts'

/** What is kept for a while only. */
export const createChores = (
  { database }: OpenDatabase,
  log: Logger,
  queue: TaskQueue,
  { clock }: { clock?: Clock },
  retention: Retention,
): Record<string, Chore> => ({
  rateLimits: () => purgeIdleWindows(database, clock),
  idempotency: () => purgeExpiredAnswers(database, (clock ?? systemClock).now()),
  overdueJobs: () => endOverdueJobs(database, log, queue, (clock ?? systemClock).now()),
  forgottenJobs: () => beginForgottenJobs(database, log, queue, (clock ?? systemClock).now()),
  liveCalls: () => {
    const now = (clock ?? systemClock).now()
    return sweepCalls(database, log, now, now)
  },
  endedCollections: () => deleteEndedCollections(database, (clock ?? systemClock).now()),
  platformFinds: () => purgeExpiredFinds(database, (clock ?? systemClock).now()),
  expiredSessions: () => purgeExpiredSessions(database, (clock ?? systemClock).now()),
  expiredLinks: () => purgeExpiredLinks(database, (clock ?? systemClock).now()),
  expiredRequests: () => deleteExpiredRequests(database, retention, (clock ?? systemClock).now()),
})
