import type { Clock } from '../src/runtime/clock.ts'
import type { AnsweredPages } from './answered-pages.ts'
import type { Answer } from './answers.ts'
import type { Behaviours } from './behaviour.ts'
import type { Corpus } from './corpus.ts'
import { type Fault, faultRefusalForm, proxyRefusal, spoiltAnswer } from './faults.ts'
import {
  type Admission,
  type BreachRule,
  type Limiter,
  type LimitState,
  tellsOfLimit,
  type Wait,
  wholeSecond,
} from './limits.ts'
import type { SearchRequest, SimulatedPlatform } from './platform-shape.ts'

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
const usualPauseMs = 60_000

const nowOf = ({ clock }: ServiceOptions): number => clock.now().getTime()

/** What is left until a time, in whole seconds. */
const secondsUntil = (options: ServiceOptions, until: number): number => Math.ceil((until - nowOf(options)) / 1_000)

const decentPauseEnd = (options: ServiceOptions): number =>
  nowOf(options) + (options.platform.decentPauseMs ?? usualPauseMs) / options.timeScale

/** The answer and, from when it was sent, the wait that it announces. */
const replyOf = ({ limiter, bucket }: Admitted, answer: Answer, fault: Fault | null, wait: Wait | null): Reply => ({
  answer,
  fault,
  onSent: () => wait && limiter.hold(bucket, wait),
})

/** Refuses, and holds the client until the announced time, or for a decent pause where no time is announced. */
export function refusal(admitted: Admitted, wait: Wait, fault: Fault | null): Reply {
  const { options, admission } = admitted
  const announced = { ...wait, seconds: Math.max(1, secondsUntil(options, wait.until)) }
  const answer = proxyRefusal(fault, announced) ?? options.platform.refuse(announced, admission.state)
  const until = wait.form === 'silent' ? decentPauseEnd(options) : wait.until
  return replyOf(admitted, answer, fault, { form: wait.form, until })
}

function faultWait({ options }: Admitted, { seconds }: Fault, form: Wait['form']): Wait {
  const waited = seconds ?? Math.ceil(faultWaitSeconds / options.timeScale)
  return { form, until: wholeSecond(nowOf(options) + waited * 1_000) }
}

/** What the platform answers by itself. */
export const trueAnswer = (
  options: ServiceOptions,
  request: SearchRequest,
  limit: LimitState,
  backoffSeconds: number | null = null,
): Answer => options.platform.search(request, { ...options, limit, now: nowOf(options), backoffSeconds })

/** The true answer, with the wait that it announces. */
export function truth(admitted: Admitted, fault: Fault | null): Reply {
  const { options, request, pages, admission } = admitted
  const backoff = fault?.name === 'backoff' ? faultWait(admitted, fault, 'primary') : null
  const backoffSeconds = backoff && secondsUntil(options, backoff.until)
  const answer = trueAnswer(options, request, admission.state, backoffSeconds)
  if (answer.status === 200) pages.add(request, answer)
  return replyOf(admitted, answer, fault, backoff ?? spentWait(options, admission))
}

/** After the last answer of a window a client knows that it must wait, though not always for how long. */
function spentWait(options: ServiceOptions, { state }: Admission): Wait | null {
  if (state.remaining > 0 || !tellsOfLimit(options.platform.announces)) return null
  const until = options.platform.announces === 'reset' ? state.resetAt : decentPauseEnd(options)
  return { form: 'primary', until: Math.min(until, state.resetAt) }
}

/** The answer under a fault. */
export function faultyReply(admitted: Admitted, fault: Fault): Reply {
  const { options, request, pages } = admitted
  const form = faultRefusalForm(options.platform, fault)
  if (form) return refusal(admitted, faultWait(admitted, fault, form), fault)
  if (fault.name === 'server_error' && fault.seconds !== null) {
    const wait = faultWait(admitted, fault, 'secondary')
    const retry = { 'retry-after': String(secondsUntil(options, wait.until)) }
    return replyOf(admitted, options.platform.answers.serverError({}, retry), fault, wait)
  }
  const before = pages.before(request)
  const honest = truth(admitted, fault)
  const spoilt = spoiltAnswer({ ...options, request, before }, fault, honest.answer)
  return spoilt ? replyOf(admitted, spoilt, fault, null) : honest
}
