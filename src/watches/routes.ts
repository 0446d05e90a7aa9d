import { includesScope } from '../accounts/keys.ts'
import { listOwned } from '../accounts/owned.ts'
import { sourcesToCheck } from '../collecting/scraping/job-terms.ts'
import { readCreditUsage } from '../credits/usage.ts'
import type { Transaction } from '../database/open.ts'
import type { App } from '../http/app-type.ts'
import { idempotencyErrors, idempotencyHeaders } from '../http/idempotency/idempotency.ts'
import { isId } from '../http/ids.ts'
import { pageOfShort, pageParameters } from '../http/pagination.ts'
import { bodyErrors, changing, closed, errorResponses, reading, usage } from '../http/schemas.ts'
import { invalidField } from '../http/validation.ts'
import { readLastRuns } from './history.ts'
import { describeInFull, registerRunRoutes, shared, type WatchDependencies } from './run-routes.ts'
import { previewRuns } from './schedule.ts'
import {
  newWatch,
  type WatchChangesBody,
  watchChanges,
  watchDeleted,
  watchList,
  watchPath,
  watchRecord,
} from './schemas.ts'
import { isAboutCost, readChangedTerms, readWatchTerms } from './terms.ts'
import type { Watch } from './watch.ts'
import {
  changeWatch,
  createWatch,
  deleteWatch,
  describeWatch,
  lockWatch,
  maxWatches,
  readUsed,
  readWatch,
} from './watches.ts'

/** Registers the routes for watches and their runs. */
export function registerWatchRoutes(app: App, dependencies: WatchDependencies): void {
  registerCreate(app, dependencies)
  registerReads(app, dependencies)
  registerChange(app, dependencies)
  registerDelete(app, dependencies)
  registerRunRoutes(app, dependencies)
}

/** @throws ServiceError INVALID_REQUEST naming the first channel that the account does not have. */
async function requireChannels(
  { findUnknownChannels }: WatchDependencies,
  transaction: Transaction,
  accountId: string,
  channels: readonly string[],
): Promise<void> {
  if (channels.length === 0) return
  const unknown = channels.some((id) => !isId(id))
    ? channels.filter((id) => !isId(id))
    : await findUnknownChannels(transaction, accountId, channels)
  const [first] = unknown
  if (first !== undefined) throw invalidField(`channelIds[${channels.indexOf(first)}]`, 'there is no such channel')
}

const createDescription =
  'Only `topic` is required. Collects it by a schedule, as scrape jobs: each delivered page costs one credit, and all runs of a UTC month at most `monthlyCredits`. ' +
  'A run that nothing pays for is skipped, and told once a month. The first run asks by relevance, later ones newest first. The budget of ' +
  `the API key that makes the watch, or last changed what it costs, bounds it, too. An account has at most ${maxWatches} watches.`

function registerCreate(app: App, dependencies: WatchDependencies): void {
  const { clock, authentication, idempotent, jobSources, comparesGoals, pricing } = dependencies
  app.post('/api/v1/watches', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'createWatch',
      summary: 'Watch a topic',
      description: createDescription,
      ...shared,
      headers: idempotencyHeaders,
      body: newWatch(dependencies),
      response: {
        200: closed({ data: watchRecord, usage }),
        ...errorResponses(...bodyErrors, 'SCOPE_EXCEEDED', ...idempotencyErrors),
      },
    },
    handler: async (request, reply) => {
      const account = authentication.accountOf(request)
      const { accountId, keyId } = account
      const now = clock.now()
      const terms = readWatchTerms(request.body, account, dependencies, now)
      // Outside the transaction, as it takes seconds. Errors wait: a repeated call gets the first answer.
      const refusal = await jobSources.check(sourcesToCheck(terms))
      // Milliseconds of arithmetic, done without locks.
      const preview = previewRuns(pricing, { ...terms, accountId }, now)
      return idempotent(request, reply, async (transaction) => {
        if (refusal !== null) throw refusal
        await requireChannels(dependencies, transaction, accountId, terms.channels)
        const watch = await createWatch(transaction, { accountId, keyId, terms, now })
        const data = { ...describeWatch(watch, { usedThisMonth: 0, lastRun: null, comparesGoals }), preview }
        return { data, usage: { credits: await readCreditUsage(transaction, pricing, account, now) } }
      })
    },
  })
}

