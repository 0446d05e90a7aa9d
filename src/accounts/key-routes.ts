import { Type } from 'typebox'
import type { Executor, Transaction } from '../database/open.ts'
import type { App } from '../http/app-type.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { bodyErrors, closed, errorResponses, moment, nullable, trimmedText } from '../http/schemas.ts'
import { idempotencyErrors, idempotencyHeaders } from '../idempotency/idempotency.ts'
import { listKeys, makeKey, maxActiveKeys, revokeOwnKey } from './account-keys.ts'
import { accountExists } from './accounts.ts'
import { revokeKey } from './keys.ts'
import type { AccountDependencies } from './routes.ts'

const ownTags = { tags: ['Keys'], security: [{ apiKey: [] }] }
const adminTags = { tags: ['Admin'], security: [{ adminKey: [] }] }

const key = closed({
  keyId: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'The first characters of the key' }),
  createdAt: moment('When it was made'),
  revokedAt: nullable(moment('When it was revoked; null while it is active')),
  lastUsedAt: nullable(moment('When it was last used, to within ten minutes; null when never')),
})
const newKey = closed({ name: trimmedText(1, 100, 'For people; need not be unique') })
const madeKey = closed({
  data: closed({ keyId: Type.String(), apiKey: Type.String({ description: 'Shown this once' }) }),
})
const revokedKey = closed({ data: closed({ keyId: Type.String() }) })
const keyList = closed({ data: closed({ keys: Type.Array(key) }) })
const keyPath = closed({ keyId: Type.String() })
const accountPath = closed({ accountId: Type.String() })
const madeDescription = `An account has at most ${maxActiveKeys} active keys; one more is a 409.`

async function answerKeys(executor: Executor, accountId: string) {
  const rows = await listKeys(executor, accountId)
  const keys = rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }))
  return { data: { keys } }
}

/** An account's routes for its own keys, and the operator's for everybody's. */
export function registerKeyRoutes(app: App, dependencies: AccountDependencies): void {
  registerOwnKeyRoutes(app, dependencies)
  registerAdminKeyRoutes(app, dependencies)
}

function registerOwnKeyRoutes(app: App, dependencies: AccountDependencies): void {
  registerListOwnKeys(app, dependencies)
  registerCreateOwnKey(app, dependencies)
  registerRevokeOwnKey(app, dependencies)
}

function registerListOwnKeys(app: App, dependencies: AccountDependencies): void {
  const { database, authentication } = dependencies
  const onRequest = authentication.requireAccount
  app.get(
    '/api/v1/keys',
    {
      onRequest,
      schema: {
        operationId: 'listKeys',
        summary: "List the account's API keys",
        description: 'Every active key, oldest first, then those that were revoked last.',
        ...ownTags,
        response: { 200: keyList, ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED') },
      },
    },
    (request) => answerKeys(database, authentication.accountOf(request).accountId),
  )
}

function registerCreateOwnKey(app: App, dependencies: AccountDependencies): void {
  const { clock, authentication, idempotent } = dependencies
  const onRequest = authentication.requireAccount
  app.post(
    '/api/v1/keys',
    {
      onRequest,
      schema: {
        operationId: 'createKey',
        summary: 'Make another API key for the account',
        description: madeDescription,
        ...ownTags,
        headers: idempotencyHeaders,
        body: newKey,
        response: { 200: madeKey, ...errorResponses(...bodyErrors, 'NOT_FOUND', ...idempotencyErrors) },
      },
    },
    async (request, reply) => {
      const { accountId } = authentication.accountOf(request)
      const make = async (transaction: Transaction) => {
        const made = await makeKey(transaction, { accountId, name: request.body.name, now: clock.now() })
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
  const onRequest = authentication.requireAccount
  app.delete(
    '/api/v1/keys/:keyId',
    {
      onRequest,
      schema: {
        operationId: 'revokeKey',
        summary: "Revoke one of the account's API keys, at once and for ever",
        description: 'Also the one that makes this call, but never the last active one, which is a 409.',
        ...ownTags,
        params: keyPath,
        response: { 200: revokedKey, ...errorResponses(...bodyErrors, 'NOT_FOUND', 'CONFLICT') },
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

function registerAdminKeyRoutes(app: App, dependencies: AccountDependencies): void {
  registerListKeys(app, dependencies)
  registerCreateKey(app, dependencies)
  registerRevokeKey(app, dependencies)
}

function registerListKeys(app: App, dependencies: AccountDependencies): void {
  const { database, authentication } = dependencies
  const onRequest = authentication.requireAdmin
  app.get(
    '/api/admin/accounts/:accountId/keys',
    {
      onRequest,
      schema: {
        operationId: 'listAccountKeys',
        summary: "List an account's API keys",
        ...adminTags,
        params: accountPath,
        response: { 200: keyList, ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND') },
      },
    },
    async ({ params: { accountId } }) => {
      if (!isId(accountId) || !(await accountExists(database, accountId))) throw notFound('Account')
      return answerKeys(database, accountId)
    },
  )
}

function registerCreateKey(app: App, dependencies: AccountDependencies): void {
  const { clock, authentication, idempotent } = dependencies
  const onRequest = authentication.requireAdmin
  app.post(
    '/api/admin/accounts/:accountId/keys',
    {
      onRequest,
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
        const key = { accountId, name: request.body.name, now: clock.now() }
        const made = isId(accountId) ? await makeKey(transaction, key) : null
        if (made === null) throw notFound('Account')
        return { data: made }
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  )
}

function registerRevokeKey(app: App, dependencies: AccountDependencies): void {
  const { database, clock, authentication } = dependencies
  const onRequest = authentication.requireAdmin
  app.delete(
    '/api/admin/keys/:keyId',
    {
      onRequest,
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
