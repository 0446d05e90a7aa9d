import { correctCalls } from '../collecting/live/calls.ts'
import { graceMs } from '../collecting/live/live-call.ts'
import { correctJobs } from '../collecting/scraping/job-end.ts'
import { addressOfUnconfirmed, emailStates } from '../notifications/channels/adapters/email.ts'
import { correctDeliveries } from '../notifications/channels/delivery/correct-deliveries.ts'
import { startDelivering } from '../notifications/channels/delivery/delivering.ts'
import { correctConfirmations } from '../notifications/mail/confirmations.ts'
import { startConfirming } from '../notifications/mail/confirming.ts'
import { correctPushes, startSending } from '../notifications/trackers/sending/sending.ts'
import { createReclassifying } from '../requests/accuracy/reclassifying.ts'
import { correctJudgementTries } from '../requests/judging/claims.ts'
import { createJudging } from '../requests/judging/judging.ts'
import { startRefreshing } from '../requests/refreshing/refreshing.ts'
import { correctRefreshes } from '../requests/store/page-effects.ts'
import { startFolding } from '../requests/store/topic-counts.ts'
import type { BackgroundRun } from '../runtime/background-run.ts'
import { systemClock } from '../runtime/clock.ts'
import { startMaintenance } from '../runtime/maintenance.ts'
import { type InstantCorrection, startCorrecting } from '../runtime/stored-instants.ts'
import { createUsualLength } from '../search/tsvector-preparation.ts'
import { correctNextRuns, startWatches } from '../watches/due.ts'
import { readConcernedAccounts } from '../watches/news/concerned-accounts.ts'
import { startReporting } from '../watches/news/reporting.ts'
import { recordVisit } from '../watches/watch.ts'
import { startPlacing } from '../wishes/placing/placing.ts'
import { createPairJudging } from '../wishes/suggestions/pair-judging.ts'
import type { composeService, ServiceParts } from './compose-service.ts'
import { createMaintenanceJobs } from './maintenance-jobs.ts'

export type StartParts = Omit<ServiceParts, 'isOpen'>
type Composed = Awaited<ReturnType<typeof composeService>>

function startRefreshes(
  { config, log, overrides, prepared }: StartParts,
  { adapters: platforms, hosts }: Pick<Composed, 'adapters' | 'hosts'>,
): BackgroundRun | null {
  const { clock = systemClock } = overrides
  if (!config.refreshesRequests) return null
  return startRefreshing({ database: prepared.opened.database, clock, log, platforms, hosts })
}

/** The background judging of texts and pairs that is configured. */
function judgingOf({
  config: { judging: config },
  log,
  overrides,
  prepared,
}: StartParts): Record<string, BackgroundRun> {
  if (config === null) return {}
  const { clock = systemClock } = overrides
  const shared = { database: prepared.opened.database, clock, log, config }
  return {
    ...(config.perDay > 0 ? { judgements: createJudging(shared) } : {}),
    ...(config.pairsPerDay > 0 ? { judgedPairs: createPairJudging(shared) } : {}),
  }
}

async function startNotifying(
  parts: StartParts,
  { channelAdapters: adapters, trackers, renderEvent, publicUrl, mailer }: Composed,
) {
  const { config, log, overrides, prepared, secrets } = parts
  const { database, listen } = prepared.opened
  const { clock = systemClock } = overrides
  const reportsNews = !overrides.onDemand?.has('news')
  const deliversEvents = !overrides.onDemand?.has('events')
  const { jobTimeLimitMs, pricing } = config
  const { enabled: enabledPlatforms, retention } = config.platforms
  const shared = { database, listen, clock, log, publicUrl }
  const watches = startWatches({ ...shared, queue: prepared.queue, jobTimeLimitMs, enabledPlatforms, pricing })
  const reporting = await startReporting({ ...shared, config: config.news, retention, isAutomatic: reportsNews })
  const delivering = await startDelivering({
    ...shared,
    ...{ adapters, secrets, recordVisit },
    render: renderEvent,
    readersOf: readConcernedAccounts,
    isAutomatic: deliversEvents,
  })
  const confirming =
    mailer &&
    (await startConfirming({
      ...{ ...shared, mailer },
      addressOf: addressOfUnconfirmed(database, secrets),
      onBounce: emailStates().onBounce,
      isAutomatic: deliversEvents,
    }))
  const sending = await startSending({
    ...{ ...shared, secrets, adapters: trackers, isAutomatic: deliversEvents },
    publicUrl: () => config.publicUrl ?? null,
  })
  return {
    jobs: {
      watches: watches.job,
      ...(reportsNews ? { news: reporting.job } : {}),
      ...(deliversEvents ? { deliveries: delivering.job, pushes: sending.job } : {}),
      ...(deliversEvents && confirming !== null ? { confirmations: confirming.job } : {}),
    },
    runDueWatches: watches.run,
    reportNews: reporting.run,
    deliverEvents: async () => {
      await delivering.run()
      await sending.run()
    },
    stop: () => Promise.all([watches.stop(), reporting.stop(), delivering.stop(), confirming?.stop(), sending.stop()]),
  }
}

