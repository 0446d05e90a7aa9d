import type { Logger } from 'pino'
import type { Pricing } from '../../accounts/plans.ts'
import { closeReservation, reserve } from '../../credits/ledger.ts'
import type { PlatformErrorCode, PlatformName } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import type { CallPlan, Collection } from '../../database/tables/collecting.ts'
import { ServiceError } from '../../http/errors.ts'
import { forget, noteEffect } from '../../http/idempotency/store.ts'
import { offError } from '../../platforms/off-platforms.ts'
import { titleOf } from '../../platforms/registry.ts'
import { passOverFailures } from '../../runtime/maintenance.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'
import { isFinalState } from '../scraping/task-changes.ts'
import { readTasks, type WatchedTask } from './task-watch.ts'

interface CollectionError {
  platform: PlatformName
  topic: string
  code: PlatformErrorCode
  message: string
  /** When a waiting platform is called again, ISO 8601; absent if it does not wait. */
  resumesAt?: string
}

/** A call's results when it stops waiting. */
export interface Gathered {
  /** Topics for which a platform delivered a page to this call. The call pays unless it is 0. */
  topicsScraped: number
  /** Topics that are fresh on all of the call's platforms. */
  topicsSkipped: number
  newResultsFound: number
  errors: CollectionError[]
}

/** The error of an open task the call no longer waits for. */
function unfinished({ platform }: Collection, task: WatchedTask | undefined) {
  const title = titleOf(platform)
  const until = task?.waitingUntil
  const code = task?.error?.code ?? 'timeout'
  if (!until) {
    return { code, message: `${title} had not answered by the deadline; its results will be in later searches.` }
  }
  const cause =
    code === 'rate_limited' ? `${title} is waiting for its rate limit` : `${title} cannot be reached and is tried again`
  return { code, message: `${cause}; its results will be in later searches.`, resumesAt: until.toISOString() }
}

/** The error of a platform whose open tasks are at their maximum. */
const refusal = ({ platform }: Collection) =>
  ({
    code: 'rate_limited',
    message: `${titleOf(platform)} has the maximum of open collections; try again when it has answered some.`,
  }) as const

function errorOf(collection: Collection, task: WatchedTask | undefined) {
  if (collection.isRefused) return refusal(collection)
  if (collection.taskId === null) return null
  return task === undefined || !isFinalState(task.state) ? unfinished(collection, task) : task.error
}

function summarise({ collections, off }: CallPlan, tasks: readonly WatchedTask[]): Gathered {
  const known = new Map(tasks.map((task) => [task.taskId, task]))
  const taskOf = ({ taskId }: Collection) => (taskId === null ? undefined : known.get(taskId))
  const byTopic = [...Map.groupBy(collections, ({ topic }) => topic).values()]
  const isDelivered = (collection: Collection) => (taskOf(collection)?.pages ?? 0) > 0
  const errors = collections.flatMap((collection) => {
    const error = errorOf(collection, taskOf(collection))
    return error ? [{ platform: collection.platform, topic: collection.topic, ...error }] : []
  })
  return {
    topicsScraped: byTopic.filter((ofTopic) => ofTopic.some(isDelivered)).length,
    topicsSkipped: byTopic.filter((ofTopic) => ofTopic.every(({ taskId, isRefused }) => taskId === null && !isRefused))
      .length,
    newResultsFound: collections.reduce((sum, collection) => sum + (taskOf(collection)?.requestsCreated ?? 0), 0),
    errors: [...errors, ...off.map((pair) => ({ ...pair, ...offError(pair.platform) }))],
  }
}

/** The kind of live call in the ledger: an expanded search, or a list with `source=realtime`. */
export type LiveOperation = 'expand' | 'realtime'

export interface OpenedCall {
  callId: string
  accountId: string
  operation: LiveOperation
  /** The paying API key; null for a session without a key. */
  keyId: string | null
  keyHasBudget: boolean
  personName: string | null
  collects: { topic: string; platforms: readonly PlatformName[] }
  idempotencyId: string | null
  pricing: Pricing
  now: Date
  /** A call still open then has lost its process. */
  expiresAt: Date
}

