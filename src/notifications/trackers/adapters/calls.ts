import type { RequestStatus } from '../../../database/column-types.ts'
import { ServiceError } from '../../../http/errors.ts'
import { type Outbound, type TargetCall, TargetFailedError } from '../../../http/outbound/outbound.ts'
import { TargetRefusedError } from '../../../http/outbound/public-address.ts'
import { invalidField } from '../../../http/validation.ts'
import { asFields, asId, asWebUrl, type Fields } from '../../../platforms/content/fields.ts'
import { type Issue, TrackerError, type TrackerFields } from '../tracker.ts'

/** What a tracker that names no time is left alone for. */
const usualLimitMs = 60_000
const hourMs = 3_600_000

/** A call of a tracker. */
export interface TrackerCall extends Omit<TargetCall, 'body' | 'headers'> {
  /** As a sentence names it, such as `GitHub`. */
  service: string
  headers?: Record<string, string>
  /** A text as it is; anything else as JSON. */
  body?: unknown
  /** Whether a success may have any text, whose fields are none then. */
  allowsText?: boolean
  /** What a refusal means by its body, where the status alone does not say it. */
  explain?: (fields: Fields, answer: Answer) => TrackerError | null
}

type Answer = Awaited<ReturnType<Outbound['exchange']>>

/** What a tracker asked to wait, by `Retry-After`, or by the moment at which its limit is fresh, in seconds of the epoch (GitHub). */
export function waitOf({ retryAfterMs, header }: Answer): number {
  if (retryAfterMs !== null) return retryAfterMs
  const resetsAt = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1_000
  const wait = resetsAt - Date.parse(header('date') ?? '')
  return wait > 0 && wait <= hourMs ? wait : usualLimitMs
}

/** Whether a 403 is one of a limit: GitHub answers so, with or without a header (docs.github.com, "Rate limits for the REST API"). */
const isLimit = ({ status, header, retryAfterMs, text }: Answer) =>
  status === 429 ||
  (status === 403 && (retryAfterMs !== null || header('x-ratelimit-remaining') === '0' || /rate limit/i.test(text)))

function failureOf(service: string, answer: Answer): TrackerError {
  const { status } = answer
  if (isLimit(answer)) return new TrackerError('tracker', `${service} asks to wait (${status}).`, waitOf(answer))
  if (status === 401) return new TrackerError('tracker', `${service} does not take the token (401).`)
  if (status === 404 || status === 410)
    return new TrackerError('missing', `${service} answered ${status}: it is not there, or the token does not see it.`)
  if (status >= 300 && status < 400)
    return new TrackerError('refused', `${service} answered ${status}, a redirect: the project has moved.`)
  if (status === 503 && answer.retryAfterMs !== null)
    return new TrackerError('unclear', `${service} answered 503.`, answer.retryAfterMs)
  if (status === 408 || status >= 500 || status < 200)
    return new TrackerError('unclear', `${service} answered ${status}.`)
  return new TrackerError('refused', `${service} refuses it (${status}).`)
}

/**
 * Calls a tracker with JSON.
 * @returns the fields of its answer; none where the answer is empty.
 * @throws TrackerError
 */
export async function callTracker(
  outbound: Outbound,
  { service, headers = {}, body, explain, allowsText = false, ...call }: TrackerCall,
): Promise<Fields | Fields[]> {
  const answer = await outbound
    .exchange({
      ...call,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    .catch((error: unknown) => {
      if (error instanceof TargetRefusedError) throw new TrackerError('tracker', error.message)
      if (error instanceof TargetFailedError) throw new TrackerError('unclear', error.message)
      throw error
    })
  const fields = parse(answer.text)
  const isSuccess = answer.status >= 200 && answer.status < 300
  const reason = fields === null ? null : (explain?.(single(fields), answer) ?? null)
  if (reason !== null) throw reason
  if (!isSuccess) throw failureOf(service, answer)
  if (fields === null && allowsText) return {}
  if (fields === null) throw new TrackerError('unclear', `${service} gave an answer that is no JSON.`)
  return fields
}

function parse(text: string): Fields | Fields[] | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value)) return value.map((one) => asFields(one) ?? {})
    return asFields(value) ?? {}
  } catch {
    return null
  }
}

/** The one object of an answer. */
export const single = (answer: Fields | Fields[]): Fields => (Array.isArray(answer) ? {} : answer)
/** The list of an answer. */
export const listed = (answer: Fields | Fields[]): Fields[] => (Array.isArray(answer) ? answer : [])

/**
 * An issue that a tracker named.
 * @throws TrackerError `unclear` without what it is called: whether it was made is not known then.
 */
export function issueOf(
  service: string,
  { id, key, url, status }: { id: unknown; key: unknown; url: unknown; status: RequestStatus | null },
): Issue {
  const [named, called] = [asId(id), asId(key)]
  if (named === null || called === null) throw new TrackerError('unclear', `${service} did not name the issue.`)
  return { id: named, key: called, url: asWebUrl(url), status }
}

/** A field that a type needs. @throws ServiceError INVALID_REQUEST */
export function required(fields: TrackerFields, field: keyof TrackerFields): string {
  const value = fields[field]
  if (value === undefined) throw invalidField(field, 'is required for this type')
  return value
}

/** The base of a tracker's addresses, without a slash at the end. @throws ServiceError INVALID_REQUEST */
export async function baseUrl(outbound: Outbound, text: string, signal: AbortSignal): Promise<string> {
  try {
    const url = await outbound.checkTarget(text, signal)
    if (url.search !== '' || url.hash !== '') throw invalidField('url', 'must have no query')
    return url.href.replace(/\/+$/, '')
  } catch (error) {
    if (error instanceof TargetRefusedError) throw invalidField('url', error.message.replace(/\.$/, ''))
    throw error
  }
}

/** Has a check of given fields fail with the reason. @throws ServiceError INVALID_REQUEST that names the field. */
export async function checked<Result>(field: keyof TrackerFields, check: Promise<Result>): Promise<Result> {
  try {
    return await check
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error
    if (error.kind === 'unclear') throw new ServiceError('CONFLICT', `It could not be checked: ${error.message}`)
    throw invalidField(error.kind === 'tracker' ? 'token' : field, error.message.replace(/\.$/, ''))
  }
}
