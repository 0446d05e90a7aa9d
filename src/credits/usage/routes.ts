import { type Static, Type } from 'typebox'
import { requireExisting } from '../../accounts/accounts.ts'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import { shownScope } from '../../accounts/keys.ts'
import type { Period, PeriodName } from '../../accounts/period.ts'
import { type Pricing, packNames, tiers } from '../../accounts/plans.ts'
import { type EntryKind, keyScopes, spendingOperations } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { named } from '../../http/openapi-components.ts'
import { pageOf, pageParameters } from '../../http/pagination.ts'
import { closed, creditUsage, errorResponses, moment, nullable, oneOf, openWord, reading } from '../../http/schemas.ts'
import { maxSpenders, readSpending, readStatement, readWeeklySpending } from '../spending.ts'
import { readDailyUsage, readUsage } from '../usage.ts'
import { registerCollectionRoutes } from './collection-routes.ts'
import { periodIn, periodParameters } from './period-query.ts'

const entryKinds: EntryKind[] = ['reserve', 'settle', 'release', 'grant']
const shared = { tags: ['Usage'], security: [{ apiKey: [] }] }

const spent = {
  held: Type.Integer({ description: 'What jobs and live calls under way hold' }),
  settled: Type.Integer({ description: 'What was used' }),
}
const spending = closed(
  {
    month: Type.Optional(Type.String({ description: 'UTC, YYYY-MM; with `month`' })),
    week: Type.Optional(Type.String({ description: 'YYYY-Www; with `week`' })),
    from: moment('The first instant of the period'),
    until: moment('The first instant after it'),
    total: closed(spent),
    withoutKey: closed(spent, { description: 'On the page, after a sign-in by a link' }),
    persons: Type.Array(
      closed({
        personName: Type.String(),
        keyId: nullable(
          Type.String({ description: 'The key of `keys` that it counts for; null: it is part of `withoutKey`' }),
        ),
        ...spent,
      }),
      { description: 'By the persons with a name who signed in' },
    ),
    keys: Type.Array(closed({ keyId: Type.String(), name: Type.String(), ...spent })),
    watches: Type.Array(
      closed({
        watchId: Type.String(),
        name: nullable(Type.String({ description: 'Null once it is deleted' })),
        ...spent,
      }),
    ),
  },
  {
    ...named('Spending'),
    description:
      `With \`month\` or \`week\`: credits of the pool and PAYG together, by key, person and watch, the most used first, at most ${maxSpenders} of each. ` +
      'They count in the period in which the job or the call began. ' +
      'A run of a watch counts for the watch and for the key that made it. `keys` and `withoutKey` add up to `total`, and so do the rows of ' +
      '`GET /api/v1/usage/collections` for the same period.',
  },
)

const usageRecord = closed({
  tier: oneOf(tiers, { description: 'The plan' }),
  credits: closed(
    {
      ...creditUsage.properties,
      held: Type.Integer({ description: 'The part of `used` that jobs and live calls under way hold' }),
      resetsAt: moment('When the monthly pool is fresh: the first instant of the next UTC month'),
    },
    { description: 'The monthly pool' },
  ),
  paygBalance: Type.Integer({ description: 'Pay-as-you-go credits that are not held; they never expire' }),
  paygMonthlyCap: nullable(
    Type.Integer({ description: 'The maximum of PAYG credits a month; null when there is no cap' }),
  ),
  rateLimit: closed({
    requestsPerMinute: Type.Integer({ description: 'The maximum of requests of the plan in any 60 seconds' }),
  }),
  days: Type.Optional(
    Type.Array(
      closed({
        date: Type.String({ format: 'date', description: 'A UTC day' }),
        operation: openWord(spendingOperations, 'What was paid for'),
        credits: Type.Integer({ description: 'Settled on that day, of the pool and PAYG together' }),
      }),
      { description: 'With `days`: oldest first; days on which nothing was settled are left out' },
    ),
  ),
  weeks: Type.Optional(
    Type.Array(
      closed({
        week: Type.String({ description: 'YYYY-Www' }),
        from: moment('Monday, 00:00 UTC'),
        until: moment('The first instant after it'),
        ...spent,
      }),
      {
        description:
          'With `weeks`: oldest first, also those without any use; each is the `total` of `spenders` with that `week`',
      },
    ),
  ),
  spenders: Type.Optional(spending),
})

const ownUsage = closed({
  ...usageRecord.properties,
  scope: oneOf(keyScopes, {
    description: 'What the key of this call may do; `manage` for a person who signed in by a link',
  }),
})

