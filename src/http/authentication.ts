import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Account, findAccountByKey } from '../accounts/keys.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/open.ts'
import type { AccountPolicy, RateLimits } from '../rate-limits/rate-limits.ts'
import { ServiceError } from './errors.ts'

/** Who made a call, as far as its effects are concerned. */
export interface Caller {
  /** An account's id, or `admin`. */
  name: string
  /** The key that the call was made with. */
  token: string
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
  const accounts = new WeakMap<FastifyRequest, Account>()
  const callers = new WeakMap<FastifyRequest, Caller>()
  const adminDigest = digest(adminKey)

  const refuse = async (address: string, reply: FastifyReply): Promise<never> => {
    await rateLimits.countWithoutKey(address, reply)
    throw unauthorized()
  }
  const requireAccount = (policy: AccountPolicy) => async (request: FastifyRequest, reply: FastifyReply) => {
    // Read before the key is looked up: a connection that is closed meanwhile has no address any more.
    const { ip: address } = request
    const token = bearerToken(request)
    const account = token === null ? null : await findAccountByKey(database, token, clock.now())
    if (token === null || account === null) return refuse(address, reply)
    accounts.set(request, account)
    callers.set(request, { name: account.accountId, token })
    await rateLimits.countCall(account, policy, reply)
  }
  return {
    requireAccount: requireAccount('default'),
    requireAccountPolling: requireAccount('polls'),
    requireAdmin: async (request, reply) => {
      const token = bearerToken(request)
      if (token === null || !timingSafeEqual(digest(token), adminDigest)) return refuse(request.ip, reply)
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
  }
}
