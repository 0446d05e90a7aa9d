import { createHash, timingSafeEqual } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../http/errors.ts'
import { csrfTokenOf, lifetimeMs } from './sessions.ts'

export const sessionCookie = 'ww_session'

/** Hidden from scripts, not sent by other sites, and restricted to https if used. */
const attributes = ({ protocol }: FastifyRequest): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: protocol === 'https',
})

/** The token in a request's cookie, or null. */
export const cookieOf = (request: FastifyRequest): string | null => request.cookies[sessionCookie] ?? null

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(sessionCookie, token, { ...attributes(request), maxAge: lifetimeMs / 1000 })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(sessionCookie, attributes(request))
}

/**
 * Whether another site sent this call, by `Sec-Fetch-Site`, or by `Origin` where browsers omit it (plain http except
 * localhost). Neither: no current browser. Like Go's http.CrossOriginProtection, but also for reads.
 */
export function isFromElsewhere({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  return origin !== undefined && (URL.parse(origin)?.host ?? null) !== host
}

export function refuseFromElsewhere(request: FastifyRequest): void {
  if (isFromElsewhere(request)) {
    throw new ServiceError('FORBIDDEN', 'Another site made this call. Calls by session come from this service itself.')
  }
}

/** Reads change nothing, except `source=realtime`, which spends a credit. */
function changesSomething({ method, query }: FastifyRequest): boolean {
  const { source } = (query ?? {}) as { source?: unknown }
  return !['GET', 'HEAD'].includes(method) || [source].flat().includes('realtime')
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** For session calls that change something. @throws ServiceError FORBIDDEN without the CSRF token */
export function requireCsrfToken(request: FastifyRequest, sessionToken: string): void {
  if (!changesSomething(request)) return
  const given = request.headers['x-csrf-token']
  if (typeof given === 'string' && timingSafeEqual(digest(given), digest(csrfTokenOf(sessionToken)))) return
  throw new ServiceError('FORBIDDEN', 'X-CSRF-Token: must be the csrfToken of GET /api/session.')
}