const change = (description: string) => Type.Integer({ description })
const entry = closed(
  {
    entryId: Type.Integer({ description: 'Grows with every entry of the account' }),
    createdAt: moment('When it was written'),
    month: Type.String({ description: 'The UTC month of the pool that it belongs to, YYYY-MM' }),
    kind: oneOf(entryKinds),
    operation: openWord([...spendingOperations, 'pack'], 'What it was for'),
    cause: Type.String({ description: 'The id of the job or of the call' }),
    topic: nullable(Type.String({ description: 'Of the job or the list, or the query of the search' })),
    pack: nullable(oneOf(packNames)),
    keyId: nullable(
      Type.String({
        description: 'The API key that paid; null for a sign-in by link, and for entries of before it was noted',
      }),
    ),
    keyName: nullable(Type.String()),
    personName: nullable(
      Type.String({ description: 'Who signed in, by the name that the link, or the access token, has' }),
    ),
    watchId: nullable(Type.String({ description: 'The watch whose run it was' })),
    watchName: nullable(Type.String({ description: 'Null once it is deleted' })),
    changes: closed({
      poolHeld: change('To what is held of the monthly pool'),
      poolSettled: change('To what is settled of the monthly pool'),
      paygHeld: change('To what is held of the PAYG balance'),
      paygSettled: change('To all PAYG credits that were ever settled'),
      paygGranted: change('To all PAYG credits that were ever bought'),
    }),
  },
  named('UsageEntry'),
)

const usageQuery = closed({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 90,
      description: 'Adds a breakdown of this number of UTC days, today included',
    }),
  ),
  weeks: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 53,
      description: 'Adds what was used in each of this number of ISO weeks, this one included',
    }),
  ),
  ...periodParameters('Adds what each key, person and watch used'),
})

async function spendersIn(database: Database, accountId: string, { from, until, ...name }: PeriodName & Period) {
  const spending = await readSpending(database, { accountId, from, until })
  return { ...name, from: from.toISOString(), until: until.toISOString(), ...spending }
}

const weeksOf = async (database: Database, asked: { accountId: string; weeks: number; now: Date }) =>
  (await readWeeklySpending(database, asked)).map(({ from, until, ...week }) => ({
    ...week,
    from: from.toISOString(),
    until: until.toISOString(),
  }))

/** Routes for an account's usage, statement and collections. Free. */
export function registerUsageRoutes(app: App, dependencies: RouteDependencies & { pricing: Pricing }): void {
  registerUsage(app, dependencies)
  registerStatement(app, dependencies)
  registerCollectionRoutes(app, dependencies)
}

function registerUsage(
  app: App,
  { database, clock, authentication, pricing }: RouteDependencies & { pricing: Pricing },
): void {
  const answer = async (accountId: string, { days, weeks, ...named }: Static<typeof usageQuery>) => {
    const period = periodIn(named)
    const now = clock.now()
    const usage = await readUsage(database, pricing, accountId, now)
    const { requestsPerMinute } = pricing.plans[usage.tier]
    const breakdown = days === undefined ? {} : { days: await readDailyUsage(database, { accountId, days, now }) }
    const spenders = period === null ? {} : { spenders: await spendersIn(database, accountId, period) }
    const byWeek = weeks === undefined ? {} : { weeks: await weeksOf(database, { accountId, weeks, now }) }
    return { data: { ...usage, rateLimit: { requestsPerMinute }, ...breakdown, ...byWeek, ...spenders } }
  }

  app.get('/api/v1/usage', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'readUsage',
      summary: 'Read the plan, its credits and what remains of them',
      ...shared,
      querystring: usageQuery,
      response: reading(ownUsage),
    },
    handler: async (request) => {
      const { accountId, scope } = authentication.accountOf(request)
      const { data } = await answer(accountId, request.query)
      return { data: { ...data, scope: shownScope(scope) } }
    },
  })

  app.get('/api/admin/accounts/:accountId/usage', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'readAccountUsage',
      summary: "Read an account's plan, its credits and what remains of them",
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      params: closed({ accountId: Type.String() }),
      querystring: usageQuery,
      response: reading(usageRecord, 'NOT_FOUND'),
    },
    handler: async ({ params: { accountId }, query }) => {
      await requireExisting(database, accountId)
      return answer(accountId, query)
    },
  })
}

function registerStatement(app: App, { database, authentication }: RouteDependencies): void {
  const description = 'Latest first. The balances are the sums of the changes.'
  const querystring = closed(pageParameters)
  const response = { 200: closed({ data: pageOf(entry) }), ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED') }
  app.get('/api/v1/usage/entries', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'listUsageEntries',
      summary: 'Read the statement: every movement of credits with its cause',
      ...{ description, ...shared, querystring, response },
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      return { data: await readStatement(database, { accountId, ...request.query }) }
    },
  })

  app.get('/api/admin/accounts/:accountId/usage/entries', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'listAccountUsageEntries',
      summary: "Read an account's statement: every movement of its credits, packs included",
      ...{ description, querystring, tags: ['Admin'], security: [{ adminKey: [] }] },
      params: closed({ accountId: Type.String() }),
      response: { ...response, ...errorResponses('NOT_FOUND') },
    },
    handler: async ({ params: { accountId }, query }) => {
      await requireExisting(database, accountId)
      return { data: await readStatement(database, { accountId, ...query }) }
    },
  })
}
