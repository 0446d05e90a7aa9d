import { Type } from 'typebox'
import type { App } from '../app.ts'
import type { Clock } from '../clock.ts'
import { tiers } from '../credits/plans.ts'
import type { Database } from '../database/open.ts'
import type { Authentication } from '../http/authentication.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { closed, errorResponses, moment, nullable, oneOf, trimmedText } from '../http/schemas.ts'
import { createAccountWithKey, deleteAccount, listAccounts, setTier } from './accounts.ts'
import { registerKeyRoutes } from './key-routes.ts'

const tier = oneOf(tiers, { description: 'The plan' })
const name = trimmedText(1, 100, 'For people; need not be unique')
const account = closed({
  accountId: Type.String(),
  name: Type.String(),
  tier,
  createdAt: moment('When it was made'),
  deletedAt: nullable(moment('When it was deleted; null for a living one')),
})
const apiKey = Type.String({ description: 'Shown this once' })
const accountPath = closed({ accountId: Type.String() })
const security = [{ adminKey: [] }]
const tags = ['Admin']

export interface AccountDependencies {
  database: Database
  clock: Clock
  authentication: Authentication
}

const toAnswer = <Row extends { createdAt: Date; deletedAt: Date | null }>(row: Row) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  deletedAt: row.deletedAt?.toISOString() ?? null,
})

/** The operator's routes for accounts, and everybody's for keys. */
export function registerAccountRoutes(app: App, { database, clock, authentication }: AccountDependencies): void {
  const onRequest = authentication.requireAdmin

  app.post(
    '/api/admin/accounts',
    {
      onRequest,
      schema: {
        summary: 'Make an account with its first API key',
        tags,
        security,
        body: closed({ name, tier }),
        response: {
          200: closed({ data: closed({ accountId: Type.String(), name: Type.String(), tier, apiKey }) }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'),
        },
      },
    },
    async ({ body }) => {
      const made = await createAccountWithKey(database, { ...body, now: clock.now() })
      return { data: { ...body, ...made } }
    },
  )

  app.get(
    '/api/admin/accounts',
    {
      onRequest,
      schema: {
        summary: 'List every account',
        tags,
        security,
        querystring: closed({
          deleted: Type.Optional(Type.Boolean({ default: false, description: 'With those that were deleted' })),
        }),
        response: {
          200: closed({ data: closed({ accounts: Type.Array(account) }) }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    },
    async ({ query: { deleted = false } }) => {
      const accounts = await listAccounts(database, { deleted })
      return { data: { accounts: accounts.map(toAnswer) } }
    },
  )

  app.patch(
    '/api/admin/accounts/:accountId',
    {
      onRequest,
      schema: {
        summary: "Change an account's plan, effective at once",
        tags,
        security,
        params: accountPath,
        body: closed({ tier }),
        response: {
          200: closed({ data: account }),
          ...errorResponses(
            'INVALID_REQUEST',
            'UNAUTHORIZED',
            'NOT_FOUND',
            'PAYLOAD_TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
          ),
        },
      },
    },
    async ({ params, body }) => {
      const changed = isId(params.accountId) ? await setTier(database, params.accountId, body.tier) : undefined
      if (!changed) throw notFound('Account')
      return { data: toAnswer(changed) }
    },
  )

  app.delete(
    '/api/admin/accounts/:accountId',
    {
      onRequest,
      schema: {
        summary: 'Delete an account: its name goes and its keys are revoked, its ledger stays',
        description: 'Jobs under way go on to their end and are settled. There is no way back.',
        tags,
        security,
        params: accountPath,
        response: {
          200: closed({ data: closed({ accountId: Type.String() }) }),
          ...errorResponses('UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    },
    async ({ params: { accountId } }) => {
      if (!isId(accountId) || !(await deleteAccount(database, accountId, clock.now()))) throw notFound('Account')
      return { data: { accountId } }
    },
  )

  registerKeyRoutes(app, { database, clock, authentication })
}
