import type { RequestStatus } from '../../../database/column-types.ts'
import { ServiceError } from '../../../http/errors.ts'
import { type Outbound, type TargetCall, TargetFailedError } from '../../../http/outbound/outbound.ts'
import { TargetRefusedError } from '../../../http/outbound/public-address.ts'
import { invalidField } from '../../../http/validation.ts'
import { asFields, asId, asList, asString, asWebUrl, type Fields } from '../../../platforms/content/fields.ts'
import { hourMs } from '../../../runtime/durations.ts'
import { readJson } from '../../../runtime/foreign/json.ts'
import { type Issue, TrackerError, type TrackerFields } from '../tracker.ts'

const usualLimitMs = 60_000

/** A call of a tracker. */
export interface TrackerCall extends Omit<TargetCall, 'body' | 'headers'> {
  /** Its name in sentences, such as `GitHub`. */
  service: string
  headers?: Record<string, string>
  /** Text is sent as is, anything else as JSON. */
  body?: unknown
  /** Whether a success may be any text, which then counts as no fields. */
  allowsText?: boolean
  /** Interprets a refusal by its body, if the status is not enough. */
  explain?: (fields: Fields, answer: Answer) => TrackerError | null
}

type Answer = Awaited<ReturnType<Outbound['exchange']>>

/** The wait that a tracker asked for, by `Retry-After` or its limit's reset time (GitHub, epoch seconds). */
export function waitOf({ retryAfterMs, header }: Answer): number {
  if (retryAfterMs !== null) return retryAfterMs
  const resetsAt = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1_000
  const wait = resetsAt - Date.parse(header('date') ?? '')
  return wait > 0 && wait <= hourMs ? wait : usualLimitMs
}

/** Texts of limits without their own code, such as GitHub's on content (github.com/cli/cli/issues/4801). */
export const limitWords = /rate limit|submitted too quickly|abuse detection|temporarily blocked from content creation/i

/** Whether a limit was hit; GitHub's may be 403 or 422 (docs.github.com, "Rate limits for the REST API"). */
const isLimit = ({ status, header, retryAfterMs, text }: Answer) =>
  status === 429 ||
  (status === 403 && (retryAfterMs !== null || header('x-ratelimit-remaining') === '0')) ||
  ((status === 403 || status === 422) && limitWords.test(text))

/** The names in a list's error: `field` (GitHub), or properties failing validation (Linear, type-graphql). */
function namedBy(error: unknown): unknown[] {
  const { field, extensions } = asFields(error) ?? {}
  const wrong = asList(asFields(extensions)?.validationErrors) ?? []
  return [field, ...wrong.map((one) => asFields(one)?.property)]
}

/** Names of refused fields: keys of `errors` (Jira), `message` (GitLab), or by error. Never texts, which quote us. */
export function refusedFields({ errors, message }: Fields): string {
  const names = [
    ...[errors, message].flatMap((one) => Object.keys(asFields(one) ?? {})),
    ...(asList(errors) ?? []).flatMap(namedBy).flatMap((one) => asString(one) ?? []),
  ].filter((name) => /^[\w.-]{1,64}$/.test(name))
  return names.length === 0 ? '' : `: ${names.slice(0, 5).join(', ')}`
}

function failureOf(service: string, answer: Answer, fields: Fields | null): TrackerError {
  const { status } = answer
  if (isLimit(answer)) return new TrackerError('tracker', `${service} asks to wait (${status}).`, waitOf(answer))
  if (status === 401) return new TrackerError('tracker', `${service} does not take the token (401).`)
  if (status === 404 || status === 410)
    return new TrackerError(
      'missing',
      `${service} answered ${status}: it is not there, or the token does not see it.`,
      undefined,
      fields === null,
    )
  if (status >= 300 && status < 400)
    return new TrackerError('refused', `${service} answered ${status}, a redirect: the project has moved.`)
  if (status === 503 && answer.retryAfterMs !== null)
    return new TrackerError('unclear', `${service} answered 503.`, answer.retryAfterMs)
  if (status === 408 || status >= 500 || status < 200)
    return new TrackerError('unclear', `${service} answered ${status}.`)
  return new TrackerError('refused', `${service} refuses it (${status})${refusedFields(fields ?? {})}.`)
}

