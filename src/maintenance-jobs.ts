import type { Logger } from 'pino'
import { purgeExpiredLinks } from './accounts/sessions/links.ts'
import { purgeExpiredSessions } from './accounts/sessions/sessions.ts'
import { deleteOldEvents } from './channels/store/deliveries.ts'
import { sealAgain, warnOfUnknownKeys } from './channels/upkeep.ts'
import type { OpenDatabase } from './database/open.ts'
import { purgeExpiredAnswers } from './idempotency/store.ts'
import { sweepCalls } from './live/calls.ts'
import { deleteEndedCollections } from './live/collections.ts'
import { purgeConfirmations } from './mail/confirmation-links.ts'
import { purgeMailChannels } from './mail/consents.ts'
import { purgeMailLimits } from './mail/limits.ts'
import { deleteOldReports } from './news/retention.ts'
import { purgeExpiredCacheEntries } from './platforms/adapters/adapter-cache.ts'
import { purgeIdleWindows } from './rate-limits/database-limiter.ts'
import { deleteReadChanges } from './requests/search/outbox/retention.ts'
import type { SizeWatch } from './requests/search/size-watch.ts'
import { countSlice } from './requests/search/uncounted-texts.ts'
import { deleteExpiredRequests, type Retention } from './requests/store/retention.ts'
import { foldTopicCounts } from './requests/store/topic-counts.ts'
import type { BackgroundRun } from './runtime/background-run.ts'
import type { Clock } from './runtime/clock.ts'
import type { MaintenanceJob } from './runtime/maintenance.ts'
import { createSourceCatchUp } from './scraping/account-sources.ts'
import { beginForgottenJobs } from './scraping/job-admission.ts'
import { endOverdueJobs } from './scraping/job-end.ts'
import type { TaskQueue } from './scraping/queue.ts'
import type { Secrets } from './secrets/secrets.ts'
import { createRunRetention } from './watches/retention.ts'

export interface MaintenanceJobsOptions {
  opened: OpenDatabase
  log: Logger
  queue: TaskQueue
  clock: Clock
  /** The clock of the request limiter, if it is not the clock of the database. */
  limiterClock: Clock | undefined
  retention: Retention
  /** Null when no text is judged by a model. */
  judging: BackgroundRun | null
  searchSize: SizeWatch
  usualLength: MaintenanceJob
  /** Null where no jobs run. */
  placing: BackgroundRun | null
  /** What runs watches and tells of them; none where no jobs run. */
  telling: Readonly<Record<string, MaintenanceJob>>
  secrets: Secrets
}

/**
 * The jobs that delete expired rows, end overdue or abandoned work, count words, fold counts of topics, have texts judged by a model, place
 * requests in wishes, run watches that are due and report their news, every few minutes.
 */
export const createMaintenanceJobs = ({
  opened: { database },
  log,
  queue,
  clock,
  limiterClock,
  retention,
  judging,
  searchSize,
  usualLength,
  placing,
  telling,
  secrets,
}: MaintenanceJobsOptions): Record<string, MaintenanceJob> => ({
  rateLimits: () => purgeIdleWindows(database, limiterClock),
  idempotency: () => purgeExpiredAnswers(database, clock.now()),
  overdueJobs: () => endOverdueJobs(database, log, queue, clock.now()),
  forgottenJobs: () => beginForgottenJobs(database, log, queue, clock.now()),
  liveCalls: () => {
    const now = clock.now()
    return sweepCalls(database, log, now, now)
  },
  endedCollections: () => deleteEndedCollections(database, clock.now()),
  adapterCache: () => purgeExpiredCacheEntries(database, clock.now()),
  expiredSessions: () => purgeExpiredSessions(database, clock.now()),
  expiredLinks: () => purgeExpiredLinks(database, clock.now()),
  namedSources: createSourceCatchUp(database, clock.now),
  expiredRequests: () => deleteExpiredRequests(database, retention, clock.now()),
  uncountedTexts: () => countSlice(database),
  topicCounts: () => foldTopicCounts(database),
  searchChanges: () => deleteReadChanges(database),
  ...(judging === null ? {} : { judgements: judging.job }),
  searchSize: searchSize.check,
  usualLength,
  ...(placing === null ? {} : { placing: placing.job }),
  ...telling,
  oldRuns: createRunRetention(database, () => clock.now()),
  oldReports: () => deleteOldReports(database, clock.now()),
  expiredConfirmations: () => purgeConfirmations(database, clock.now()),
  deletedMailChannels: () => purgeMailChannels(database, clock.now()),
  mailLimits: () => purgeMailLimits(database, clock.now()),
  oldEvents: () => deleteOldEvents(database, clock.now()),
  resealedChannels: async () => {
    const more = await sealAgain(database, secrets, clock.now())
    if (!more) await warnOfUnknownKeys(database, secrets, log)
    return more
  },
})
