import { Type } from 'typebox'
import type { RouteDependencies } from '../accounts/authentication.ts'
import type { JobTermsDependencies } from '../collecting/scraping/job-terms.ts'
import { readCreditUsage } from '../credits/usage.ts'
import type { Executor } from '../database/open.ts'
import type { App } from '../http/app-type.ts'
import { ServiceError } from '../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../http/idempotency/idempotency.ts'
import { pageParameters } from '../http/pagination.ts'
import { closed, errorResponses, reading, sending, usage } from '../http/schemas.ts'
import { choosePlatforms } from '../platforms/off-platforms.ts'
import { listRuns, readLastRuns } from './history.ts'
import { isUnderWay, type RunDependencies, startRun } from './runs.ts'
import { previewRuns } from './schedule.ts'
import { previewAnswer, previewOf, watchPath, watchRunPage } from './schemas.ts'
import { readRunTerms, requireBudget } from './terms.ts'
import { recordVisit, type Visits, type Watch } from './watch.ts'
import { describeWatch, lockWatch, readUsed, readWatch } from './watches.ts'

export const shared = { tags: ['Watches'], security: [{ apiKey: [] }] }

export interface WatchDependencies extends RouteDependencies, JobTermsDependencies, RunDependencies {
  /** @returns the ids that are no channels of the account, including malformed ones. */
  findUnknownChannels: (executor: Executor, accountId: string, channelIds: readonly string[]) => Promise<string[]>
  visits: Pick<Visits, 'record'>
  comparesGoals: boolean
}

/** A watch with its monthly usage and next runs. */
export async function describeInFull(
  executor: Executor,
  watch: Watch,
  {
    enabledPlatforms,
    comparesGoals,
    pricing,
    now,
  }: Pick<WatchDependencies, 'enabledPlatforms' | 'comparesGoals' | 'pricing'> & { now: Date },
) {
  const usedThisMonth = (await readUsed(executor, [watch.id], now)).get(watch.id) ?? 0
  const lastRun = (await readLastRuns(executor, [watch.id])).get(watch.id) ?? null
  const { off } = choosePlatforms(watch.platforms, enabledPlatforms)
  const { account_id: accountId, monthly_credits: monthlyCredits } = watch
  const preview = previewRuns(pricing, { ...watch, off, accountId, monthlyCredits }, now)
  return { ...describeWatch(watch, { usedThisMonth, lastRun, comparesGoals }), preview }
}

/** Registers the routes for running a watch, its history and costs. */
export function registerRunRoutes(app: App, dependencies: WatchDependencies): void {
  registerRun(app, dependencies)
  registerHistory(app, dependencies)
  registerPreview(app, dependencies)
}

function registerRun(app: App, dependencies: WatchDependencies): void {
  const { clock, authentication, idempotent } = dependencies
  app.post('/api/v1/watches/:watchId/run', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'runWatch',
      summary: 'Run a watch now, also one that is paused',
      description:
        'Paid by the budget of the watch and, where the API key of the call has one, by that. While a run is under way it is a 409. The schedule stays.',
      ...shared,
      headers: idempotencyHeaders,
      params: watchPath,
      response: {
        200: closed({ data: closed({ watchId: Type.String(), jobId: Type.String() }), usage }),
        ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'SCOPE_EXCEEDED', 'NOT_FOUND', ...idempotencyErrors),
      },
    },
    handler: async (request, reply) => {
      const account = authentication.accountOf(request)
      const now = clock.now()
      return idempotent(request, reply, async (transaction) => {
        const watch = await lockWatch(transaction, account.accountId, request.params.watchId)
        if (await isUnderWay(transaction, watch.id)) {
          throw new ServiceError('CONFLICT', 'A run of the watch is still under way.')
        }
        await recordVisit(transaction, [watch.id], now)
        const { keyId } = account
        const jobId = await startRun(transaction, dependencies, watch, { trigger: 'manual', dueAt: now, keyId, now })
        const credits = await readCreditUsage(transaction, dependencies.pricing, account, now)
        return { data: { watchId: watch.id, jobId }, usage: { credits } }
      })
    },
  })
}

function registerHistory(app: App, { database, authentication }: WatchDependencies): void {
  app.get('/api/v1/watches/:watchId/runs', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'listWatchRuns',
      summary: 'List the runs of a watch, the last due first',
      ...shared,
      params: watchPath,
      querystring: closed(pageParameters),
      response: reading(watchRunPage, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const watch = await readWatch(database, accountId, request.params.watchId)
      return { data: await listRuns(database, { watchId: watch.id, ...request.query }) }
    },
  })
}

function registerPreview(app: App, dependencies: WatchDependencies): void {
  const { clock, authentication, comparesGoals, pricing } = dependencies
  app.post('/api/v1/watches/preview', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'previewWatch',
      summary: 'When a watch would run, and what that costs at most',
      description: 'Nothing is stored, and no source is asked for.',
      ...shared,
      body: previewOf(dependencies),
      response: sending(previewAnswer),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const now = clock.now()
      const { monthlyCredits } = request.body
      const terms = readRunTerms(request.body, dependencies, now)
      if (monthlyCredits !== undefined) requireBudget(pricing, terms, monthlyCredits)
      return { data: { ...previewRuns(pricing, { ...terms, accountId, monthlyCredits }, now), comparesGoals } }
    },
  })
}
