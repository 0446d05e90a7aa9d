import type { Logger } from 'pino'
import { purgeExpiredLinks } from '../accounts/sessions/links.ts'
import { purgeExpiredSessions } from '../accounts/sessions/sessions.ts'
import { sweepCalls } from '../collecting/live/calls.ts'
import { deleteEndedCollections } from '../collecting/live/collections.ts'
import { createSourceCatchUp } from '../collecting/scraping/account-sources.ts'
import { beginForgottenJobs } from '../collecting/scraping/job-admission.ts'
import { endOverdueJobs } from '../collecting/scraping/job-end.ts'
import type { TaskQueue } from '../collecting/scraping/queue.ts'
import type { OpenDatabase } from '../database/open.ts'
import { deleteForgottenAsks } from '../feedback/imports.ts'
import { purgeExpiredAnswers } from '../http/idempotency/store.ts'
import { purgeIdleWindows } from '../http/rate-limits/database-limiter.ts'
import type { Secrets } from '../http/secrets/secrets.ts'
import { deleteOldEvents } from '../notifications/channels/store/deliveries.ts'
import { deleteExpiredFeeds } from '../notifications/feeds/feeds.ts'
import { purgeConfirmations } from '../notifications/mail/confirmation-links.ts'
import { purgeMailChannels } from '../notifications/mail/consents.ts'
import { purgeMailLimits } from '../notifications/mail/limits.ts'
import { sealAgain, warnOfUnknownKeys } from '../notifications/upkeep.ts'
import { purgeExpiredCacheEntries } from '../platforms/adapters/adapter-cache.ts'
import { deleteExpiredRequests, type Retention } from '../requests/store/delete.ts'
import { foldTopicCounts } from '../requests/store/topic-counts.ts'
import type { TextWriting } from '../requests/store/unwritten-texts.ts'
import { countSlice } from '../requests/words/uncounted-texts.ts'
import type { BackgroundRun } from '../runtime/background-run.ts'
import type { Clock } from '../runtime/clock.ts'
import type { MaintenanceJob } from '../runtime/maintenance.ts'
import { deleteReadChanges } from '../search/outbox/outbox.ts'
import type { SizeWatch } from '../search/size-watch.ts'
import { deleteExpiredShares } from '../sharing/shares/shares.ts'
import { createRunRetention } from '../watches/history.ts'
import { deleteOldReports } from '../watches/news/report.ts'
import { refreshPriorities } from '../wishes/suggestions/store.ts'

export interface MaintenanceJobsOptions {
  opened: OpenDatabase
  log: Logger
  queue: TaskQueue
  clock: Clock
  /** The request limiter's clock, if not the database's. */
  limiterClock: Clock | undefined
  retention: Retention
  /** The model judging of texts and pairs, by name. */
  judging: Readonly<Record<string, BackgroundRun>>
  reclassifying: BackgroundRun
  texts: TextWriting
  searchSize: SizeWatch
  usualLength: MaintenanceJob
  /** Null if no jobs run. */
  placing: BackgroundRun | null
  /** Running watches and delivery, by name; empty if no jobs run. */
  notifying: Readonly<Record<string, MaintenanceJob>>
  secrets: Secrets
}

/** The periodic jobs: delete and end what expired, and do all derived and scheduled work, every few minutes. */
export const createMaintenanceJobs = ({
  opened: { database },
  log,
  queue,
  clock,
  limiterClock,
  retention,
  judging,
  reclassifying,
  texts,
  searchSize,
  usualLength,
  placing,
  notifying,
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
  movedThresholds: reclassifying.job,
  expiredRequests: () => deleteExpiredRequests(database, retention, clock.now()),
  forgottenFeedback: () => deleteForgottenAsks(database),
  unwrittenTexts: texts.job,
  uncountedTexts: () => countSlice(database),
  topicCounts: () => foldTopicCounts(database),
  wishSuggestions: () => refreshPriorities(database),
  searchChanges: () => deleteReadChanges(database),
  ...Object.fromEntries(Object.entries(judging).map(([name, run]) => [name, run.job])),
  searchSize: searchSize.check,
  usualLength,
  ...(placing === null ? {} : { placing: placing.job }),
  ...notifying,
  oldRuns: createRunRetention(database, () => clock.now()),
  oldReports: () => deleteOldReports(database, clock.now()),
  expiredConfirmations: () => purgeConfirmations(database, clock.now()),
  deletedMailChannels: () => purgeMailChannels(database, clock.now()),
  mailLimits: () => purgeMailLimits(database, clock.now()),
  expiredFeeds: () => deleteExpiredFeeds(database, clock.now()),
  expiredShares: () => deleteExpiredShares(database, clock.now()),
  oldEvents: () => deleteOldEvents(database, clock.now()),
  resealedChannels: async () => {
    const more = await sealAgain(database, secrets, clock.now())
    if (!more) await warnOfUnknownKeys(database, secrets, log)
    return more
  },
})
