import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeyScope } from '../database/column-types.ts'
import type { Database } from '../database/open.ts'
import type { Account, Caller } from '../http/callers.ts'
import { type ErrorCode, ServiceError } from '../http/errors.ts'
import type { Idempotent } from '../http/idempotency/idempotency.ts'
import type { AccountPolicy, RateLimits } from '../http/rate-limits/rate-limits.ts'
import type { Clock } from '../runtime/clock.ts'
import { setOwner } from '../runtime/work-owner.ts'
import { type Credentials, type CredentialsDependencies, createCredentials } from './credentials.ts'
import { requireScopeOf } from './keys.ts'

export interface RouteDependencies {
  database: Database
  clock: Clock
  authentication: Authentication
  idempotent: Idempotent
}

export interface Authentication extends Pick<Credentials, 'sessionOf' | 'openerOf'> {
  /** `onRequest` hook of account routes; counts the call towards the plan's limit. */
  requireAccount(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** `requireAccount` for polled routes, which have their own limit. */
  requireAccountPolling(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** `requireAccount` for spending credits or changing the account's view. @throws ServiceError SCOPE_EXCEEDED */
  requireCollect(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** `requireAccount` for sending feedback. @throws ServiceError SCOPE_EXCEEDED */
  requireFeedback(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** `requireAccount` for changing the account: keys and destinations. @throws ServiceError SCOPE_EXCEEDED */
  requireManage(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** For scopes that depend on parameters; call after a hook. @throws ServiceError SCOPE_EXCEEDED */
  requireScope(request: FastifyRequest, scope: KeyScope): void
  /** Rechecks a call after a slow body, without counting it. @throws ServiceError UNAUTHORIZED */
  requireStill(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** `onRequest` hook of admin routes, which have no limit. */
  requireAdmin(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** A request's account; call after `requireAccount`. */
  accountOf(request: FastifyRequest): Account
  /** A request's caller, account or admin; call after a hook. */
  callerOf(request: FastifyRequest): Caller
  /** What made a request, for audits: `key <id>`, `session <id>` or `admin`; call after a hook. */
  originOf(request: FastifyRequest): string
  /** Counts an attempt with a wrong key. @throws the given error, by default UNAUTHORIZED */
  refuse(address: string, reply: FastifyReply, error?: ServiceError): Promise<never>
}

/** One text for all faults of a key, so that it reveals nothing about existing keys. */
const unauthorized = () =>
  new ServiceError('UNAUTHORIZED', 'A valid API key is required: send it as "Authorization: Bearer <key>".')

export function createAuthentication({
  rateLimits,
  ...dependencies
}: CredentialsDependencies & { rateLimits: RateLimits }): Authentication {
  const credentials = createCredentials(dependencies)
  const accounts = new WeakMap<FastifyRequest, Account>()
  const callers = new WeakMap<FastifyRequest, Caller & { origin: string }>()

  const refuse: Authentication['refuse'] = async (address, reply, error = unauthorized()) => {
    await rateLimits.countWithoutKey(address, reply)
    throw error
  }
  const knownCaller = (request: FastifyRequest) => {
    const caller = callers.get(request)
    if (!caller) throw new Error(`${request.routeOptions.url} reads its caller without authentication`)
    return caller
  }
  const accountOf = (request: FastifyRequest) => {
    const account = accounts.get(request)
    if (!account) throw new Error(`${request.routeOptions.url} reads its account without requireAccount`)
    return account
  }
  const requireAccount =
    (policy: AccountPolicy, scope: KeyScope = 'read') =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      // Read before the lookup: a closed connection has no address.
      const { ip: address } = request
      const found = await credentials.accountOf(request, reply)
      if (found === null) return refuse(address, reply)
      accounts.set(request, found.account)
      setOwner(found.account.accountId)
      callers.set(request, { name: found.account.accountId, token: found.token, origin: found.origin })
      await rateLimits.countCall(found.account, policyOf(found, policy), reply)
      requireScopeOf(found.account, scope)
    }
  return {
    requireAccount: requireAccount('default'),
    requireAccountPolling: requireAccount('polls'),
    requireCollect: requireAccount('default', 'collect'),
    requireFeedback: requireAccount('default', 'feedback'),
    requireManage: requireAccount('default', 'manage'),
    requireScope: (request, scope) => requireScopeOf(accountOf(request), scope),
    requireStill: async (request, reply) => {
      if ((await credentials.accountOf(request, reply)) === null) throw unauthorized()
    },
    requireAdmin: async (request, reply) => {
      const { ip: address } = request
      const operator = await credentials.operatorOf(request, reply)
      if (operator === null) return refuse(address, reply)
      callers.set(request, { name: 'admin', token: operator.token, origin: operator.origin })
    },
    accountOf,
    callerOf: knownCaller,
    originOf: (request) => knownCaller(request).origin,
    sessionOf: credentials.sessionOf,
    openerOf: credentials.openerOf,
    refuse,
  }
}

/** The limit that counts a call: those with a public key take nothing from their account. */
const policyOf = ({ account, isSession }: { account: Account; isSession: boolean }, policy: AccountPolicy) =>
  account.scope === 'feedback' ? 'feedback' : policy === 'default' && isSession ? 'page' : policy

/** Whom a duplicated route serves: accounts, or the operator, who decides for all. */
export interface Audience {
  prefix: '/api/v1' | '/api/admin'
  /** Hook of read routes. */
  onRequest: Authentication['requireAccount']
  requireStill: Authentication['requireStill']
  /** Hook of routes that change what the audience sees, and the errors it adds to those of reads. */
  onChange: Authentication['requireAccount']
  changeErrors: ErrorCode[]
  /** Null for the operator. Call after a hook. */
  accountIdOf(request: FastifyRequest): string | null
  idSuffix: '' | 'ForAll'
  view: string
  security: Record<string, string[]>[]
}

export const audiencesOf = (authentication: Authentication): { account: Audience; operator: Audience } => ({
  account: {
    prefix: '/api/v1',
    onRequest: authentication.requireAccount,
    onChange: authentication.requireCollect,
    requireStill: authentication.requireStill,
    changeErrors: ['SCOPE_EXCEEDED'],
    accountIdOf: (request) => authentication.accountOf(request).accountId,
    idSuffix: '',
    view: 'for the account',
    security: [{ apiKey: [] }],
  },
  operator: {
    prefix: '/api/admin',
    onRequest: authentication.requireAdmin,
    onChange: authentication.requireAdmin,
    requireStill: authentication.requireAdmin,
    changeErrors: [],
    accountIdOf: () => null,
    idSuffix: 'ForAll',
    view: 'for all accounts',
    security: [{ adminKey: [] }],
  },
})
