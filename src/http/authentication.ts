import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Account, findAccountByKey } from '../accounts/keys.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/open.ts'
import { ServiceError } from './errors.ts'

export interface Authentication {
  /** `onRequest` hook of the routes that belong to an account. */
  requireAccount(request: FastifyRequest): Promise<void>
  /** `onRequest` hook of the admin routes. */
  requireAdmin(request: FastifyRequest): Promise<void>
  /** Whose request it is; only after `requireAccount`. */
  accountOf(request: FastifyRequest): Account
}

const digest = (text: string) => createHash('sha256').update(text).digest()

function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

/** One text for every way in which a key can be wrong: nothing is told about which keys exist. */
const unauthorized = () =>
  new ServiceError('UNAUTHORIZED', 'A valid API key is required: send it as "Authorization: Bearer <key>".')

export interface AuthenticationDependencies {
  database: Database
  clock: Clock
  adminKey: string
}

export function createAuthentication({ database, clock, adminKey }: AuthenticationDependencies): Authentication {
  const accounts = new WeakMap<FastifyRequest, Account>()
  const adminDigest = digest(adminKey)
  return {
    requireAccount: async (request) => {
      const token = bearerToken(request)
      const account = token === null ? null : await findAccountByKey(database, token, clock.now())
      if (account === null) throw unauthorized()
      accounts.set(request, account)
    },
    requireAdmin: async (request) => {
      const token = bearerToken(request)
      if (token === null || !timingSafeEqual(digest(token), adminDigest)) throw unauthorized()
    },
    accountOf: (request) => {
      const account = accounts.get(request)
      if (!account) throw new Error(`${request.routeOptions.url} reads its account without requireAccount`)
      return account
    },
  }
}
