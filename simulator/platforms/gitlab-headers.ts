import type { LimitState } from '../limits.ts'
import { type SearchRequest, wholeNumber } from '../platform-shape.ts'

export const maximumPageSize = 100
const defaultPageSize = 20
const maximumCounted = 10_000
export const requestsPerMinute = 500

export function pageSize(parameters: URLSearchParams): number {
  const given = wholeNumber(parameters.get('per_page'), defaultPageSize) ?? defaultPageSize
  return given < 1 ? defaultPageSize : Math.min(given, maximumPageSize)
}

export function pageNumber(parameters: URLSearchParams): number {
  return Math.max(1, wholeNumber(parameters.get('page'), 1) ?? 1)
}

/** The limit of all requests. The limit of searches, which is far lower, is in no header. */
export function rateHeaders(state: LimitState): Record<string, string> {
  return {
    'ratelimit-limit': String(requestsPerMinute),
    'ratelimit-name': 'throttle_unauthenticated_api',
    'ratelimit-observed': String(state.used),
    'ratelimit-remaining': String(requestsPerMinute - state.used),
    'ratelimit-reset': String(Math.ceil(state.resetAt / 1_000)),
    'ratelimit-resettime': new Date(Math.ceil(state.resetAt / 1_000) * 1_000).toUTCString(),
  }
}

/** Totals are left out where counting takes too long. */
export function pagingHeaders(request: SearchRequest, total: number): Record<string, string> {
  const { parameters, baseUrl, path } = request
  const page = pageNumber(parameters)
  const size = pageSize(parameters)
  const last = Math.max(1, Math.ceil(total / size))
  const link = (rel: string, target: number): string => {
    const query = new URLSearchParams(parameters)
    query.set('page', String(target))
    return `<${baseUrl}/api/v4${path}?${query}>; rel="${rel}"`
  }
  const links = page > 1 ? [link('prev', page - 1)] : []
  if (page < last) links.push(link('next', page + 1))
  links.push(link('first', 1))
  const isCounted = total <= maximumCounted
  if (isCounted) links.push(link('last', last))
  return {
    link: links.join(', '),
    'x-page': String(page),
    'x-per-page': String(size),
    'x-next-page': page < last ? String(page + 1) : '',
    'x-prev-page': page > 1 ? String(page - 1) : '',
    ...(isCounted ? { 'x-total': String(total), 'x-total-pages': String(last) } : {}),
  }
}
