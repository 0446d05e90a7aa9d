import type { Logger } from 'pino'
import type { Database } from '../../../database/open.ts'
import type { ChannelType } from '../../../database/tables/notifications.ts'
import { type Secrets, UnknownKeyError, UnreadableSecretError } from '../../../http/secrets/secrets.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Adapters, DeliveryOutcome } from '../adapter.ts'
import { createDigest } from '../messages/digest.ts'
import type { RenderEvent } from '../messages/renderer.ts'
import { sealedFor } from '../store/channels.ts'
import { type Claim, renewChannelClaim } from './claims.ts'
import type { ClaimResult } from './record.ts'

export interface AttemptDependencies {
  database: Database
  adapters: Adapters
  secrets: Secrets
  render: RenderEvent
  publicUrl: () => string
  clock: Clock
  log: Pick<Logger, 'error'>
}

/** For an attempt with everything an adapter does. */
const usualTimeLimitMs = 15_000
/** For the work around an attempt: rendering events and storing outcomes. */
const aroundAttemptMs = 45_000

/** Claim time per channel type: longer than an attempt, or another process would repeat it. */
export const claimsOf = (adapters: Adapters): ReadonlyMap<ChannelType, number> =>
  new Map(
    [...adapters].map(([type, { timeLimitMs = usualTimeLimitMs }]) => [type, timeLimitMs + aroundAttemptMs] as const),
  )

/** The wait after a failure of our own, such as the database's. */
const ownFailureMs = 60_000
/** How often a long composition renews its claim. */
const renewEveryMs = 20_000
/** Longer than any adapter's sentence, shorter than a text. */
const maxErrorLength = 200

/** Renders a claim as its account sees the events now, and the deliveries with nothing left. Null if it ended. */
async function compose({ database, render, publicUrl, clock }: AttemptDependencies, claim: Claim) {
  const digest = createDigest()
  const nothingLeft: string[] = []
  let renewedAt = performance.now()
  for (const event of claim.events) {
    const { accountId, mutedNews } = claim
    const input = { executor: database, accountId, event, now: clock.now(), publicUrl: publicUrl(), mutedNews }
    const message = await render(input)
    if (message === null) nothingLeft.push(event.deliveryId)
    else digest.add(message)
    if (performance.now() - renewedAt < renewEveryMs) continue
    if (!(await renewChannelClaim(database, claim))) return null
    renewedAt = performance.now()
  }
  const isSingle = claim.events.length === 1 && claim.events[0]!.eventId === claim.messageId
  const message = isSingle ? digest.first() : digest.toMessage({ id: claim.messageId, now: clock.now() })
  return { message, nothingLeft }
}

function toOutcome(outcome: DeliveryOutcome): ClaimResult['outcome'] {
  if (outcome.outcome === 'delivered') return { kind: 'delivered', status: outcome.status ?? null }
  const error = outcome.error.slice(0, maxErrorLength)
  if (outcome.outcome === 'postponed') return { kind: 'postponed', afterMs: outcome.retryAfterMs, error }
  const { retryAfterMs, isFinal, reason, status = null } = outcome
  return {
    kind: 'failed',
    status,
    error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(isFinal === undefined ? {} : { isFinal }),
    ...(reason === undefined ? {} : { reason }),
  }
}

const noType = (type: string): DeliveryOutcome => ({
  outcome: 'failed',
  error: `The operator does not offer channels of the type ${type} now.`,
})

/** Sends a claimed message once; null if the claim ended. @param stopping leaves the outcome unknown */
export async function attempt(
  dependencies: AttemptDependencies,
  claim: Claim,
  stopping: AbortSignal,
): Promise<ClaimResult | null> {
  const { database, adapters, secrets, publicUrl, clock, log } = dependencies
  const { channelId, accountId, name: channelName } = claim
  let nothingLeft: readonly string[] = []
  const ended = (outcome: ClaimResult['outcome']): ClaimResult => ({ claim, nothingLeft, outcome, now: clock.now() })
  try {
    const config: unknown = JSON.parse(secrets.open(claim.config, sealedFor(channelId)))
    const composed = await compose(dependencies, claim)
    if (composed === null) return null
    nothingLeft = composed.nothingLeft
    if (composed.message === null) return ended({ kind: 'none' })
    const adapter = adapters.get(claim.type)
    if (adapter === undefined) return ended(toOutcome(noType(claim.type)))
    if (adapter.unavailable !== null) return ended(toOutcome({ outcome: 'failed', error: adapter.unavailable }))
    if (!(await renewChannelClaim(database, claim))) return null
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(adapter.timeLimitMs ?? usualTimeLimitMs)])
    const context = { channelId, accountId, channelName, now: clock.now(), publicUrl: publicUrl(), signal }
    const outcome = toOutcome(await adapter.deliver(config, composed.message, context))
    // The receiver may have it: another process, or the next start, resends it with the same id.
    if (stopping.aborted && outcome.kind === 'failed') return ended({ kind: 'postponed', afterMs: 0, error: null })
    return ended(outcome)
  } catch (error) {
    // `../upkeep.ts` warns of it. A process with the key delivers it.
    if (error instanceof UnknownKeyError)
      return ended({ kind: 'postponed', afterMs: ownFailureMs, error: 'The key of its secret is missing.' })
    if (error instanceof UnreadableSecretError) return ended({ kind: 'unreadable' })
    if (stopping.aborted) return ended({ kind: 'postponed', afterMs: 0, error: null })
    log.error({ err: error, channel: channelId }, 'a delivery was not tried')
    return ended({ kind: 'postponed', afterMs: ownFailureMs, error: 'The service could not try it.' })
  }
}
