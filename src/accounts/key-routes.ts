import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Transaction } from '../database/open.ts'
import type { App } from '../http/app-type.ts'
import { type ErrorCode, notFound } from '../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../http/idempotency/idempotency.ts'
import { isId } from '../http/ids.ts'
import { pageParameters } from '../http/pagination.ts'
import { changing, closed, reading, sending } from '../http/schemas.ts'
import { readMade, revokeKey } from './account-keys.ts'
import { requireExisting } from './accounts.ts'
import type { Authentication, RouteDependencies } from './authentication.ts'
import {
  answerKeys,
  answerMadeKey,
  keyList,
  keyPath,
  madeAnswer,
  madeDescription,
  madeKey,
  newKey,
  readNewKey,
  revocation,
  revokedKey,
} from './key-schemas.ts'
import { endedWords, type MadeKinds } from './made-by-key.ts'

interface KeyRouteDependencies extends RouteDependencies {
  /** Things keys make, stored by other rooms. */
  madeKinds: MadeKinds
}

/** Key routes: of accounts for their own, of the operator for all. */
export function registerKeyRoutes(app: App, dependencies: KeyRouteDependencies): void {
  registerListOwnKeys(app, dependencies)
  registerCreateOwnKey(app, dependencies)
  registerListKeys(app, dependencies)
  registerCreateKey(app, dependencies)
  for (const audience of keyAudiences(dependencies.authentication)) {
    registerMade(app, dependencies, audience)
    registerRevoke(app, dependencies, audience)
  }
}

const ownTags = { tags: ['Keys'], security: [{ apiKey: [] }] }
const adminTags = { tags: ['Admin'], security: [{ adminKey: [] }] }

function registerListOwnKeys(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.get('/api/v1/keys', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'listKeys',
      summary: "List the account's API keys",
      description: 'Every active key, then those that were revoked or expired last; both oldest first.',
      ...ownTags,
      querystring: closed(pageParameters),
      response: reading(keyList, 'SCOPE_EXCEEDED'),
    },
    handler: (request) =>
      answerKeys(database, {
        ...request.query,
        accountId: authentication.accountOf(request).accountId,
        now: clock.now(),
      }),
  })
}

function registerCreateOwnKey(app: App, { clock, authentication, idempotent }: RouteDependencies): void {
  app.post('/api/v1/keys', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'createKey',
      summary: 'Make another API key for the account',
      description: `${madeDescription} A key makes none that can more, lasts longer or has more credits than itself: 403.`,
      ...ownTags,
      headers: idempotencyHeaders,
      body: newKey,
      response: changing(madeKey, 'NOT_FOUND', ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const { accountId, keyId: maker } = authentication.accountOf(request)
      const make = async (transaction: Transaction) => {
        const now = clock.now()
        return answerMadeKey(transaction, { ...readNewKey(request.body, now), accountId, maker, now })
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  })
}

const madeTexts = {
  summary: 'List what a key made',
  description: `What \`withMade=true\` ends when the key is revoked, also of what its keys made in turn: ${endedWords}; and the watches that it stops. Never the key of the call itself and what it made.`,
}

/** Whose keys a route ends: an account's own, or any, by the operator. */
interface KeyAudience {
  prefix: '/api/v1' | '/api/admin'
  onRequest: Authentication['requireAccount']
  errors: ErrorCode[]
  tags: string[]
  security: Record<string, string[]>[]
  whose: '' | 'Account'
  ownerOf(request: FastifyRequest): { accountId: string | null; caller: string | null }
}

const keyAudiences = (authentication: Authentication): KeyAudience[] => [
  {
    ...{
      prefix: '/api/v1',
      onRequest: authentication.requireManage,
      errors: ['SCOPE_EXCEEDED'],
      whose: '',
      ...ownTags,
    },
    ownerOf: (request) => {
      const { accountId, keyId: caller } = authentication.accountOf(request)
      return { accountId, caller }
    },
  },
  {
    ...{ prefix: '/api/admin', onRequest: authentication.requireAdmin, errors: [], whose: 'Account', ...adminTags },
    ownerOf: () => ({ accountId: null, caller: null }),
  },
]

function registerMade(app: App, { database, clock, madeKinds: kinds }: KeyRouteDependencies, audience: KeyAudience) {
  const { prefix, onRequest, errors, tags, security, whose, ownerOf } = audience
  app.get(`${prefix}/keys/:keyId/made`, {
    onRequest,
    schema: {
      operationId: `listMadeBy${whose}Key`,
      ...madeTexts,
      tags,
      security,
      params: keyPath,
      response: reading(madeAnswer, ...errors, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { keyId } = request.params
      const key = { ...ownerOf(request), keyId, kinds, now: clock.now() }
      const made = isId(keyId) ? await readMade(database, key) : null
      if (made === null) throw notFound('API key')
      return { data: made }
    },
  })
}

const revokeTexts = {
  '': {
    summary: "Revoke one of the account's API keys, at once and for ever",
    description:
      'Also the one that makes this call, but never the last active one, nor the last one that may do everything for ever: 409.',
  },
  Account: { summary: 'Revoke an API key, at once and for ever' },
}

function registerRevoke(app: App, { database, clock, madeKinds: kinds }: KeyRouteDependencies, audience: KeyAudience) {
  const { prefix, onRequest, errors, tags, security, whose, ownerOf } = audience
  const conflict: ErrorCode[] = whose === '' ? ['CONFLICT'] : []
  app.delete(`${prefix}/keys/:keyId`, {
    onRequest,
    schema: {
      operationId: `revoke${whose}Key`,
      ...revokeTexts[whose],
      tags,
      security,
      params: keyPath,
      querystring: revocation,
      response: sending(revokedKey, ...errors, 'NOT_FOUND', ...conflict),
    },
    handler: async (request) => {
      const { keyId } = request.params
      const key = { ...ownerOf(request), keyId, withMade: request.query.withMade, kinds, now: clock.now() }
      const ended = isId(keyId) ? await revokeKey(database, key) : null
      if (ended === null) throw notFound('API key')
      return { data: { keyId, ended } }
    },
  })
}

const accountPath = closed({ accountId: Type.String() })

function registerListKeys(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.get('/api/admin/accounts/:accountId/keys', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'listAccountKeys',
      summary: "List an account's API keys",
      ...adminTags,
      params: accountPath,
      querystring: closed(pageParameters),
      response: reading(keyList, 'NOT_FOUND'),
    },
    handler: async ({ params: { accountId }, query }) => {
      await requireExisting(database, accountId)
      return answerKeys(database, { ...query, accountId, now: clock.now() })
    },
  })
}

function registerCreateKey(app: App, { clock, authentication, idempotent }: RouteDependencies): void {
  app.post('/api/admin/accounts/:accountId/keys', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'createAccountKey',
      summary: 'Add an API key to an account',
      description: madeDescription,
      ...adminTags,
      params: accountPath,
      headers: idempotencyHeaders,
      body: newKey,
      response: sending(madeKey, 'NOT_FOUND', ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const { accountId } = request.params
      const make = async (transaction: Transaction) => {
        const now = clock.now()
        const key = { ...readNewKey(request.body, now), accountId, maker: null, now }
        if (!isId(accountId)) throw notFound('Account')
        return answerMadeKey(transaction, key)
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  })
}
