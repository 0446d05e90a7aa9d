import { type Selectable, sql } from 'kysely'
import type { Logger } from 'pino'
import { lockClaims, noClaim, renewClaim } from '../../../database/claimed-work.ts'
import type { Database } from '../../../database/open.ts'
import type { Tables } from '../../../database/tables.ts'
import { type Secrets, UnknownKeyError, UnreadableSecretError } from '../../../http/secrets/secrets.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { issueForTracker, readIssueText } from '../issue-text.ts'
import { beginTry, endFollowing, noteIssue, notePush, noteStatuses, type PushRow } from '../store/pushes.ts'
import { nextCall, openTracker, type TrackerRow, unreadableTracker } from '../store/trackers.ts'
import { maxRead, type TrackerAdapter, type TrackerAdapters, TrackerError } from '../tracker.ts'

export interface RoundDependencies {
  database: Database
  clock: Clock
  secrets: Secrets
  adapters: TrackerAdapters
  /** The base of links in issues; null if others could not open them. */
  publicUrl: () => string | null
  log: Pick<Logger, 'error'>
}

/** A tracker claimed by this process. */
export type ClaimedTracker = Pick<
  Selectable<Tables['trackers']>,
  'id' | 'account_id' | 'type' | 'config' | 'failures'
> & {
  /** Distinguishes claims. */
  token: string
}

/** The limit of a call and of a claim between two renewals. */
const callMs = 15_000
export const claimMs = 90_000
/** Pushes sent and read calls per round, before others have their turn. */
const [sentOfRound, readsOfRound] = [20, 10] as const
const maxTries = 20
/** Unclear answers in a row before a tracker rests; a single one may concern only its push. */
const maxUnclear = 3
/** The shortest and longest rest after consecutive failures. */
const [firstRestMs, maxRestMs] = [60_000, 3_600_000] as const
/** The longest wait that a tracker can ask for. */
export const maxRetryAfterMs = 86_400_000

/** The claim ended: another process has the tracker. */
class LostClaimError extends Error {
  override readonly name = 'LostClaimError'
}

interface Round extends RoundDependencies {
  tracker: ClaimedTracker
  adapter: TrackerAdapter
  config: unknown
  /** Renews the claim for the next call. @throws LostClaimError */
  next(): Promise<AbortSignal>
}

type RoundEnd = Pick<TrackerRow, 'failures' | 'last_error' | 'rests_until'>

const later = (now: Date, ms: number) => new Date(now.getTime() + ms)

const readDue = (database: Database, trackerId: string, states: readonly PushRow['state'][], max: number, now: Date) =>
  database
    .selectFrom('pushes')
    .selectAll()
    .where('tracker_id', '=', trackerId)
    .where('due_at', '<=', now)
    .where('state', 'in', [...states])
    .orderBy('due_at')
    .orderBy('id')
    .limit(max)
    .execute()

/** A push is never newer than now, even if the clock was set back. */
const toSend = ({ id, created_at: pushedAt }: PushRow, { clock }: Pick<Round, 'clock'>) => {
  const now = clock.now()
  return { id, since: pushedAt < now ? pushedAt : now }
}

/** Sends a waiting push, unless an earlier try already made its issue. @throws TrackerError */
async function send(round: Round, push: PushRow): Promise<void> {
  const { database, clock, adapter, config, tracker, publicUrl } = round
  const known = (await adapter.find?.(config, toSend(push, round), await round.next())) ?? null
  if (known !== null) return noteIssue(database, push.id, known, clock.now())
  const now = clock.now()
  const end = (to: 'failed' | 'nothing_left', error: string | null) =>
    notePush(database, { pushId: push.id, from: 'waiting', to, dueAt: null, error })
  if (push.attempts >= maxTries) return end('failed', push.last_error)
  const read = { accountId: tracker.account_id, wishId: push.wish_id, now, publicUrl: publicUrl() }
  const text = await readIssueText(database, read)
  if (text === null) return end('nothing_left', null)
  const begunAt = performance.now()
  const signal = await round.next()
  if (!(await beginTry(database, push.id, clock.now(), adapter.settleMs))) return
  // A process frozen meanwhile may have lost its claim to one that made the issue.
  if (performance.now() - begunAt > callMs) throw new TrackerError('unclear', 'The service was too slow to send it.')
  const issue = await adapter.create(config, toSend(push, round), issueForTracker(text), signal)
  await noteIssue(database, push.id, issue, clock.now())
}

/** Closes the issue, if any, of a push taken back. @throws TrackerError */
async function undo(round: Round, push: PushRow): Promise<void> {
  const { database, adapter, config } = round
  const look = async () =>
    adapter.find ? adapter.find(config, toSend(push, round), await round.next()) : { id: push.id }
  const issue = push.issue_id === null ? await look() : { id: push.issue_id }
  if (issue !== null) await adapter.undo(config, issue, push, await round.next())
  await notePush(database, { pushId: push.id, from: 'undoing', to: 'undone', dueAt: null, error: null })
}

