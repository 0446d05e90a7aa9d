import type { PlatformName } from '../../database/column-types.ts'
import type { Budget } from '../budget/budget.ts'
import type { PlatformError } from '../platform.ts'
import type { ParseBody } from './body.ts'
import type { AnswerHeaders } from './headers.ts'

/** An answer of a platform, also an error. */
export interface Answer {
  status: number
  headers: AnswerHeaders
  /** undefined when the body is not JSON, or not what `parseBody` of the request reads. */
  body: unknown
}

export interface JsonRequest {
  platform: PlatformName
  url: URL
  /** Sent by POST; a GET request has none. */
  body?: string
  headers?: Record<string, string>
  budget: Budget
  /** Aborted once the answer is not needed; with a TimeoutError at the caller's time limit. */
  signal: AbortSignal
  /** Precedes the client's User-Agent, for platforms that want the application first. */
  agentPrefix?: string
  /** Name in messages, by default the platform's. Name the site if there are several. */
  label?: string
  /** Called with every answer, to correct the budget. */
  readLimits?: (answer: Answer) => void | Promise<void>
  /** Called with every answer. @returns an error in a form only this platform has, else null */
  readError?: (answer: Answer) => PlatformError | null
  /** Set if an account named the address: each connection is checked, and private addresses are refused. */
  isForeign?: boolean
  /** The maximum size of a body; by default that of the client. */
  maxBodyBytes?: number
  /** Reads a body that is no JSON. */
  parseBody?: ParseBody
  /** Error statuses that are returned like a success, for the adapter to read. */
  acceptStatuses?: readonly number[]
}

export interface ClientTimeouts {
  connectMs: number
  headersMs: number
  /** Between two pieces of a body. */
  bodyMs: number
  /** For all tries of one call together, not counting the wait for a slot. */
  deadlineMs: number
  /** The maximum wait before the second try; it doubles before each further one. */
  retryMs: number
  /** How long a task waits after all tries of a call have failed. */
  cooldownMs: number
}
