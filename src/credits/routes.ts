import { Type } from 'typebox'
import type { RouteDependencies } from '../accounts/authentication.ts'
import { type Pricing, packNames, usdText } from '../accounts/plans.ts'
import type { App } from '../http/app-type.ts'
import { notFound } from '../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../http/idempotency/idempotency.ts'
import { isId } from '../http/ids.ts'
import { closed, nullable, oneOf, reading, sending } from '../http/schemas.ts'
import { grantPack } from './ledger.ts'
import { verifyLedger } from './verify.ts'

type CreditDependencies = RouteDependencies & { pricing: Pricing }

/** The operator's credit routes. */
export function registerCreditRoutes(app: App, dependencies: CreditDependencies): void {
  registerPacks(app, dependencies)
  registerVerify(app, dependencies)
}

const difference = closed({
  accountId: Type.String(),
  check: Type.String({ description: 'The compared value' }),
  subject: Type.String({ description: 'The id of the reservation, job, call, entry or account' }),
  stored: nullable(Type.String()),
  expected: nullable(Type.String()),
})

function registerVerify(app: App, { database, authentication }: RouteDependencies): void {
  app.get('/api/admin/verify', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'verifyLedger',
      summary: 'Recompute every balance from the ledger and check every rule of it',
      description: 'At most 100 differences. An empty list proves the ledger sound.',
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      response: reading(closed({ differences: Type.Array(difference) })),
    },
    handler: async () => ({ data: { differences: await verifyLedger(database) } }),
  })
}

/** Pay-as-you-go packs, called by the operator's payment system. */
function registerPacks(app: App, { clock, authentication, idempotent, pricing: { packs } }: CreditDependencies): void {
  const packList = Object.entries(packs)
    .map(([name, { credits, priceUsd }]) => `${name} (${credits} credits, ${usdText(priceUsd)})`)
    .join(', ')
  app.post('/api/admin/accounts/:accountId/packs', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'grantPack',
      summary: 'Add a pack of PAYG credits to an account',
      description: 'They never expire, and are used when the monthly pool is empty.',
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      params: closed({ accountId: Type.String() }),
      headers: idempotencyHeaders,
      body: closed({ pack: oneOf(packNames, { description: `One of ${packList}` }) }),
      response: sending(
        closed({ paygBalance: Type.Integer({ description: 'PAYG credits that are not held' }) }),
        'NOT_FOUND',
        ...idempotencyErrors,
      ),
    },
    handler: async (request, reply) => {
      const { accountId } = request.params
      if (!isId(accountId)) throw notFound('Account')
      const { pack } = request.body
      const grant = { accountId, pack, credits: packs[pack].credits, cause: request.id, now: clock.now() }
      return idempotent(request, reply, async (transaction) => {
        const paygBalance = await grantPack(transaction, grant)
        if (paygBalance === null) throw notFound('Account')
        return { data: { paygBalance } }
      })
    },
  })
}
