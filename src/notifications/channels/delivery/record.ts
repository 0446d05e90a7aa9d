import { sql } from 'kysely'
import { lockClaims, noClaim } from '../../../database/claimed-work.ts'
import type { Database, Executor, Transaction } from '../../../database/open.ts'
import type { DisabledReason } from '../adapter.ts'
import { nextDue } from '../store/deliveries.ts'
import { disableChannel } from '../store/states.ts'
import type { Claim } from './claims.ts'

/** Waits after each failed attempt (Standard Webhooks, "Retry schedule"), so at most eight attempts. */
const waitsMs = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000]

const maxAttempts = waitsMs.length + 1

/** The longest wait of a delivery or rest of a channel that a receiver can ask for with `Retry-After`. */
export const maxRetryAfterMs = 24 * 3_600_000

/** The longest rest of a channel after a failure, while other deliveries wait. */
const maxRestMs = 3_600_000
const firstRestMs = 5_000

/** Adds up to 10 %, so that what failed together is not retried together. */
const jittered = (ms: number, random: () => number) => Math.round(ms * (1 + random() / 10))

const asked = (retryAfterMs: number | undefined) => Math.min(retryAfterMs ?? 0, maxRetryAfterMs)

/** The wait after a failed attempt (numbered from 1); null after the last. */
function retryDelay(attempts: number, retryAfterMs: number | undefined, random: () => number): number | null {
  const wait = waitsMs[attempts - 1]
  return wait === undefined ? null : Math.max(jittered(wait, random), asked(retryAfterMs))
}

/** How long a channel rests after consecutive failures. */
const restAfter = (failures: number, retryAfterMs: number | undefined, random: () => number): number =>
  Math.max(jittered(Math.min(firstRestMs * 2 ** Math.min(failures - 1, 20), maxRestMs), random), asked(retryAfterMs))

/** A channel without success for this long, and this many attempts, is disabled. */
const failingLimit = { ms: 5 * 24 * 3_600_000, attempts: maxAttempts } as const

export interface ClaimResult {
  claim: Claim
  /** Deliveries with nothing left to tell; the outcome is that of the others. */
  nothingLeft: readonly string[]
  outcome:
    | { kind: 'delivered'; status: number | null }
    | {
        kind: 'failed'
        status: number | null
        error: string
        retryAfterMs?: number
        isFinal?: 'delivery' | 'channel'
        reason?: DisabledReason
      }
    /** Not attempted: retried later, or by another process. */
    | { kind: 'postponed'; afterMs: number; error: string | null }
    | { kind: 'unreadable' }
    /** Nothing was left to tell. */
    | { kind: 'none' }
  now: Date
}

export interface RecordDependencies {
  database: Database
  random: () => number
  /** Called in the transaction that confirms deliveries of `watch.news`. */
  recordVisit: (executor: Executor, watchIds: readonly string[], now: Date) => Promise<void>
}

interface DeliveryChange {
  id: string
  state: 'pending' | 'delivered' | 'failed' | 'nothing_left'
  due_at: Date | null
  ended_at: Date | null
  counts: boolean
  at: Date
  status: number | null
  error: string | null
}

interface ChannelChange {
  id: string
  failures: number
  failing_since: Date | null
  rests_until: Date | null
  delivered_at: Date | null
}

const later = (now: Date, ms: number) => new Date(now.getTime() + ms)

function deliveryChange({ claim, outcome, now }: ClaimResult, random: () => number): Omit<DeliveryChange, 'id'> {
  const ended = { due_at: null, ended_at: now, at: now, counts: true, status: null, error: null }
  switch (outcome.kind) {
    case 'delivered':
      return { ...ended, state: 'delivered', status: outcome.status }
    case 'none':
      return { ...ended, state: 'nothing_left', counts: false }
    case 'unreadable':
      return { ...ended, state: 'pending', due_at: now, ended_at: null, counts: false }
    case 'postponed':
      return {
        ...ended,
        state: 'pending',
        due_at: later(now, outcome.afterMs),
        ended_at: null,
        counts: false,
        error: outcome.error,
      }
    case 'failed': {
      const { status, error, retryAfterMs, isFinal } = outcome
      const delay = isFinal === undefined ? retryDelay(claim.attempts + 1, retryAfterMs, random) : null
      if (delay === null) return { ...ended, state: 'failed', status, error }
      return { ...ended, state: 'pending', due_at: later(now, delay), ended_at: null, status, error }
    }
  }
}

function channelChange({ claim, outcome, now }: ClaimResult, random: () => number): ChannelChange {
  const same = { id: claim.channelId, failures: claim.failures, failing_since: claim.failingSince, delivered_at: null }
  switch (outcome.kind) {
    case 'delivered':
      return { id: claim.channelId, failures: 0, failing_since: null, rests_until: null, delivered_at: now }
    case 'failed': {
      const failures = claim.failures + 1
      const rest = outcome.isFinal === 'delivery' ? 0 : restAfter(failures, outcome.retryAfterMs, random)
      return { ...same, failures, failing_since: claim.failingSince ?? now, rests_until: later(now, rest) }
    }
    case 'postponed':
      return { ...same, rests_until: later(now, outcome.afterMs) }
    default:
      return { ...same, rests_until: null }
  }
}

