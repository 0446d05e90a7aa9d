import type { PlatformName } from '../../database/column-types.ts'
import type { Budget } from '../budget/budget.ts'
import type { PlatformError } from '../platform.ts'
import type { AnswerHeaders } from './headers.ts'

/** What a platform answered, also when it is an error. */
export interface Answer {
  status: number
  headers: AnswerHeaders
  /** undefined when the body is not JSON. */
  body: unknown
}

export interface JsonRequest {
  platform: PlatformName
  url: URL
  /** Sent by POST; a GET request has none. */
  body?: string
  headers?: Record<string, string>
  budget: Budget
  /** Aborted when nobody wants the answer any more; with a TimeoutError when the caller's time is over. */
  signal: AbortSignal
  /** What stands before the client's own User-Agent, where a platform wants an application to be named first. */
  agentPrefix?: string
  /** What messages call whoever is asked; the platform unless given. Name the site where there are several. */
  label?: string
  /** Called with every answer, to correct the budget. */
  readLimits?: (answer: Answer) => void | Promise<void>
  /** Called with every answer: what it means when it is an error of a kind that only this platform has, else null. */
  readError?: (answer: Answer) => PlatformError | null
  /** Error statuses that are returned like a success, for the adapter to read. */
  acceptStatuses?: readonly number[]
}

export interface ClientTimeouts {
  connectMs: number
  headersMs: number
  /** Between two pieces of a body. */
  bodyMs: number
  /** For everything that one call does, all tries together; waiting for a place in the budget is not counted. */
  deadlineMs: number
  /** The longest wait before the first other try in place. */
  retryMs: number
  /** How long a task waits before it tries again, after all tries in place have failed. */
  cooldownMs: number
}