/** The corrections of stored due times (for a clock that was ahead), by name. */
function correctionsOf({ config, prepared: { opened, queue } }: StartParts): Record<string, InstantCorrection> {
  const { database } = opened
  return {
    watches: (now) => correctNextRuns(database, now),
    deliveries: (now) => correctDeliveries(database, now),
    pushes: (now) => correctPushes(database, now),
    confirmations: (now) => correctConfirmations(database, now),
    refreshes: (now) => correctRefreshes(database, now),
    judgements: (now) => correctJudgementTries(database, now),
    jobs: (now) => correctJobs(database, queue, config.jobTimeLimitMs, now),
    liveCalls: (now) => correctCalls(database, config.liveDeadlineMs + graceMs, now),
  }
}

/** Starts maintenance and, if this process runs jobs, refreshing, judging, placing, watches and delivery. */
export async function startBackground(parts: StartParts, composed: Composed, runsJobs: boolean) {
  const { config, log, overrides, prepared, monitoring, secrets } = parts
  const { opened, queue, searchIndex } = prepared
  const { database, listen } = opened
  const { clock = systemClock, onDemand } = overrides
  const isAutomatic = !onDemand?.has('placing')
  const { retention } = config.platforms
  const judging = runsJobs ? judgingOf(parts) : {}
  const reclassifying = createReclassifying(database, log)
  const placing = runsJobs ? await startPlacing({ database, searchIndex, listen, log, clock, isAutomatic }) : null
  const notifying = runsJobs ? await startNotifying(parts, composed) : null
  const correcting = runsJobs ? startCorrecting(correctionsOf(parts), { clock, log }) : null
  const jobs = createMaintenanceJobs({
    ...{ opened, log, queue, clock, retention, judging, reclassifying, secrets },
    limiterClock: overrides.clock,
    texts: composed.texts,
    searchSize: composed.searchSize,
    usualLength: createUsualLength(database, clock, searchIndex.kind),
    placing: isAutomatic ? placing : null,
    notifying: notifying?.jobs ?? {},
  })
  const maintenance = startMaintenance(monitoring.maintenanceJobs(jobs), log)
  void composed.searchSize.check().catch(() => {
    // The maintenance job of the same name reports the error.
  })
  // Left by the last process.
  if (runsJobs) await composed.texts.job()
  const refreshing = runsJobs ? startRefreshes(parts, composed) : null
  const folding = runsJobs ? await startFolding(opened, log) : null
  // If searches wait for changes, they feed the index themselves.
  if (runsJobs && !onDemand?.has('search index')) prepared.searchCluster?.indexer.start()
  return {
    runMaintenance: maintenance.run,
    refreshRequests: async () => refreshing?.run(),
    placeRequests: async () => placing?.run(),
    runDueWatches: async () => {
      await correcting?.run()
      await notifying?.runDueWatches()
    },
    reportNews: async () => notifying?.reportNews(),
    deliverEvents: async () => {
      await correcting?.run()
      await notifying?.deliverEvents()
    },
    stop: () =>
      Promise.all([
        maintenance.stop(),
        reclassifying.stop(),
        composed.texts.stop(),
        refreshing?.stop(),
        ...Object.values(judging).map((run) => run.stop()),
        folding?.stop(),
        placing?.stop(),
        notifying?.stop(),
        correcting?.stop(),
      ]),
  }
}
