import { Type } from 'typebox'
import type { Transaction } from '../database/open.ts'
import type { App } from '../http/app-type.ts'
import { notFound } from '../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../http/idempotency/idempotency.ts'
import { isId } from '../http/ids.ts'
import { bodyErrors, closed, errorResponses } from '../http/schemas.ts'
import { makeKey, revokeOwnKey } from './account-keys.ts'
import { requireExisting } from './accounts.ts'
import type { RouteDependencies } from './authentication.ts'
import {
  answerKeys,
  keyList,
  keyPath,
  madeDescription,
  madeKey,
  newKey,
  readNewKey,
  revokedKey,
} from './key-schemas.ts'
import { revokeKey } from './keys.ts'

/** The routes of accounts for their own keys, and those of the operator for all keys. */
export function registerKeyRoutes(app: App, dependencies: RouteDependencies): void {
  registerListOwnKeys(app, dependencies)
  registerCreateOwnKey(app, dependencies)
  registerRevokeOwnKey(app, dependencies)
  registerListKeys(app, dependencies)
  registerCreateKey(app, dependencies)
  registerRevokeKey(app, dependencies)
}

const ownTags = { tags: ['Keys'], security: [{ apiKey: [] }] }

function registerListOwnKeys(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.get(
    '/api/v1/keys',
    {
      onRequest: authentication.requireManage,
      schema: {
        operationId: 'listKeys',
        summary: "List the account's API keys",
        description: 'Every active key, oldest first, then those that were revoked or expired last.',
        ...ownTags,
        response: { 200: keyList, ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'SCOPE_EXCEEDED') },
      },
    },
    (request) => answerKeys(database, authentication.accountOf(request).accountId, clock.now()),
  )
}

function registerCreateOwnKey(app: App, { clock, authentication, idempotent }: RouteDependencies): void {
  app.post(
    '/api/v1/keys',
    {
      onRequest: authentication.requireManage,
      schema: {
        operationId: 'createKey',
        summary: 'Make another API key for the account',
        description: `${madeDescription} A key makes none that can more, lasts longer or has more credits than itself: 403.`,
        ...ownTags,
        headers: idempotencyHeaders,
        body: newKey,
        response: {
          200: madeKey,
          ...errorResponses(...bodyErrors, 'SCOPE_EXCEEDED', 'NOT_FOUND', ...idempotencyErrors),
        },
      },
    },
    async (request, reply) => {
      const { accountId, keyId: maker } = authentication.accountOf(request)
      const make = async (transaction: Transaction) => {
        const now = clock.now()
        const made = await makeKey(transaction, { ...readNewKey(request.body, now), accountId, maker, now })
        // Deleted since the key was checked.
        if (made === null) throw notFound('Account')
        return { data: made }
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  )
}

function registerRevokeOwnKey(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.delete(
    '/api/v1/keys/:keyId',
    {
      onRequest: authentication.requireManage,
      schema: {
        operationId: 'revokeKey',
        summary: "Revoke one of the account's API keys, at once and for ever",
        description:
          'Also the one that makes this call, but never the last active one, nor the last one that may do everything for ever: 409.',
        ...ownTags,
        params: keyPath,
        response: { 200: revokedKey, ...errorResponses(...bodyErrors, 'SCOPE_EXCEEDED', 'NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { keyId } = request.params
      const revoked = isId(keyId) && (await revokeOwnKey(database, { accountId, keyId, now: clock.now() }))
      if (!revoked) throw notFound('API key')
      return { data: { keyId } }
    },
  )
}

const adminTags = { tags: ['Admin'], security: [{ adminKey: [] }] }
const accountPath = closed({ accountId: Type.String() })

function registerListKeys(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.get(
    '/api/admin/accounts/:accountId/keys',
    {
      onRequest: authentication.requireAdmin,
      schema: {
        operationId: 'listAccountKeys',
        summary: "List an account's API keys",
        ...adminTags,
        params: accountPath,
        response: { 200: keyList, ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND') },
      },
    },
    async ({ params: { accountId } }) => {
      await requireExisting(database, accountId)
      return answerKeys(database, accountId, clock.now())
    },
  )
}

function registerCreateKey(app: App, { clock, authentication, idempotent }: RouteDependencies): void {
  app.post(
    '/api/admin/accounts/:accountId/keys',
    {
      onRequest: authentication.requireAdmin,
      schema: {
        operationId: 'createAccountKey',
        summary: 'Add an API key to an account',
        description: madeDescription,
        ...adminTags,
        params: accountPath,
        headers: idempotencyHeaders,
        body: newKey,
        response: { 200: madeKey, ...errorResponses(...bodyErrors, 'NOT_FOUND', ...idempotencyErrors) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.params
      const make = async (transaction: Transaction) => {
        const now = clock.now()
        const key = { ...readNewKey(request.body, now), accountId, maker: null, now }
        const made = isId(accountId) ? await makeKey(transaction, key) : null
        if (made === null) throw notFound('Account')
        return { data: made }
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  )
}

function registerRevokeKey(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.delete(
    '/api/admin/keys/:keyId',
    {
      onRequest: authentication.requireAdmin,
      schema: {
        operationId: 'revokeAccountKey',
        summary: 'Revoke an API key, at once and for ever',
        ...adminTags,
        params: keyPath,
        response: { 200: revokedKey, ...errorResponses(...bodyErrors, 'NOT_FOUND') },
      },
    },
    async ({ params: { keyId } }) => {
      if (!isId(keyId) || !(await revokeKey(database, keyId, clock.now()))) throw notFound('API key')
      return { data: { keyId } }
    },
  )
}
