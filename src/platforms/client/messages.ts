import type { PlatformName } from '../../database/column-types.ts'
import type { Budget } from '../budget/budget.ts'
import type { AnswerHeaders } from '../headers.ts'
import type { PlatformError } from '../platform.ts'
import type { ParseBody } from './body.ts'

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
  /** Aborted when the answer is no longer needed; with a TimeoutError at the caller's time limit. */
  signal: AbortSignal
  /** Precedes the client's own User-Agent, for platforms that want the application named first. */
  agentPrefix?: string
  /** The name in messages, by default that of the platform. Name the site if there are several. */
  label?: string
  /** Called with every answer, to correct the budget. */
  readLimits?: (answer: Answer) => void | Promise<void>
  /** Called with every answer. @returns its error if it is of a form that only this platform has, else null. */
  readError?: (answer: Answer) => PlatformError | null
  /** Whether its address came from an account: then it is checked at each connection, and a private one is refused. */
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
  /** For all tries of one call together; waiting for a slot of the budget is not counted. */
  deadlineMs: number
  /** The maximum wait before the second try; it doubles before each further one. */
  retryMs: number
  /** How long a task waits before it tries again, after all tries of one call have failed. */
  cooldownMs: number
}
