import type { SearchRequest } from './platform-shape.ts'

// How platforms read the parameters of a request.

/** A whole number from a query string; null when it is something else. */
export function wholeNumber(text: string | null, otherwise: number): number | null {
  if (text === null || text === '') return otherwise
  return /^-?\d{1,9}$/.test(text) ? Number(text) : null
}

interface Bounds {
  usual: number
  maximum: number
  minimum?: number
}

/** A number where a platform refuses what is out of its bounds: that is null. */
export function acceptedNumber(text: string | null, { usual, maximum, minimum = 1 }: Bounds): number | null {
  const value = wholeNumber(text, usual)
  return value !== null && value >= minimum && value <= maximum ? value : null
}

/** A number where a platform corrects what is out of its bounds. */
export function correctedNumber(text: string | null, { usual, maximum }: Bounds): number {
  const value = wholeNumber(text, usual) ?? usual
  return value < 1 ? usual : Math.min(value, maximum)
}

/** The number of a page where each is numbered, from 1. */
export const pageNumber = (parameters: URLSearchParams): number =>
  Math.max(1, wholeNumber(parameters.get('page'), 1) ?? 1)

/** The page that begins at an offset, from 1. */
export const pageAt = (offset: number | null, size: number | null): number =>
  Math.floor((offset ?? 0) / (size || 1)) + 1

/** A topic in quotes, so that nothing in it is read as an operator. */
export const quoted = (topic: string): string => `"${topic.replaceAll('"', ' ')}"`

/** The items of a parameter that is a list. */
export const listed = (text: string | null, separator = ','): string[] =>
  (text ?? '').split(separator).filter((item) => item !== '')

/** The token of a request; null for an anonymous one. */
export const bearer = ({ headers }: SearchRequest): string | null =>
  headers.authorization?.replace(/^bearer /i, '') ?? null

/** The same parameters with one more or another one. */
export function withParameter(parameters: URLSearchParams, name: string, value: string): URLSearchParams {
  const changed = new URLSearchParams(parameters)
  changed.set(name, value)
  return changed
}

/** The same request with other parameters; null leaves one out, and a parameter that was not sent stays so. */
export const withParameters =
  (changes: Record<string, string | null>) =>
  (request: SearchRequest): SearchRequest => {
    const parameters = new URLSearchParams(request.parameters)
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) parameters.delete(name)
      else if (parameters.has(name)) parameters.set(name, value)
    }
    return { ...request, parameters }
  }

/** The same request with a part of a parameter, or of its body, left out. */
export const withoutText =
  (name: string, part: RegExp) =>
  (request: SearchRequest): SearchRequest => {
    const body = request.body.replace(part, '')
    const text = request.parameters.get(name)
    const changed = text === null ? request : withParameters({ [name]: text.replace(part, '') })(request)
    return { ...changed, body }
  }

/** The headers of a limit whose window ends at a second of the epoch. */
export const limitHeaders = (prefix: string, state: { limit: number; remaining: number; resetAt: number }) => ({
  [`${prefix}limit`]: String(state.limit),
  [`${prefix}remaining`]: String(state.remaining),
  [`${prefix}reset`]: String(Math.ceil(state.resetAt / 1_000)),
})

/** Links to the pages around one, as a `Link` header has them. */
export const pageLink = (address: string, parameters: URLSearchParams, rel: string, page: number): string =>
  `<${address}?${withParameter(parameters, 'page', String(page))}>; rel="${rel}"`
