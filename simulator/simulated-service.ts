import { createAnsweredPages } from './answered-pages.ts'
import type { Answer } from './answers.ts'
import { createFaultQueue, type FaultQueue } from './fault-queue.ts'
import { loopPath, redirect, spoiltAnswer } from './faults.ts'
import { createLimiter, type LimitRule } from './limits.ts'
import type { SearchRequest } from './platform-shape.ts'
import {
  type Admitted,
  faultyReply,
  type Reply,
  refusal,
  type ServiceOptions,
  trueAnswer,
  truth,
} from './simulated-replies.ts'

/** One platform behind its limits and faults, without the transport. */
export interface SimulatedService {
  /** The answer, and its page: counted from 1, and 0 for what is no page of results. */
  reply(request: Omit<SearchRequest, 'baseUrl'>): Reply & { page: number }
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
  const { announces } = platform
  const limiter = createLimiter({ clock, timeScale, enforced: options.limit !== 'none', announces })
  const answer = (request: SearchRequest, page: number): Reply => {
    const turnedAway = turnAway(options, request)
    if (turnedAway) return { answer: turnedAway, fault: null, onSent: () => undefined }
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
      const request = asRead(options, { ...received, baseUrl: options.baseUrl })
      const page = platform.isAside?.(request) ? 0 : platform.page(request)
      return { ...answer(request, page), page }
    },
    clearFaults: () => {
      faults.clear()
      limiter.release()
    },
  }
}

/** Without the prefix of the version, and without what the platform ignores. */
function asRead({ platform, behaviours: { newest } }: ServiceOptions, received: SearchRequest): SearchRequest {
  const { versionPrefix = '' } = platform
  const request = { ...received, path: received.path.replace(versionPrefix, '') }
  const parts = (['since', 'order'] as const).filter((part) => newest[part] === 'ignored')
  return parts.reduce((read, part) => platform.ignoring[part](read), request)
}

/** A request that no limit counts; faults concern it only when they are set for page 0. */
function aside(options: ServiceOptions, request: SearchRequest, faults: FaultQueue): Reply {
  const truth = trueAnswer(options, request, { limit: 1, remaining: 1, used: 0, resetAt: 0 })
  const fault = faults.take(0)
  const spoilt = fault && spoiltAnswer({ ...options, request, before: null }, fault, truth)
  return { answer: spoilt ?? truth, fault, onSent: () => undefined }
}

function limitRule({ platform, limit }: ServiceOptions, request: SearchRequest): LimitRule {
  const real = platform.limit(request)
  return typeof limit === 'string' ? real : { ...limit, bucket: real.bucket }
}

/** The answers that come before any limit; null for a request that is counted. */
function turnAway({ platform, ...options }: ServiceOptions, request: SearchRequest): Answer | null {
  if (request.path === loopPath) return redirect(`${options.baseUrl}${loopPath}`)
  if (request.path === privatePath) return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'private' }
  if (!request.headers['user-agent']) {
    options.onBreach('no_user_agent')
    const refused = platform.refuseMissingUserAgent?.()
    if (refused) return refused
  }
  const credential = platform.credential(request)
  const isRefused = credential !== null && options.validTokens?.includes(credential) === false
  return isRefused ? platform.answers.unauthorized() : null
}