async function noteFailure({ database, clock, adapter }: Round, push: PushRow, error: TrackerError): Promise<void> {
  const { kind, message } = error
  const change = { pushId: push.id, from: push.state, error: message }
  if (kind === 'refused' || kind === 'missing') {
    // An issue that cannot be closed still exists.
    const isThere = push.state === 'undoing' && push.issue_id !== null
    return notePush(database, { ...change, to: isThere ? 'sent' : 'failed', dueAt: isThere ? clock.now() : null })
  }
  // After an unclear answer the issue may still appear: look for it once that has settled.
  const wait = kind === 'unclear' ? Math.min(adapter.settleMs * 2 ** Math.min(push.attempts, 20), maxRestMs) : 0
  await notePush(database, { ...change, to: push.state, dueAt: later(clock.now(), wait) })
}

/** Sends and takes back due pushes; one alone if the tracker wants pauses. @throws TrackerError: the tracker rests. */
async function sendDue(round: Round): Promise<RoundEnd> {
  const { database, tracker, clock, adapter } = round
  const max = adapter.pauseMs === 0 ? sentOfRound : 1
  const due = await readDue(database, tracker.id, ['waiting', 'undoing'], max, clock.now())
  let unclear = tracker.failures
  for (const push of due) {
    try {
      await (push.state === 'waiting' ? send(round, push) : undo(round, push))
      unclear = 0
    } catch (error) {
      if (!(error instanceof TrackerError)) throw error
      await noteFailure(round, push, error)
      if (error.kind === 'unclear') unclear += 1
      if (error.kind === 'tracker' || unclear >= maxUnclear) throw error
    }
  }
  const restsUntil = due.length === 0 || adapter.pauseMs === 0 ? null : later(clock.now(), adapter.pauseMs)
  return { failures: due.length === 0 ? 0 : unclear, last_error: null, rests_until: restsUntil }
}

/** Reads the status of due issues, many per call. @throws TrackerError */
async function readStatuses(round: Round): Promise<void> {
  const { database, tracker, clock, adapter, config } = round
  for (let call = 0; call < readsOfRound; call++) {
    const due = await readDue(database, tracker.id, ['sent'], maxRead, clock.now())
    if (due.length === 0) return
    if (!adapter.read) return endFollowing(database, tracker.id, clock.now())
    const ids = due.map(({ issue_id: id }) => id!)
    const statuses = await adapter.read(config, ids, await round.next())
    const read = due.map(({ id: pushId, issue_id: id }) => ({
      pushId,
      isThere: statuses.has(id!),
      status: statuses.get(id!) ?? null,
    }))
    await noteStatuses(database, read, clock.now())
  }
}

function restAfter(failures: number, { retryAfterMs = 0 }: TrackerError): number {
  const usual = Math.min(firstRestMs * 2 ** Math.min(failures, 20), maxRestMs)
  return Math.max(usual, Math.min(retryAfterMs, maxRetryAfterMs))
}

/** Releases a tracker, to be called again when a push is due. */
async function endRound(database: Database, { id, token }: ClaimedTracker, change: RoundEnd): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    // A separate statement locks, so that the next one sees every earlier push.
    if ((await lockClaims(transaction, 'trackers', [{ id, token }])).size === 0) return
    const rests = sql`${change.rests_until}::timestamptz`
    await sql`
      update trackers set ${noClaim}, failures = ${change.failures}, last_error = ${change.last_error}, rests_until = ${rests},
        due_at = case when exists (select from pushes where tracker_id = trackers.id and pushes.due_at is not null) then ${nextCall(rests)} end
      where id = ${id}`.execute(transaction)
  })
}

/** Opens a tracker's config. @throws TrackerError */
function open(secrets: Secrets, tracker: Pick<TrackerRow, 'id' | 'config'>): unknown {
  try {
    return openTracker(secrets, tracker).config
  } catch (error) {
    if (error instanceof UnknownKeyError)
      throw new TrackerError('tracker', 'The key of its token is missing: the operator has to bring it back.')
    if (error instanceof UnreadableSecretError) throw new TrackerError('tracker', unreadableTracker, maxRestMs)
    throw error
  }
}

/** Makes a claimed tracker's due calls, then releases it. @param stopping the next start finds what it interrupts */
export async function callClaimed(
  dependencies: RoundDependencies,
  tracker: ClaimedTracker,
  stopping: AbortSignal,
): Promise<void> {
  const { database, clock, secrets, adapters, log } = dependencies
  const next = async () => {
    const holds = await renewClaim(database, 'trackers', tracker, { claimMs, where: sql`true` })
    if (!holds) throw new LostClaimError('another process has the tracker')
    return AbortSignal.any([stopping, AbortSignal.timeout(callMs)])
  }
  const fail = async (error: TrackerError) =>
    endRound(database, tracker, {
      failures: tracker.failures + 1,
      last_error: error.message,
      rests_until: stopping.aborted ? null : later(clock.now(), restAfter(tracker.failures, error)),
    })
  try {
    const round = {
      ...dependencies,
      tracker,
      next,
      adapter: adapters.get(tracker.type)!,
      config: open(secrets, tracker),
    }
    const end = await sendDue(round)
    await readStatuses(round)
    await endRound(database, tracker, end)
  } catch (error) {
    if (error instanceof LostClaimError) return
    if (error instanceof TrackerError) return fail(error)
    log.error({ err: error, tracker: tracker.id }, 'a tracker was not called')
    await fail(new TrackerError('tracker', 'The service could not call it.'))
  }
}