/** Calls a tracker with JSON. @returns the fields of its answer; none if empty. @throws TrackerError */
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
      if (error instanceof TargetRefusedError) throw new TrackerError('tracker', error.message, undefined, true)
      if (error instanceof TargetFailedError) throw new TrackerError('unclear', error.message, undefined, true)
      throw error
    })
  const fields = await parse(answer.text)
  const isSuccess = answer.status >= 200 && answer.status < 300
  const reason = fields === null ? null : (explain?.(single(fields), answer) ?? null)
  if (reason !== null) throw reason
  if (!isSuccess) throw failureOf(service, answer, fields === null ? null : single(fields))
  if (fields === null && allowsText) return {}
  if (fields === null) throw new TrackerError('unclear', `${service} gave an answer that is no JSON.`, undefined, true)
  return fields
}

async function parse(text: string): Promise<Fields | Fields[] | null> {
  if (text.trim() === '') return {}
  try {
    const value = await readJson(Buffer.from(text))
    if (Array.isArray(value)) return value.map((one) => asFields(one) ?? {})
    return asFields(value) ?? {}
  } catch {
    return null
  }
}

/** The single object of an answer. */
export const single = (answer: Fields | Fields[]): Fields => (Array.isArray(answer) ? {} : answer)
/** The list of an answer. */
export const listed = (answer: Fields | Fields[]): Fields[] => (Array.isArray(answer) ? answer : [])

/** Reads an issue from an answer. @throws TrackerError `unclear` if it is unnamed and so may not exist. */
export function issueOf(
  service: string,
  { id, key, url, status }: { id: unknown; key: unknown; url: unknown; status: RequestStatus | null },
): Issue {
  const [named, called] = [asId(id), asId(key)]
  if (named === null || called === null) throw new TrackerError('unclear', `${service} did not name the issue.`)
  return { id: named, key: called, url: asWebUrl(url), status }
}

/** A required field. @throws ServiceError INVALID_REQUEST */
export function required(fields: TrackerFields, field: keyof TrackerFields): string {
  const value = fields[field]
  if (value === undefined) throw invalidField(field, 'is required for this type')
  // Would change the path (RFC 3986, 5.2.4).
  if (/^\.{1,2}$/.test(value)) throw invalidField(field, 'is no name')
  return value
}

/** Normalizes a tracker's base URL, without a trailing slash. @throws ServiceError INVALID_REQUEST */
export async function baseUrl(outbound: Outbound, text: string, signal: AbortSignal): Promise<string> {
  try {
    const url = await outbound.checkTarget(text, signal)
    if (url.search !== '' || url.hash !== '') throw invalidField('url', 'must have no query')
    return url.href.replace(/\/+$/, '')
  } catch (error) {
    if (error instanceof TargetRefusedError) throw invalidField('url', error.message.replace(/^It |\.$/g, ''))
    throw error
  }
}

/** Runs a check of fields. @throws ServiceError INVALID_REQUEST with the field at fault; CONFLICT if none is. */
export async function checked<Result>(
  fields: TrackerFields,
  field: keyof TrackerFields,
  check: Promise<Result>,
): Promise<Result> {
  try {
    return await check
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error
    const said = error.message.replace(/\.$/, '')
    if (error.isOfAddress && fields.url !== undefined) throw invalidField('url', said)
    if (error.kind === 'unclear' || error.retryAfterMs !== undefined)
      throw new ServiceError('CONFLICT', `It could not be checked: ${error.message}`)
    throw invalidField(error.kind === 'tracker' ? 'token' : field, said)
  }
}

/** The statuses of issues by id, omitting those without one. @param idOf the field with the id */
export const statusesOf = <Status>(
  issues: readonly (Fields | null)[],
  idOf: 'id' | 'iid',
  statusOf: (issue: Fields) => Status,
): Map<string, Status> =>
  new Map(
    issues.flatMap((one) => {
      const id = asId(one?.[idOf])
      return one === null || id === null ? [] : [[id, statusOf(one)] as const]
    }),
  )
