import type { Transaction } from '../database/open.ts'
import type { App } from '../http/app-type.ts'
import { notFound } from '../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../http/idempotency/idempotency.ts'
import { isId } from '../http/ids.ts'
import { bodyErrors, errorResponses } from '../http/schemas.ts'
import { makeKey, revokeOwnKey } from './account-keys.ts'
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
import type { AccountDependencies } from './routes.ts'

const ownTags = { tags: ['Keys'], security: [{ apiKey: [] }] }

/** The routes of an account for its own keys. */
export function registerOwnKeyRoutes(app: App, dependencies: AccountDependencies): void {
  registerListOwnKeys(app, dependencies)
  registerCreateOwnKey(app, dependencies)
  registerRevokeOwnKey(app, dependencies)
}

function registerListOwnKeys(app: App, dependencies: AccountDependencies): void {
  const { database, clock, authentication } = dependencies
  const onRequest = authentication.requireManage
  app.get(
    '/api/v1/keys',
    {
      onRequest,
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

function registerCreateOwnKey(app: App, dependencies: AccountDependencies): void {
  const { clock, authentication, idempotent } = dependencies
  const onRequest = authentication.requireManage
  app.post(
    '/api/v1/keys',
    {
      onRequest,
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

function registerRevokeOwnKey(app: App, dependencies: AccountDependencies): void {
  const { database, clock, authentication } = dependencies
  const onRequest = authentication.requireManage
  app.delete(
    '/api/v1/keys/:keyId',
    {
      onRequest,
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
