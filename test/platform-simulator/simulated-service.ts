import type { Clock } from '../../src/runtime/clock.ts'
import { type AnsweredPages, createAnsweredPages } from './answered-pages.ts'
import type { Corpus } from './corpus.ts'
import { createFaultQueue, type Fault, type FaultQueue } from './faults.ts'
import {
  type Admission,
  type BreachRule,
  createLimiter,
  type Limiter,
  type LimitRule,
  type LimitState,
  type Wait,
  wholeSecond,
} from './limits.ts'
import type { Answer, SearchRequest, SimulatedPlatform } from './platform-shape.ts'
import { isFromProxy, proxyRefusal } from './proxy-answers.ts'
import { faultRefusalForm, loopPath, redirect, spoiltAnswer } from './spoilt-answer.ts'

/** Instead of the platform's own limit. */
export interface CustomLimit {
  limit: number
  windowMs: number
}

export interface ServiceOptions {
  platform: SimulatedPlatform
  corpus: Corpus
  clock: Clock
  timeScale: number
  limit: 'real' | 'none' | CustomLimit
  validTokens: readonly string[] | null
  leakPullRequests: boolean
  leakPrivate: boolean
  baseUrl: string
  /** A redirect to here leaves the platform's origin for a private address. */
  privateUrl: string
  onBreach(rule: BreachRule): void
}

export interface Reply {
  /** Counted from 1; 0 for what is no page of results. */
  page: number
  answer: Answer
  fault: Fault | null
  /** To be called when the answer was sent: only then can the client know of a wait that it announces. */
  onSent(): void
}

/** One platform behind its limits and faults, without the transport. */
export interface SimulatedService {
  reply(request: Omit<SearchRequest, 'baseUrl'>): Reply
  faults: FaultQueue
  /** Takes back the faults and the waits that they announced. */
  clearFaults(): void
}

/** A request that was let in or refused, with all that is needed to answer it. */
interface Admitted {
  options: ServiceOptions
  limiter: Limiter
  request: SearchRequest
  pages: AnsweredPages
  bucket: string
  admission: Admission
}

const faultWaitSeconds = 60
/** Where only a client arrives that follows a redirect which it should refuse. */
export const privatePath = '/private'

/** Puts the limits, the faults and the search of one platform together. */
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
      const path = received.path.replace(platform.versionPrefix, '')
      const request: SearchRequest = { ...received, path, baseUrl: options.baseUrl }
      const page = platform.isAside?.(request) ? 0 : platform.page(request)
      return { ...answer(request, page), page }
    },
    clearFaults: () => {
      faults.clear()
      limiter.release()
    },
  }
}

type Unpaged = Omit<Reply, 'page'>

function plainReply(answer: Answer, fault: Fault | null = null): Unpaged {
  return { answer, fault, onSent: () => undefined }
}

/** A request that no limit counts; faults concern it only when they are set for page 0. */
function aside(options: ServiceOptions, request: SearchRequest, faults: FaultQueue): Unpaged {
  const limit: LimitState = { limit: 1, remaining: 1, used: 0, resetAt: 0 }
  const now = options.clock.now().getTime()
  const { corpus, leakPrivate } = options
  const context = { corpus, limit, now, leakPullRequests: false, leakPrivate, backoffSeconds: null }
  const answer = options.platform.search(request, context)
  const fault = faults.take(0)
  return plainReply((fault && spoiltAnswer({ ...options, request, before: null }, fault, answer)) ?? answer, fault)
}

function limitRule(options: ServiceOptions, request: SearchRequest): LimitRule {
  const real = options.platform.limit(request)
  if (typeof options.limit === 'string') return real
  return { bucket: real.bucket, limit: options.limit.limit, windowMs: options.limit.windowMs }
}

/** What is answered before anything is counted. */
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
  return credential !== null && validTokens?.includes(credential) === false ? platform.unauthorized() : null
}

/** Refuses, and remembers how long the client now has to wait: as told, or a decent pause where nothing is told. */
function refusal(admitted: Admitted, wait: Wait, fault: Fault | null): Unpaged {
  const { options, limiter, bucket, admission } = admitted
  const until = wait.form === 'silent' ? decentPauseEnd(options) : wait.until
  const now = options.clock.now().getTime()
  const answer =
    fault && isFromProxy(fault)
      ? proxyRefusal(fault, wait.until, now)
      : options.platform.refuse(wait, now, admission.state)
  return { answer, fault, onSent: () => limiter.hold(bucket, { form: wait.form, until }) }
}

function decentPauseEnd({ clock, platform, timeScale }: ServiceOptions): number {
  return clock.now().getTime() + platform.decentPauseMs / timeScale
}

function faultWait({ options }: Admitted, fault: Fault, form: Wait['form']): Wait {
  const seconds = fault.seconds ?? Math.ceil(faultWaitSeconds / options.timeScale)
  return { form, until: wholeSecond(options.clock.now().getTime() + seconds * 1_000) }
}

function truth(admitted: Admitted, fault: Fault | null): Unpaged {
  const { options, limiter, request, pages, bucket, admission } = admitted
  const { platform, corpus, leakPullRequests, leakPrivate } = options
  const backoff = fault?.name === 'backoff' ? faultWait(admitted, fault, 'primary') : null
  const remainingMs = backoff ? backoff.until - options.clock.now().getTime() : null
  const backoffSeconds = remainingMs === null ? null : Math.ceil(remainingMs / 1_000)
  const now = options.clock.now().getTime()
  const leaks = { leakPullRequests, leakPrivate }
  const answer = platform.search(request, { corpus, limit: admission.state, now, ...leaks, backoffSeconds })
  if (answer.status === 200) pages.add(request, answer)
  const wait = backoff ?? spentWait(options, admission)
  return wait ? { answer, fault, onSent: () => limiter.hold(bucket, wait) } : plainReply(answer, fault)
}

function tellsOfLimit({ announces }: SimulatedPlatform): boolean {
  return announces === 'reset' || announces === 'remaining'
}

/** After the last answer of a window a client knows that it must wait, though not always for how long. */
function spentWait(options: ServiceOptions, { state }: Admission): Wait | null {
  if (state.remaining > 0 || !tellsOfLimit(options.platform)) return null
  const until = options.platform.announces === 'reset' ? state.resetAt : decentPauseEnd(options)
  return { form: 'primary', until: Math.min(until, state.resetAt) }
}

function faultyReply(admitted: Admitted, fault: Fault): Unpaged {
  const { options, limiter, bucket } = admitted
  const form = faultRefusalForm(options.platform, fault)
  if (form) return refusal(admitted, faultWait(admitted, fault, form), fault)
  if (fault.name === 'server_error' && fault.seconds !== null) {
    const answer = options.platform.serverError()
    const wait = faultWait(admitted, fault, 'secondary')
    const seconds = Math.ceil((wait.until - options.clock.now().getTime()) / 1_000)
    const headers = { ...answer.headers, 'retry-after': String(seconds) }
    return { answer: { ...answer, headers }, fault, onSent: () => limiter.hold(bucket, wait) }
  }
  const { request } = admitted
  const before = admitted.pages.before(request)
  const honest = truth(admitted, fault)
  const again = fault.name === 'duplicate_page' ? before : null
  const answer = again ?? spoiltAnswer({ ...options, request, before }, fault, honest.answer)
  return answer ? plainReply(answer, fault) : honest
}
