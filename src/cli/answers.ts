import type { Schemas } from './api-types.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { printable } from './text.ts'

/** A failed call, with the exit code for its command. */
export class ApiError extends CommandError {
  /** Whether repeating the call may succeed. */
  readonly temporary: boolean
  readonly retryAfterMs: number | null
  /** Whether the call may have taken effect despite the failure. */
  readonly answerLost: boolean
  readonly code: string | null
  constructor(
    message: string,
    exitCode: number,
    options: { temporary?: boolean; retryAfterMs?: number | null; answerLost?: boolean; code?: string } = {},
  ) {
    super(message, exitCode)
    this.temporary = options.temporary ?? false
    this.retryAfterMs = options.retryAfterMs ?? null
    this.answerLost = options.answerLost ?? false
    this.code = options.code ?? null
  }
}

type Refusal = Schemas['Error']['error']

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** A service's answer, over the network or in this process. */
export interface Answer {
  url: string
  status: number
  headers: { get(name: string): string | null }
  text: string
  /** Where the key came from, for the message if it is refused. */
  keyFrom: string
}

/** Reads an envelope: `data`, `meta`, `usage`. @throws ApiError with the service's message, or a description */
export function readAnswer(answer: Answer): Record<string, unknown> {
  const { url, status } = answer
  const ok = status >= 200 && status < 300
  const { data, error, ...rest } = parseObject(answer.text)
  if (ok && isObject(data)) return { data, ...rest }
  if (!ok && isObject(error) && typeof error.message === 'string') throw envelopeError(answer, error)
  if (status >= 300 && status < 400) {
    const target = printable(answer.headers.get('location') ?? 'elsewhere')
    throw new ApiError(`${url} answered ${status}, a redirect to ${target}. Set WISHWELL_URL to it.`, exitCodes.failed)
  }
  // Probably a proxy whose service is down.
  const temporary = status >= 500 || status === 429
  const message = `${url} answered ${status} with something that is not Wishwell's JSON. Is WISHWELL_URL right?`
  throw new ApiError(message, status === 429 ? exitCodes.limited : exitCodes.failed, {
    temporary,
    answerLost: status >= 500,
  })
}

/** Reasons that no retry fixes within the month. */
const budgetReasons = new Set<unknown>(['credits', 'key_budget', 'watch_budget'] satisfies Refusal['reason'][])

function envelopeError({ status, headers, keyFrom }: Answer, error: Record<string, unknown>): ApiError {
  const details = Array.isArray(error.details) ? (error.details as NonNullable<Refusal['details']>) : []
  // The message already contains the first one.
  const further = details.slice(1).map(({ path, message }) => `  ${printable(`${path}: ${message}`)}`)
  const hint = status === 401 ? [`The key is read from ${keyFrom}.`] : []
  const message = [printable(String(error.message)), ...further, ...hint].join('\n')
  const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(retryAfterSeconds) ? retryAfterSeconds * 1000 : null
  if (status === 429)
    return new ApiError(message, exitCodes.limited, { temporary: !budgetReasons.has(error.reason), retryAfterMs })
  return new ApiError(message, exitCodes.failed, {
    temporary: status >= 500,
    retryAfterMs,
    answerLost: status >= 500,
    code: String(error.code),
  })
}

/** Whether the command's key lacks the scope. */
export const isBeyondScope = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'SCOPE_EXCEEDED'

/** The answer broke off. */
export const cutOffError = (url: string): ApiError =>
  new ApiError(`The answer of ${url} was cut off. The log of the service may say why.`, exitCodes.unreachable, {
    temporary: true,
    answerLost: true,
  })

/** Explains why a call got no answer. @param timeoutMs of the call */
export function connectionError(url: string, error: unknown, timeoutMs: number): ApiError {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } }
  const say = (message: string, answerLost = true) =>
    new ApiError(message, exitCodes.unreachable, { temporary: true, answerLost })
  if (name === 'TimeoutError') return say(`The service at ${url} did not answer within ${timeoutMs / 1000} s.`)
  if (cause?.code === 'ECONNREFUSED') {
    return say(`Nothing listens at ${url}. Start the service with "wishwell serve", or set WISHWELL_URL.`, false)
  }
  if (cause?.code === 'ENOTFOUND') return say(`There is no host of the name in ${url}. Is WISHWELL_URL right?`, false)
  return say(`The service at ${url} cannot be reached (${cause?.code ?? cause?.message ?? String(error)}).`)
}
