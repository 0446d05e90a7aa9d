import type { Clock } from '../src/runtime/clock.ts'
import type { AnsweredPages } from './answered-pages.ts'
import type { Answer } from './answers.ts'
import type { Behaviours } from './behaviour.ts'
import type { Corpus } from './corpus.ts'
import type { Fault } from './faults.ts'
import { type Admission, type BreachRule, type Limiter, type Wait, wholeSecond } from './limits.ts'
import type { SearchRequest, SimulatedPlatform } from './platform-shape.ts'
import { isFromProxy, proxyRefusal } from './proxy-answers.ts'
import { faultRefusalForm, spoiltAnswer } from './spoilt-answer.ts'

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
  behaviours: Behaviours
  baseUrl: string
  /** A redirect to it leaves the platform's origin for a private address. */
  privateUrl: string
  onBreach(rule: BreachRule): void
}

export interface Reply {
  /** Counted from 1; 0 for an answer that is no page of results. */
  page: number
  answer: Answer
  fault: Fault | null
  /** To be called when the answer was sent: only then can the client know of a wait that it announces. */
  onSent(): void
}

/** A request that the limiter admitted or refused, with everything that its answer needs. */
export interface Admitted {
  options: ServiceOptions
  limiter: Limiter
  request: SearchRequest
  pages: AnsweredPages
  bucket: string
  admission: Admission
}

const faultWaitSeconds = 60
export type Unpaged = Omit<Reply, 'page'>

export function plainReply(answer: Answer, fault: Fault | null = null): Unpaged {
  return { answer, fault, onSent: () => undefined }
}

/** Refuses, and holds the client until the announced time, or for a decent pause where no time is announced. */
export function refusal(admitted: Admitted, wait: Wait, fault: Fault | null): Unpaged {
  const { options, limiter, bucket, admission } = admitted
  const until = wait.form === 'silent' ? decentPauseEnd(options) : wait.until
  const seconds = Math.max(1, Math.ceil((wait.until - options.clock.now().getTime()) / 1_000))
  const announced = { ...wait, seconds }
  const answer =
    fault && isFromProxy(fault) ? proxyRefusal(fault, announced) : options.platform.refuse(announced, admission.state)
  return { answer, fault, onSent: () => limiter.hold(bucket, { form: wait.form, until }) }
}

function decentPauseEnd({ clock, platform, timeScale }: ServiceOptions): number {
  return clock.now().getTime() + (platform.decentPauseMs ?? 60_000) / timeScale
}

function faultWait({ options }: Admitted, fault: Fault, form: Wait['form']): Wait {
  const seconds = fault.seconds ?? Math.ceil(faultWaitSeconds / options.timeScale)
  return { form, until: wholeSecond(options.clock.now().getTime() + seconds * 1_000) }
}

/** The true answer, with the wait that it announces. */
export function truth(admitted: Admitted, fault: Fault | null): Unpaged {
  const { options, limiter, request, pages, bucket, admission } = admitted
  const { platform, corpus, leakPullRequests, leakPrivate, behaviours } = options
  const backoff = fault?.name === 'backoff' ? faultWait(admitted, fault, 'primary') : null
  const remainingMs = backoff ? backoff.until - options.clock.now().getTime() : null
  const backoffSeconds = remainingMs === null ? null : Math.ceil(remainingMs / 1_000)
  const now = options.clock.now().getTime()
  const leaks = { leakPullRequests, leakPrivate, behaviours }
  const answer = platform.search(request, { corpus, limit: admission.state, now, ...leaks, backoffSeconds })
  if (answer.status === 200) pages.add(request, answer)
  const wait = backoff ?? spentWait(options, admission)
  return wait ? { answer, fault, onSent: () => limiter.hold(bucket, wait) } : plainReply(answer, fault)
}

/** Whether true answers announce when a limit is reached. */
export function tellsOfLimit({ announces }: SimulatedPlatform): boolean {
  return announces === 'reset' || announces === 'remaining'
}

/** After the last answer of a window a client knows that it must wait, though not always for how long. */
function spentWait(options: ServiceOptions, { state }: Admission): Wait | null {
  if (state.remaining > 0 || !tellsOfLimit(options.platform)) return null
  const until = options.platform.announces === 'reset' ? state.resetAt : decentPauseEnd(options)
  return { form: 'primary', until: Math.min(until, state.resetAt) }
}

/** The answer under a fault. */
export function faultyReply(admitted: Admitted, fault: Fault): Unpaged {
  const { options, limiter, bucket } = admitted
  const form = faultRefusalForm(options.platform, fault)
  if (form) return refusal(admitted, faultWait(admitted, fault, form), fault)
  if (fault.name === 'server_error' && fault.seconds !== null) {
    const answer = options.platform.answers.serverError()
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
