import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../database/open.ts'
import type { Account } from '../http/callers.ts'
import type { Clock } from '../runtime/clock.ts'
import { createCoalescedReads } from '../runtime/request-coalescing.ts'
import { findAccountById, findAccountByKey } from './keys.ts'
import { isAccessToken, type ReadAccessToken } from './oidc/access-tokens.ts'
import { cookieOf, refuseFromElsewhere, requireCsrfToken } from './sessions/cookie.ts'
import { findSession, type Opener } from './sessions/sessions.ts'

export interface SignedIn {
  token: string
  account: (Account & { name: string }) | null
}

interface OpenSession extends SignedIn {
  sessionId: string
}

/** What a call was made with. */
interface Credential {
  /** The API key, or the session's token. */
  token: string
  /** For audits: `key <id>`, `session <id>`, `token of <subject>`, or `admin`. */
  origin: string
}

/** Reads a request's key or session. A Bearer key, even a wrong one, precedes a cookie. */
export interface Credentials {
  /** A request's account, and its key or session; null without either. */
  accountOf(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<(Credential & { account: Account; isSession: boolean }) | null>
  /** A request's admin key or operator's session; null for neither. */
  operatorOf(request: FastifyRequest, reply: FastifyReply): Promise<Credential | null>
  /** Null without a usable cookie. @throws ServiceError FORBIDDEN for another site, or a change without CSRF token */
  sessionOf(request: FastifyRequest): Promise<OpenSession | null>
  /** What an API or admin key opens; null if nothing. */
  openerOf(key: string): Promise<(Opener & { account: Account | null }) | null>
}

export interface CredentialsDependencies {
  database: Database
  clock: Clock
  adminKey: string
  /** Null without an OpenID Connect provider. */
  readAccessToken: ReadAccessToken | null
}

const digest = (text: string) => createHash('sha256').update(text).digest()

function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

const ofSession = ({ token, sessionId }: OpenSession): Credential => ({ token, origin: `session ${sessionId}` })

export function createCredentials({
  database,
  clock,
  adminKey,
  readAccessToken,
}: CredentialsDependencies): Credentials {
  const share = createCoalescedReads()
  const adminDigest = digest(adminKey)
  const isAdminKey = (key: string) => timingSafeEqual(digest(key), adminDigest)
  const findAccount = (key: string) => findAccountByKey(database, key, clock.now())

  const sessionOf: Credentials['sessionOf'] = async (request) => {
    const token = cookieOf(request)
    if (token === null) return null
    refuseFromElsewhere(request)
    const session = await findSession(database, token, { adminKey, now: clock.now() })
    if (session === null) return null
    requireCsrfToken(request, token)
    return { token, sessionId: session.sessionId, account: session.account }
  }
  const ofToken = async (token: string, read: ReadAccessToken) => {
    const claims = await read(token)
    const account =
      claims && (await findAccountById(database, claims.accountId, { scope: claims.scope, personName: claims.subject }))
    return account && claims && { account, token, origin: `token of ${claims.subject}`, isSession: false }
  }
  /** Session answers are for one person: browsers and proxies must not store them. */
  const privateSessionOf = async (request: FastifyRequest, reply: FastifyReply) => {
    const session = await sessionOf(request)
    if (session !== null) reply.header('cache-control', 'no-store')
    return session
  }
  return {
    async accountOf(request, reply) {
      const key = bearerToken(request)
      if (key !== null && readAccessToken !== null && isAccessToken(key)) return ofToken(key, readAccessToken)
      if (key !== null) {
        // A shared read starts after the call arrived, so a revoked key is refused at the next call.
        const account = await share(key, () => findAccount(key))
        return account && { account, token: key, origin: `key ${account.keyId}`, isSession: false }
      }
      const session = await privateSessionOf(request, reply)
      return session?.account ? { account: session.account, ...ofSession(session), isSession: true } : null
    },
    async operatorOf(request, reply) {
      const key = bearerToken(request)
      if (key !== null) return isAdminKey(key) ? { token: key, origin: 'admin' } : null
      const session = await privateSessionOf(request, reply)
      return session !== null && session.account === null ? ofSession(session) : null
    },
    sessionOf,
    async openerOf(key) {
      if (isAdminKey(key)) return { accountId: null, adminKey, account: null }
      const account = await findAccount(key)
      return account && { accountId: account.accountId, keyId: account.keyId, account }
    },
  }
}