/** Why a result disables the channel; null if it does not. */
function disabledReason({ claim, outcome, now }: ClaimResult): DisabledReason | null {
  if (outcome.kind === 'unreadable') return 'unreadable'
  if (outcome.kind !== 'failed') return null
  if (outcome.isFinal === 'channel') return outcome.reason ?? 'gone'
  const { failures, failingSince } = claim
  const isLong = failingSince !== null && now.getTime() - failingSince.getTime() >= failingLimit.ms
  return isLong && failures + 1 >= failingLimit.attempts ? 'failing' : null
}

function deliveryChanges(result: ClaimResult, random: () => number): DeliveryChange[] {
  const { claim, nothingLeft, now } = result
  const change = deliveryChange(result, random)
  return claim.events.map(({ deliveryId: id }) =>
    nothingLeft.includes(id)
      ? { id, state: 'nothing_left', due_at: null, ended_at: now, counts: false, at: now, status: null, error: null }
      : { id, ...change },
  )
}

const writeDeliveries = (transaction: Transaction, changes: readonly DeliveryChange[]) =>
  sql`
    update channel_deliveries as delivery set state = fresh.state, due_at = fresh.due_at, ended_at = fresh.ended_at,
      attempts = delivery.attempts + fresh.counts::integer,
      last_attempt_at = case when fresh.counts then fresh.at else delivery.last_attempt_at end,
      last_status = case when fresh.counts then fresh.status else delivery.last_status end,
      last_error = case when fresh.counts or fresh.error is not null then fresh.error else delivery.last_error end
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as fresh
      (id uuid, state text, due_at timestamptz, ended_at timestamptz, counts boolean, at timestamptz, status integer, error text)
    where delivery.id = fresh.id and delivery.due_at is not null`.execute(transaction)

const writeChannels = (transaction: Transaction, changes: readonly ChannelChange[]) =>
  sql`
    update channels set ${noClaim}, failures = fresh.failures, failing_since = fresh.failing_since,
      rests_until = fresh.rests_until, last_delivered_at = coalesce(fresh.delivered_at, last_delivered_at),
      due_at = ${nextDue(sql.ref('fresh.rests_until'))}
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as fresh
      (id uuid, failures integer, failing_since timestamptz, rests_until timestamptz, delivered_at timestamptz)
    where channels.id = fresh.id`.execute(transaction)

/** The results whose claims still hold, with their channels locked. */
async function keepClaims(transaction: Transaction, results: readonly ClaimResult[]): Promise<ClaimResult[]> {
  const claims = results.map(({ claim: { channelId: id, token } }) => ({ id, token }))
  const held = await lockClaims(transaction, 'channels', claims)
  return results.filter(({ claim }) => held.has(claim.token))
}

const watchesOf = (results: readonly ClaimResult[]) =>
  results
    .filter(({ outcome }) => outcome.kind === 'delivered')
    .flatMap(({ claim, nothingLeft }) => claim.events.filter(({ deliveryId }) => !nothingLeft.includes(deliveryId)))
    .flatMap(({ type, subject }) =>
      type === 'watch.news' && typeof subject.watchId === 'string' ? subject.watchId : [],
    )

/** Stores results and releases their channels. Skips ended claims: another process resends with the same id. */
export async function recordResults(
  { database, random, recordVisit }: RecordDependencies,
  results: readonly ClaimResult[],
): Promise<{ channelId: string; reason: DisabledReason }[]> {
  return database.transaction().execute(async (transaction) => {
    const held = await keepClaims(transaction, results)
    if (held.length === 0) return []
    await writeDeliveries(
      transaction,
      held.flatMap((result) => deliveryChanges(result, random)),
    )
    await writeChannels(
      transaction,
      held.map((result) => channelChange(result, random)),
    )
    const watchIds = [...new Set(watchesOf(held))].toSorted()
    if (watchIds.length > 0) await recordVisit(transaction, watchIds, held[0]!.now)
    const disabled: { channelId: string; reason: DisabledReason }[] = []
    for (const result of held) {
      const { channelId } = result.claim
      const reason = disabledReason(result)
      if (reason === null) continue
      if (await disableChannel(transaction, channelId, reason, result.now)) disabled.push({ channelId, reason })
    }
    return disabled
  })
}

/** Batches results: those that arrive during a transaction wait for the next one. */
export function createRecorder(store: (results: readonly ClaimResult[]) => Promise<void>, maxTogether = 200) {
  let waiting: { result: ClaimResult; done: () => void; fail: (error: unknown) => void }[] = []
  let isStoring = false
  const flush = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxTogether)
      waiting = waiting.slice(maxTogether)
      try {
        await store(batch.map(({ result }) => result))
        for (const { done } of batch) done()
      } catch (error) {
        for (const { fail } of batch) fail(error)
      }
    }
    isStoring = false
  }
  return (result: ClaimResult): Promise<void> =>
    new Promise((done, fail) => {
      waiting.push({ result, done, fail })
      // Deferred, so that results of the same turn are stored together.
      if (isStoring) return
      isStoring = true
      setImmediate(() => void flush())
    })
}
