import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../database/open.ts'
import type { Account, Caller } from '../http/callers.ts'
import { ServiceError } from '../http/errors.ts'
import type { AccountPolicy, RateLimits } from '../rate-limits/rate-limits.ts'
import type { Clock } from '../runtime/clock.ts'
import { createCoalescedReads } from '../runtime/request-coalescing.ts'
import { findAccountByKey } from './keys.ts'
import { cookieOf } from './sessions/cookie.ts'
import { refuseFromElsewhere, requireCsrfToken } from './sessions/forgery.ts'
import { findSession, type Opener } from './sessions/sessions.ts'

/** Somebody who is signed in at the page. */
export interface SignedIn {
  /** The token in the cookie. */
  token: string
  /** Null for the operator. */
  account: (Account & { name: string }) | null
}

export interface Authentication {
  /** `onRequest` hook of the routes that belong to an account; the call counts towards the limit of its plan. */
  requireAccount(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** The same for a route that is polled, which is counted apart and not limited by the plan. */
  requireAccountPolling(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** `onRequest` hook of the admin routes, which have no limit. */
  requireAdmin(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Whose request it is; only after `requireAccount`. */
  accountOf(request: FastifyRequest): Account
  /** Who made the request, an account or the admin; only after one of the hooks. */
  callerOf(request: FastifyRequest): Caller
  /**
   * The session of a request; null when it has no cookie, or one that opens nothing.
   * @throws ServiceError FORBIDDEN when another site made the call, or it changes something without the session's CSRF token.
   */
  sessionOf(request: FastifyRequest): Promise<SignedIn | null>
  /** What somebody who signs in with an API key or the admin key is let in as; null for a key that opens nothing. */
  openerOf(key: string): Promise<(Opener & { account: Account | null }) | null>
  /** Counts an attempt with a wrong key, and throws what it is answered. */
  refuse(address: string, reply: FastifyReply, error?: ServiceError): Promise<never>
}

export interface AuthenticationDependencies {
  database: Database
  clock: Clock
  adminKey: string
  rateLimits: RateLimits
}

const digest = (text: string) => createHash('sha256').update(text).digest()

function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

/** One text for every way in which a key can be wrong: nothing is told about which keys exist. */
const unauthorized = () =>
  new ServiceError('UNAUTHORIZED', 'A valid API key is required: send it as "Authorization: Bearer <key>".')

export function createAuthentication(dependencies: AuthenticationDependencies): Authentication {
  const { database, clock, adminKey, rateLimits } = dependencies
  const share = createCoalescedReads()
  const accounts = new WeakMap<FastifyRequest, Account>()
  const callers = new WeakMap<FastifyRequest, Caller>()
  const adminDigest = digest(adminKey)
  const isAdminKey = (key: string) => timingSafeEqual(digest(key), adminDigest)

  const refuse: Authentication['refuse'] = async (address, reply, error = unauthorized()) => {
    await rateLimits.countWithoutKey(address, reply)
    throw error
  }
  const sessionOf: Authentication['sessionOf'] = async (request) => {
    const token = cookieOf(request)
    if (token === null) return null
    refuseFromElsewhere(request)
    const session = await findSession(database, token, { adminKey, now: clock.now() })
    if (session === null) return null
    requireCsrfToken(request, token)
    return { token, account: session.account }
  }
  /** By its session. What it is answered is for this person only, and no browser or proxy may keep it. */
  const signedIn = async (request: FastifyRequest, reply: FastifyReply) => {
    const session = await sessionOf(request)
    if (session !== null) reply.header('cache-control', 'no-store')
    return session
  }

  /** The account that makes a call, and the key or token that it makes it with. A key goes before a cookie. */
  const findAccount = async (request: FastifyRequest, reply: FastifyReply) => {
    const key = bearerToken(request)
    if (key !== null) {
      // Nobody is let in by what was read before they came: a revoked key is refused by the next call.
      const account = await share(key, () => findAccountByKey(database, key, clock.now()))
      return account && { account, token: key }
    }
    const session = await signedIn(request, reply)
    return session?.account ? { account: session.account, token: session.token } : null
  }
  const requireAccount = (policy: AccountPolicy) => async (request: FastifyRequest, reply: FastifyReply) => {
    // Read before the key is looked up: a connection that is closed meanwhile has no address any more.
    const { ip: address } = request
    const found = await findAccount(request, reply)
    if (found === null) return refuse(address, reply)
    accounts.set(request, found.account)
    callers.set(request, { name: found.account.accountId, token: found.token })
    await rateLimits.countCall(found.account, policy, reply)
  }
  /** The admin key or the operator's session that a call is made with; null for neither. */
  const findAdmin = async (request: FastifyRequest, reply: FastifyReply) => {
    const key = bearerToken(request)
    if (key !== null) return isAdminKey(key) ? key : null
    const session = await signedIn(request, reply)
    return session !== null && session.account === null ? session.token : null
  }
  return {
    requireAccount: requireAccount('default'),
    requireAccountPolling: requireAccount('polls'),
    requireAdmin: async (request, reply) => {
      const { ip: address } = request
      const token = await findAdmin(request, reply)
      if (token === null) return refuse(address, reply)
      callers.set(request, { name: 'admin', token })
    },
    accountOf: (request) => {
      const account = accounts.get(request)
      if (!account) throw new Error(`${request.routeOptions.url} reads its account without requireAccount`)
      return account
    },
    callerOf: (request) => {
      const caller = callers.get(request)
      if (!caller) throw new Error(`${request.routeOptions.url} reads its caller without authentication`)
      return caller
    },
    sessionOf,
    openerOf: async (key) => {
      if (isAdminKey(key)) return { accountId: null, adminKey, account: null }
      const account = await findAccountByKey(database, key, clock.now())
      return account && { accountId: account.accountId, keyId: account.keyId, account }
    },
    refuse,
  }
}
