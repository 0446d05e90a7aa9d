import { Type } from 'typebox'
import type { Transaction } from '../database/open.ts'
import type { App } from '../http/app-type.ts'
import { notFound } from '../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../http/idempotency/idempotency.ts'
import { isId } from '../http/ids.ts'
import { pageOf, pageOfShort, pageParameters } from '../http/pagination.ts'
import { closed, defaulted, moment, nullable, oneOf, reading, sending, trimmedText } from '../http/schemas.ts'
import {
  type AccountUse,
  createAccountWithKey,
  type DeleteOfAccount,
  deleteAccount,
  listAccounts,
  readAccountUse,
  updateAccount,
} from './accounts.ts'
import type { RouteDependencies } from './authentication.ts'
import { tiers } from './plans.ts'

const tier = oneOf(tiers, { description: 'The plan' })
const name = trimmedText(1, 100, 'For people; need not be unique')
const paygMonthlyCap = nullable(
  Type.Integer({
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'The maximum of PAYG credits in a UTC month, held ones included; null for no cap',
  }),
)
const accountProperties = {
  accountId: Type.String(),
  name: Type.String(),
  tier,
  paygMonthlyCap,
  createdAt: moment('When it was made'),
  deletedAt: nullable(moment('When it was deleted; null if it was not')),
}
const account = closed(accountProperties)
const listedAccount = closed({
  ...accountProperties,
  usedThisMonth: Type.Integer({ description: 'Credits of this UTC month, of the pool and PAYG, held ones included' }),
  lastSeenAt: nullable(
    moment('The last use of a key, or of a session that has not ended, to within ten minutes; null: never'),
  ),
})
const apiKey = Type.String({ description: 'Shown this once' })
const accountPath = closed({ accountId: Type.String() })
const shared = { tags: ['Admin'], security: [{ adminKey: [] }] }

interface AccountRouteDependencies extends RouteDependencies {
  deleteOwned: DeleteOfAccount
}

const toAnswer = <Row extends { createdAt: Date; deletedAt: Date | null }>(row: Row) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  deletedAt: row.deletedAt?.toISOString() ?? null,
})

const describeUse = (use: AccountUse | undefined) => ({
  usedThisMonth: use?.usedThisMonth ?? 0,
  lastSeenAt: use?.lastSeenAt?.toISOString() ?? null,
})

/** The operator's routes for accounts. */
export function registerAccountRoutes(app: App, dependencies: AccountRouteDependencies): void {
  registerCreate(app, dependencies)
  registerList(app, dependencies)
  registerUpdate(app, dependencies)
  registerDelete(app, dependencies)
}

function registerCreate(app: App, { clock, authentication, idempotent }: RouteDependencies): void {
  app.post('/api/admin/accounts', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'createAccount',
      summary: 'Make an account with its first API key',
      ...shared,
      headers: idempotencyHeaders,
      body: closed({ name, tier }),
      response: sending(closed({ ...accountProperties, apiKey }), ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const { body } = request
      const makeAccount = async (transaction: Transaction) => {
        const { apiKey, ...made } = await createAccountWithKey(transaction, { ...body, now: clock.now() })
        return { data: { ...toAnswer(made), apiKey } }
      }
      return idempotent(request, reply, makeAccount, { secretAnswer: true })
    },
  })
}

function registerList(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.get('/api/admin/accounts', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'listAccounts',
      summary: 'List every account, the first made first, with what it used this month and when it was last seen',
      ...shared,
      querystring: closed({
        deleted: defaulted(Type.Boolean({ default: false, description: 'Also list deleted accounts' })),
        ...pageParameters,
      }),
      response: reading(pageOf(listedAccount)),
    },
    handler: async ({ query: { deleted, ...page } }) => {
      const accounts = (await listAccounts(database, { deleted })).map(toAnswer)
      const positionOf = ({ createdAt, accountId }: (typeof accounts)[number]) => `${createdAt} ${accountId}`
      const { results, ...rest } = pageOfShort(accounts, page, { list: 'accounts', positionOf })
      const ids = results.map(({ accountId }) => accountId)
      const uses = await readAccountUse(database, ids, clock.now())
      return { data: { results: results.map((one) => ({ ...one, ...describeUse(uses.get(one.accountId)) })), ...rest } }
    },
  })
}

function registerUpdate(app: App, { database, authentication }: RouteDependencies): void {
  app.patch('/api/admin/accounts/:accountId', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'updateAccount',
      summary: "Change an account's plan or its monthly PAYG cap, effective at once",
      description: 'Used credits stay used: after a downgrade the use may exceed the plan.',
      ...shared,
      params: accountPath,
      body: closed({ tier: Type.Optional(tier), paygMonthlyCap: Type.Optional(paygMonthlyCap) }, { minProperties: 1 }),
      response: sending(account, 'NOT_FOUND'),
    },
    handler: async ({ params, body }) => {
      const changed = isId(params.accountId) ? await updateAccount(database, params.accountId, body) : undefined
      if (!changed) throw notFound('Account')
      return { data: toAnswer(changed) }
    },
  })
}

function registerDelete(app: App, { database, clock, authentication, deleteOwned }: AccountRouteDependencies): void {
  app.delete('/api/admin/accounts/:accountId', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'deleteAccount',
      summary: 'Delete an account: its name is removed, its keys are revoked, its ledger stays',
      description: 'Jobs under way go on to their end and are settled. It cannot be undone.',
      ...shared,
      params: accountPath,
      response: sending(closed({ accountId: Type.String() }), 'NOT_FOUND'),
    },
    handler: async ({ params: { accountId } }) => {
      const deletion = { now: clock.now(), deleteOwned }
      if (!isId(accountId) || !(await deleteAccount(database, accountId, deletion))) throw notFound('Account')
      return { data: { accountId } }
    },
  })
}
