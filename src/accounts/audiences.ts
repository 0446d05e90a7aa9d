import type { FastifyRequest } from 'fastify'
import type { Authentication } from './authentication.ts'

/** For whom a route is that there is twice: for accounts, and for the operator, who decides for all of them. */
export interface Audience {
  prefix: '/api/v1' | '/api/admin'
  onRequest: Authentication['requireAccount']
  /** Null for the operator. Only after `onRequest`. */
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
    accountIdOf: (request) => authentication.accountOf(request).accountId,
    idSuffix: '',
    view: 'for the account',
    security: [{ apiKey: [] }],
  },
  operator: {
    prefix: '/api/admin',
    onRequest: authentication.requireAdmin,
    accountIdOf: () => null,
    idSuffix: 'ForAll',
    view: 'for all accounts',
    security: [{ adminKey: [] }],
  },
})
