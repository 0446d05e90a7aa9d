import type { FastifyRequest } from 'fastify'
import type { ErrorCode } from '../http/errors.ts'
import type { Authentication } from './authentication.ts'

/** For whom a route is that there is twice: for accounts, and for the operator, who decides for all of them. */
export interface Audience {
  prefix: '/api/v1' | '/api/admin'
  /** The hook of a route that reads. */
  onRequest: Authentication['requireAccount']
  /** The hook of a route that changes what the audience sees, and the errors of that hook that a read does not have. */
  onChange: Authentication['requireAccount']
  changeErrors: ErrorCode[]
  /** Null for the operator. Only after a hook. */
  accountIdOf(request: FastifyRequest): string | null
  /** The end of `operationId`. */
  idSuffix: '' | 'ForAll'
  /** For summaries. */
  view: string
  security: Record<string, string[]>[]
}

export const audiencesOf = (authentication: Authentication): { account: Audience; operator: Audience } => ({
  account: {
    prefix: '/api/v1',
    onRequest: authentication.requireAccount,
    onChange: authentication.requireCollect,
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
    changeErrors: [],
    accountIdOf: () => null,
    idSuffix: 'ForAll',
    view: 'for all accounts',
    security: [{ adminKey: [] }],
  },
})
