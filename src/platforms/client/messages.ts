import type { PlatformName } from '../../database/column-types.ts'
import type { Budget } from '../budget/budget.ts'
import type { AnswerHeaders } from '../headers.ts'
import type { PlatformError } from '../platform.ts'
import type { ParseBody } from './body.ts'

export interface Answer {
  status: number
  headers: AnswerHeaders
  /** Undefined if neither JSON nor readable by `parseBody`. */
  body: unknown
}

export interface JsonRequest {
  platform: PlatformName
  url: URL
  /** Sent by POST; GET has none. */
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
  /** Maximum body size; by default the client's. */
  maxBodyBytes?: number
  /** Parses a body other than JSON. */
  parseBody?: ParseBody
  /** Error statuses returned like a success, for the adapter. */
  acceptStatuses?: readonly number[]
}

export interface ClientTimeouts {
  connectMs: number
  headersMs: number
  /** Between two chunks of a body. */
  bodyMs: number
  /** For all tries of one call together, not counting the wait for a slot. */
  deadlineMs: number
  /** Maximum wait before the second try, doubled for each further one. */
  retryMs: number
  /** How long a task waits after all tries of a call have failed. */
  cooldownMs: number
}