/** Opens a call, reserving its price. @throws ServiceError RATE_LIMITED if it cannot be paid; roll back then */
export async function openCall(transaction: Transaction, call: OpenedCall): Promise<void> {
  const { callId, accountId, operation, idempotencyId, now, expiresAt, ...paid } = call
  const amount = paid.pricing.prices[operation]
  await reserve(transaction, { ...paid, accountId, operation, callId, amount, now })
  await transaction
    .insertInto('live_calls')
    .values({
      id: callId,
      account_id: accountId,
      operation,
      idempotency_id: idempotencyId,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute()
}

const closedAsDead = () =>
  new ServiceError('UNAVAILABLE', 'This call was interrupted for so long that it was closed. Make it again.')

/**
 * Records a call's plan as its collections start: it pays for what they deliver, even if its process dies.
 * @throws ServiceError UNAVAILABLE if it was closed as dead; roll back then
 */
export async function recordPlan(transaction: Transaction, callId: string, plan: CallPlan): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('live_calls')
    .set({ plan: JSON.stringify(plan) })
    .where('id', '=', callId)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw closedAsDead()
}

/** An open call's plan; null before there is one, or once the call has ended. */
export async function readPlan(database: Database, callId: string): Promise<CallPlan | null> {
  const call = await database.selectFrom('live_calls').select('plan').where('id', '=', callId).executeTakeFirst()
  return call?.plan ?? null
}

/** The final result of a call, all its answer is built from, by this or another process. */
export interface CallEffect extends Gathered {
  callId: string
  topics: string[]
  startedAt: string
  /** ISO 8601: when the call stopped waiting. */
  endedAt: string
}

export interface SettledCall {
  effect: string
  tasks: WatchedTask[]
}

export interface Settling {
  callId: string
  /** Whether the call fails now. Without a page its idempotency key is freed; else a repeat gets the answer. */
  isBroken: boolean
  now: Date
}

/**
 * Settles the price if a collection of the plan stored a page, else releases it: the database alone decides. Saves the
 * effect with the call's key.
 * @returns null if it has ended already
 */
export async function settleCall(
  transaction: Transaction,
  { callId, isBroken, now }: Settling,
): Promise<SettledCall | null> {
  const call = await transaction
    .deleteFrom('live_calls')
    .where('id', '=', callId)
    .returning(['operation', 'plan', 'created_at as startedAt', 'idempotency_id as idempotencyId'])
    .executeTakeFirst()
  if (!call) return null
  const plan = call.plan ?? { topics: [], collections: [], off: [] }
  const { topics } = plan
  const taskIds = plan.collections.flatMap(({ taskId }) => taskId ?? [])
  const tasks = await readTasks(transaction, taskIds)
  const gathered = summarise(plan, tasks)
  const isPaid = gathered.topicsScraped > 0
  const [startedAt, endedAt] = [call.startedAt.toISOString(), now.toISOString()]
  const effect = JSON.stringify({ callId, topics, ...gathered, startedAt, endedAt } satisfies CallEffect)
  await closeReservation(transaction, { operation: call.operation, callId, settled: isPaid ? 'reserved' : 0, now })
  if (call.idempotencyId !== null) {
    if (isBroken && !isPaid) await forget(transaction, call.idempotencyId)
    else await noteEffect(transaction, call.idempotencyId, effect)
  }
  return { effect, tasks }
}

/** Ends a call whose answer this process makes. @throws ServiceError UNAVAILABLE if it was closed as dead */
export async function settleOwnCall(database: Database, callId: string, now: Date): Promise<SettledCall> {
  const settled = await database
    .transaction()
    .execute((transaction) => settleCall(transaction, { callId, isBroken: false, now }))
  if (settled === null) throw closedAsDead()
  return settled
}

/** Pulls in ends of calls beyond the longest possible. @param longestMs of a call @returns how many */
export async function correctCalls(database: Database, longestMs: number, now: Date): Promise<number> {
  const latest = new Date(now.getTime() + longestMs + clockToleranceMs)
  const { numUpdatedRows } = await database
    .updateTable('live_calls')
    .set({ expires_at: latest })
    .where('expires_at', '>', latest)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

const callsPerSlice = 50

/**
 * Ends calls of dead processes; delivered pages are paid.
 * @param expiredBefore null for all, when the embedded database starts
 * @returns whether more may remain
 */
export async function sweepCalls(
  database: Database,
  log: Logger,
  now: Date,
  expiredBefore: Date | null,
): Promise<boolean> {
  let query = database.selectFrom('live_calls').select('id')
  if (expiredBefore) query = query.where('expires_at', '<=', expiredBefore)
  const dead = await query.orderBy('expires_at').limit(callsPerSlice).execute()
  const swept = await passOverFailures(dead, log, ({ id: callId }) =>
    database.transaction().execute((transaction) => settleCall(transaction, { callId, isBroken: true, now })),
  )
  return swept > 0 && dead.length === callsPerSlice
}
