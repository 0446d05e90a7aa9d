import type { LimitState } from '../limits.ts'
import { correctedNumber, pageLink, pageNumber } from '../parameters.ts'
import type { SearchRequest } from '../platform-shape.ts'

export const maximumPageSize = 100
const maximumCounted = 10_000
export const requestsPerMinute = 500

export const pageSize = (parameters: URLSearchParams): number =>
  correctedNumber(parameters.get('per_page'), { usual: 20, maximum: maximumPageSize })

/** The limit of all requests. The limit of searches, which is far lower, is in no header. */
export function rateHeaders({ used, resetAt }: LimitState): Record<string, string> {
  const reset = Math.ceil(resetAt / 1_000)
  return {
    'ratelimit-limit': String(requestsPerMinute),
    'ratelimit-name': 'throttle_unauthenticated_api',
    'ratelimit-observed': String(used),
    'ratelimit-remaining': String(requestsPerMinute - used),
    'ratelimit-reset': String(reset),
    'ratelimit-resettime': new Date(reset * 1_000).toUTCString(),
  }
}

/** Totals are left out where counting takes too long. */
export function pagingHeaders({ parameters, baseUrl, path }: SearchRequest, total: number): Record<string, string> {
  const page = pageNumber(parameters)
  const size = pageSize(parameters)
  const last = Math.max(1, Math.ceil(total / size))
  const isCounted = total <= maximumCounted
  const link = (rel: string, target: number) => pageLink(`${baseUrl}/api/v4${path}`, parameters, rel, target)
  const links = page > 1 ? [link('prev', page - 1)] : []
  if (page < last) links.push(link('next', page + 1))
  links.push(link('first', 1), ...(isCounted ? [link('last', last)] : []))
  return {
    link: links.join(', '),
    'x-page': String(page),
    'x-per-page': String(size),
    'x-next-page': page < last ? String(page + 1) : '',
    'x-prev-page': page > 1 ? String(page - 1) : '',
    ...(isCounted ? { 'x-total': String(total), 'x-total-pages': String(last) } : {}),
  }
}
