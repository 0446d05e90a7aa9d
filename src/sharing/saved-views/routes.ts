import { Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import { deleteOwned, listOwned } from '../../accounts/owned.ts'
import type { App } from '../../http/app-type.ts'
import type { Account } from '../../http/callers.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { named } from '../../http/openapi-components.ts'
import { pageOf, pageOfShort, pageParameters } from '../../http/pagination.ts'
import { changing, closed, moment, nullable, optional, reading, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { checkView, givenView, type ListView, listView } from '../pages/view.ts'
import { changeSavedView, createSavedView, maxSavedViews, type SavedView } from './saved-views.ts'

const content = {
  name: trimmedText(1, 80, 'What the account calls it; no other of its saved views has the name'),
  view: listView,
  periodDays: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: 3_650,
        description:
          'Instead of `since` and `until`, which stay the days that they are: the last so many days, today included, whenever it is opened',
      }),
    ),
  ),
}

const savedView = closed(
  {
    viewId: Type.String(),
    name: Type.String(),
    view: givenView,
    periodDays: nullable(Type.Integer({ description: 'It begins so many days before it is opened, today included' })),
    createdAt: moment('When it was made'),
    updatedAt: moment('When it last changed'),
  },
  named('SavedView'),
)

const savedViewAnswer = savedView
const viewPath = closed({ viewId: Type.String() })
const shared = { tags: ['Views'], security: [{ apiKey: [] }] }

/** Registers an account's routes for named lists of wishes. */
export function registerSavedViewRoutes(app: App, dependencies: RouteDependencies): void {
  registerList(app, dependencies)
  registerCreate(app, dependencies)
  registerChange(app, dependencies)
  registerDelete(app, dependencies)
}

const describeView = ({ id, name, view, period_days, created_at, updated_at }: SavedView) => ({
  viewId: id,
  name,
  view,
  periodDays: period_days,
  createdAt: created_at.toISOString(),
  updatedAt: updated_at.toISOString(),
})

/** @throws ServiceError INVALID_REQUEST for a view that can never be read, or with two start dates. */
function checkContent(view: ListView, periodDays: number | null, account: Account): void {
  checkView(view, account)
  const { since, until } = view.filters ?? {}
  if (periodDays !== null && (since !== undefined || until !== undefined))
    throw invalidField('periodDays', 'is not for a view with since or until')
}

function registerList(app: App, { database, authentication }: RouteDependencies): void {
  app.get('/api/v1/views', {
    onRequest: authentication.requireAccount,
    schema: {
      operationId: 'listViews',
      summary: "List the account's saved views",
      description: 'The oldest first.',
      ...shared,
      querystring: closed(pageParameters),
      response: reading(pageOf(savedView)),
    },
    handler: async (request) => {
      const views = await listOwned(database, 'saved_views', authentication.accountOf(request).accountId)
      const positionOf = ({ created_at: createdAt, id }: SavedView) => `${createdAt.toISOString()} ${id}`
      const { results, ...page } = pageOfShort(views, request.query, { list: 'views', positionOf })
      return { data: { results: results.map(describeView), ...page } }
    },
  })
}

function registerCreate(app: App, { clock, authentication, idempotent }: RouteDependencies): void {
  app.post('/api/v1/views', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'createView',
      summary: 'Save a list of wishes under a name',
      description:
        'Free. What it lists is what the account sees when it is opened. ' +
        `An account has at most ${maxSavedViews} saved views, each with a name of its own; anything else is a 409.`,
      ...shared,
      headers: idempotencyHeaders,
      body: closed(content),
      response: changing(savedViewAnswer, ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const account = authentication.accountOf(request)
      const { name, view, periodDays = null } = request.body
      checkContent(view, periodDays, account)
      return idempotent(request, reply, async (transaction) => {
        const made = { name, view, periodDays }
        return { data: describeView(await createSavedView(transaction, account.accountId, made, clock.now())) }
      })
    },
  })
}

function registerChange(app: App, { database, clock, authentication }: RouteDependencies): void {
  app.patch('/api/v1/views/:viewId', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'changeView',
      summary: 'Rename a saved view, or change what it lists',
      description: 'What is not given stays.',
      ...shared,
      params: viewPath,
      body: closed(optional(content), { minProperties: 1 }),
      response: changing(savedViewAnswer, 'NOT_FOUND', 'CONFLICT'),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      const { accountId } = account
      const { viewId } = request.params
      const changed = await database.transaction().execute((transaction) =>
        changeSavedView(
          transaction,
          { accountId, viewId },
          (known) => {
            const next = { ...known, ...request.body }
            checkContent(next.view as ListView, next.periodDays, account)
            return next
          },
          clock.now(),
        ),
      )
      return { data: describeView(changed) }
    },
  })
}

function registerDelete(app: App, { database, authentication }: RouteDependencies): void {
  app.delete('/api/v1/views/:viewId', {
    onRequest: authentication.requireCollect,
    schema: {
      operationId: 'deleteView',
      summary: 'Delete a saved view',
      ...shared,
      params: viewPath,
      response: changing(viewPath, 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { viewId } = request.params
      const { accountId } = authentication.accountOf(request)
      await deleteOwned(database, 'saved_views', { accountId, id: viewId })
      return { data: { viewId: viewId.toLowerCase() } }
    },
  })
}
