import { type Answer, readAnswers } from './answers.ts'
import {
  type Exchange,
  sendAnswer,
  sendHalf,
  sendHalfOfJson,
  sendHuge,
  sendLate,
  sendNothing,
  sendTruncatedGzip,
} from './delivery.ts'
import type { RefusalForm } from './limits.ts'
import type { AnnouncedWait, SearchRequest, SimulatedPlatform } from './platform-shape.ts'
import written from './proxy-answers.json' with { type: 'json' }

const proxy = readAnswers(written)

/** Always redirects to itself. */
export const loopPath = '/redirect-loop'

export const redirect = (location: string): Answer => ({ status: 302, headers: { location }, body: '' })

/** A request whose answer a fault may replace. */
export interface Spoilt {
  platform: SimulatedPlatform
  baseUrl: string
  privateUrl: string
  request: SearchRequest
  /** The true answer to the page before; null for a first page. */
  before: Answer | null
}

/** What a fault does; one without any of these leaves the answer as it is. */
interface FaultKind {
  /** It refuses in this form, and holds the client. */
  refusal?: RefusalForm
  /** It is a proxy in front of the platform that refuses, which does not have the platform's forms. */
  byProxy?(wait: AnnouncedWait): Answer
  /** It replaces the true answer. */
  spoil?(spoilt: Spoilt, truth: Answer): Answer
  /** It damages the answer while it is sent. */
  send?(exchange: Exchange, answer: Answer, seconds: number | null): Promise<void>
}

const kinds = {
  rate_limit: { refusal: 'primary' },
  secondary_rate_limit: { refusal: 'secondary' },
  silent_rate_limit: { refusal: 'silent' },
  dated_rate_limit: {
    refusal: 'secondary',
    byProxy: ({ until }) => proxy.tooMany({}, { 'retry-after': new Date(until).toUTCString() }),
  },
  html_rate_limit: {
    refusal: 'secondary',
    byProxy: ({ seconds }) => proxy.tooManyPage({}, { 'retry-after': String(seconds) }),
  },
  // A pause beside the truth: the platform writes it.
  backoff: {},
  unauthorized: { spoil: ({ platform }) => platform.answers.unauthorized() },
  server_error: { spoil: ({ platform }) => platform.answers.serverError() },
  bad_gateway: { spoil: () => proxy.badGateway() },
  slow_headers: { send: sendLate },
  stalled_body: { send: sendHalf },
  reset: { send: sendNothing },
  truncated_gzip: { send: sendTruncatedGzip },
  truncated_json: { send: sendHalfOfJson },
  empty_body: { spoil: () => proxy.empty() },
  html_page: { spoil: () => proxy.challenge() },
  wrong_content_type: {
    spoil: (_, truth) => ({ ...truth, headers: { ...truth.headers, 'content-type': 'application/octet-stream' } }),
  },
  wrong_shape: { spoil: ({ platform }) => platform.answers.wrongShape() },
  huge_body: { send: (exchange) => sendHuge(exchange, false) },
  gzip_bomb: { send: (exchange) => sendHuge(exchange, true) },
  redirect_loop: { spoil: ({ baseUrl }) => redirect(`${baseUrl}${loopPath}`) },
  redirect_private: { spoil: ({ privateUrl }) => redirect(privateUrl) },
  duplicate_page: { spoil: ({ before }, truth) => before ?? truth },
  endless_cursor: { spoil: ({ platform, request, before }, truth) => platform.sayMore(truth, request, before) },
} as const satisfies Record<string, FaultKind>

/** What can go wrong on demand; the README says what each one does to an answer. */
export type FaultName = keyof typeof kinds

export interface FaultOptions {
  /** How many requests it spoils before it is used up; 1 unless given, Infinity for as long as it is set. */
  times?: number
  /** How many requests that it concerns it lets pass before the first that it spoils; none unless given. */
  skip?: number
  /** Spoils only this page and later ones, counted from 1 on every platform. */
  fromPage?: number
  /** The wait that is announced, or for `slow_headers` the delay after which the true answer comes. */
  seconds?: number
}

export interface Fault {
  name: FaultName
  seconds: number | null
}

const kindOf = ({ name }: Fault): FaultKind => kinds[name]

/**
 * How a platform refuses under this fault; null when the fault is no refusal. A platform that by itself names no time
 * names one only when the fault says which.
 */
export function faultRefusalForm(platform: SimulatedPlatform, fault: Fault): RefusalForm | null {
  const { refusal = null, byProxy } = kindOf(fault)
  const isUnnamed = platform.announces === 'nothing' && fault.seconds === null
  return refusal !== null && byProxy === undefined && isUnnamed ? 'silent' : refusal
}

/** The refusal of a proxy; undefined where the platform itself refuses. */
export const proxyRefusal = (fault: Fault | null, wait: AnnouncedWait): Answer | undefined =>
  fault ? kindOf(fault).byProxy?.(wait) : undefined

/** The answer that replaces the true one; undefined for a fault that keeps it, or that damages it while it is sent. */
export const spoiltAnswer = (spoilt: Spoilt, fault: Fault, truth: Answer): Answer | undefined =>
  kindOf(fault).spoil?.(spoilt, truth)

/** Sends an answer, as its fault wants it. */
export const deliver = (exchange: Exchange, fault: Fault | null, answer: Answer): Promise<void> =>
  (fault && kindOf(fault).send?.(exchange, answer, fault.seconds)) ?? sendAnswer(exchange, answer)
