import { createAnsweredPages } from './answered-pages.ts'
import type { Answer } from './answers.ts'
import { createFaultQueue, type FaultQueue } from './faults.ts'
import { createLimiter, type LimitRule, type LimitState } from './limits.ts'
import type { SearchRequest } from './platform-shape.ts'
import {
  type Admitted,
  faultyReply,
  plainReply,
  type Reply,
  refusal,
  type ServiceOptions,
  tellsOfLimit,
  truth,
  type Unpaged,
} from './simulated-replies.ts'
import { loopPath, redirect, spoiltAnswer } from './spoilt-answer.ts'

/** One platform behind its limits and faults, without the transport. */
export interface SimulatedService {
  reply(request: Omit<SearchRequest, 'baseUrl'>): Reply
  faults: FaultQueue
  /** Takes back the faults and the waits that they announced. */
  clearFaults(): void
}

/** Requested only by a client that follows a redirect which it should refuse. */
export const privatePath = '/private'

/** Combines the limits, the faults and the search of one platform. */
export function createSimulatedService(options: ServiceOptions): SimulatedService {
  const { platform, clock, timeScale } = options
  const faults = createFaultQueue()
  const pages = createAnsweredPages(platform)
  const enforced = options.limit !== 'none'
  const exhaustedForm = platform.announces === 'nothing' ? 'silent' : 'primary'
  const isAnnounced = tellsOfLimit(platform)
  const limiter = createLimiter({ clock, timeScale, enforced, exhaustedForm, isAnnounced })
  const answer = (request: SearchRequest, page: number): Unpaged => {
    const turnedAway = turnAway(options, request)
    if (turnedAway) return plainReply(turnedAway)
    if (platform.isAside?.(request)) return aside(options, request, faults)
    const rule = limitRule(options, request)
    const admission = limiter.admit(rule)
    const admitted: Admitted = { options, limiter, request, pages, bucket: rule.bucket, admission }
    if (admission.breach) options.onBreach(admission.breach)
    if (admission.refusal) return refusal(admitted, admission.refusal, null)
    const fault = faults.take(page)
    return fault ? faultyReply(admitted, fault) : truth(admitted, null)
  }
  return {
    faults,
    reply: (received) => {
      const path = platform.versionPrefix ? received.path.replace(platform.versionPrefix, '') : received.path
      const request = asRead(options, { ...received, path, baseUrl: options.baseUrl })
      const page = platform.isAside?.(request) ? 0 : platform.page(request)
      return { ...answer(request, page), page }
    },
    clearFaults: () => {
      faults.clear()
      limiter.release()
    },
  }
}

/** Without what the platform ignores. */
function asRead({ platform, behaviours: { newest } }: ServiceOptions, request: SearchRequest): SearchRequest {
  const parts = (['since', 'order'] as const).filter((part) => newest[part] === 'ignored')
  return parts.reduce((read, part) => platform.ignoring[part](read), request)
}

/** A request that no limit counts; faults concern it only when they are set for page 0. */
function aside(options: ServiceOptions, request: SearchRequest, faults: FaultQueue): Unpaged {
  const limit: LimitState = { limit: 1, remaining: 1, used: 0, resetAt: 0 }
  const now = options.clock.now().getTime()
  const { corpus, leakPrivate, behaviours } = options
  const context = { corpus, limit, now, leakPullRequests: false, leakPrivate, backoffSeconds: null, behaviours }
  const answer = options.platform.search(request, context)
  const fault = faults.take(0)
  return plainReply((fault && spoiltAnswer({ ...options, request, before: null }, fault, answer)) ?? answer, fault)
}

function limitRule(options: ServiceOptions, request: SearchRequest): LimitRule {
  const real = options.platform.limit(request)
  if (typeof options.limit === 'string') return real
  return { bucket: real.bucket, limit: options.limit.limit, windowMs: options.limit.windowMs }
}

/** The answers that come before any limit; null for a request that is counted. */
function turnAway(options: ServiceOptions, request: SearchRequest): Answer | null {
  const { platform, validTokens } = options
  if (request.path === loopPath) return redirect(`${options.baseUrl}${loopPath}`)
  if (request.path === privatePath) return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'private' }
  if (!request.headers['user-agent']) {
    options.onBreach('no_user_agent')
    const refused = platform.refuseMissingUserAgent?.()
    if (refused) return refused
  }
  const credential = platform.credential(request)
  return credential !== null && validTokens?.includes(credential) === false ? platform.answers.unauthorized() : null
}