function registerReads(app: App, dependencies: WatchDependencies): void {
  const { database, clock, authentication, comparesGoals, visits } = dependencies
  app.get('/api/v1/watches', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'listWatches',
      summary: 'List the watches of the account, the first made first',
      ...shared,
      querystring: closed(pageParameters),
      response: reading(watchList),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const watches = await listOwned(database, 'watches', accountId)
      const positionOf = ({ created_at, id }: Watch) => `${created_at.toISOString()} ${id}`
      const { results, ...page } = pageOfShort(watches, request.query, { list: 'watches', positionOf })
      const ids = results.map(({ id }) => id)
      const used = await readUsed(database, ids, clock.now())
      const runs = await readLastRuns(database, ids)
      const describe = (watch: Watch) => {
        const { id } = watch
        return describeWatch(watch, { usedThisMonth: used.get(id) ?? 0, lastRun: runs.get(id) ?? null, comparesGoals })
      }
      return { data: { results: results.map(describe), ...page } }
    },
  })
  app.get('/api/v1/watches/:watchId', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'readWatch',
      summary: 'Read a watch and its next runs',
      ...shared,
      params: watchPath,
      response: reading(watchRecord, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId, scope } = authentication.accountOf(request)
      const watch = await readWatch(database, accountId, request.params.watchId)
      // A visit keeps a watch running, which spends credits.
      if (includesScope(scope, 'collect')) visits.record([watch.id])
      return { data: await describeInFull(database, watch, { ...dependencies, now: clock.now() }) }
    },
  })
}

function registerChange(app: App, dependencies: WatchDependencies): void {
  const { database, clock, authentication, jobSources } = dependencies
  app.patch('/api/v1/watches/:watchId', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'changeWatch',
      summary: 'Change, pause or resume a watch',
      description:
        'What is not given stays. A paused watch keeps what it has found. Its topic cannot be changed: make another watch.',
      ...shared,
      params: watchPath,
      body: watchChanges(dependencies),
      response: changing(watchRecord, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId, keyId: callersKey } = authentication.accountOf(request)
      const { watchId } = request.params
      const changes: WatchChangesBody = request.body
      const now = clock.now()
      const known = await readWatch(database, accountId, watchId)
      const isAnotherSource = changes.sources !== undefined || changes.platforms !== undefined
      const refusal = isAnotherSource
        ? await jobSources.check(sourcesToCheck(readChangedTerms(known, changes, dependencies, now)))
        : null
      if (refusal !== null) throw refusal
      const changed = await database.transaction().execute(async (transaction) => {
        const watch = await lockWatch(transaction, accountId, watchId)
        const terms = readChangedTerms(watch, changes, dependencies, now)
        if (changes.channelIds) await requireChannels(dependencies, transaction, accountId, terms.channels)
        const { state = watch.state } = changes
        // Whoever changes the cost pays from then on: no key spends another's budget.
        const keyId = isAboutCost(changes) || changes.state === 'active' ? callersKey : undefined
        return changeWatch(transaction, watch, { terms, state, keyId, now })
      })
      return { data: await describeInFull(database, changed, { ...dependencies, now }) }
    },
  })
}

function registerDelete(app: App, { database, authentication }: WatchDependencies): void {
  app.delete('/api/v1/watches/:watchId', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'deleteWatch',
      summary: 'Remove a watch with its history and news',
      description:
        'What it collected stays. A run under way goes on to its end, because it is paid for: cancel its job to stop it.',
      ...shared,
      params: watchPath,
      response: reading(watchDeleted, 'SCOPE_EXCEEDED', 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { watchId } = request.params
      await database.transaction().execute((transaction) => deleteWatch(transaction, accountId, watchId))
      return { data: { watchId: watchId.toLowerCase() } }
    },
  })
}
