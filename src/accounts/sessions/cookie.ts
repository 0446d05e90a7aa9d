import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { lifetimeMs } from './sessions.ts'

export const sessionCookie = 'ww_session'

/** Hidden from scripts, not sent by forms and frames of other sites, and behind https only sent over https. */
const attributes = ({ protocol }: FastifyRequest): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: protocol === 'https',
})

/** The token that a request carries in its cookie; null for none. */
export const cookieOf = (request: FastifyRequest): string | null => request.cookies[sessionCookie] ?? null

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(sessionCookie, token, { ...attributes(request), maxAge: lifetimeMs / 1000 })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(sessionCookie, attributes(request))
}
