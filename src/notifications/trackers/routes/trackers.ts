import { listOwned } from '../../../accounts/owned.ts'
import type { Transaction } from '../../../database/open.ts'
import type { App } from '../../../http/app-type.ts'
import { ServiceError } from '../../../http/errors.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../../http/idempotency/idempotency.ts'
import { pageOfShort, pageParameters } from '../../../http/pagination.ts'
import { changing, closed, reading } from '../../../http/schemas.ts'
import { UnreadableSecretError } from '../../../http/secrets/secrets.ts'
import { invalidField } from '../../../http/validation.ts'
import {
  addTracker,
  changeTracker,
  deleteTracker,
  describeTracker,
  findTracker,
  maxTrackers,
  openTracker,
  type SealedTracker,
  type TrackerRow,
} from '../store/trackers.ts'
import type { PreparedTracker, TrackerAdapter, TrackerFields } from '../tracker.ts'
import {
  madeTracker,
  newTracker,
  type TrackerRouteDependencies,
  trackerAnswer,
  trackerChanges,
  trackerIdAnswer,
  trackerList,
  trackerPath,
  trackerTags,
} from './schemas.ts'

const checkMs = 15_000

function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  throw error
}

/** Checks a tracker's fields by calling it. @throws ServiceError INVALID_REQUEST */
async function prepare(adapter: TrackerAdapter, fields: TrackerFields): Promise<PreparedTracker<unknown>> {
  const given = Object.keys(fields) as (keyof TrackerFields)[]
  const unused = given.find((field) => !adapter.fields.includes(field))
  if (unused !== undefined) throw invalidField(unused, 'is not used by this type')
  return adapter.prepare(fields, AbortSignal.timeout(checkMs))
}

function registerMake(app: App, { clock, trackers, secrets, authentication, idempotent }: TrackerRouteDependencies) {
  app.post('/api/v1/trackers', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'createTracker',
      summary: 'Make a tracker: where wishes can be pushed as issues',
      description: `Free. It is called once, and a mistake is a 400. An account has at most ${maxTrackers}; one more is a 409.`,
      ...trackerTags,
      headers: idempotencyHeaders,
      body: newTracker,
      response: changing(madeTracker, 'NOT_FOUND', ...idempotencyErrors),
    },
    handler: async (request, reply) => {
      const { accountId, keyId } = authentication.accountOf(request)
      const { type, name, ...fields } = request.body
      // Outside the transaction, as it calls the tracker. Errors wait: a repeated call gets the first answer.
      const prepared = await prepare(trackers.get(type)!, fields).catch(refusalOf)
      const make = async (transaction: Transaction) => {
        if (prepared instanceof ServiceError) throw prepared
        const { config, hint, secret } = prepared
        const owner = { accountId, keyId, now: clock.now() }
        const row = await addTracker(
          transaction,
          secrets,
          { type, name, hint: hint.slice(0, 200), config, fields },
          owner,
        )
        return { data: { ...describeTracker(row, owner.now), ...(secret === undefined ? {} : { secret }) } }
      }
      return idempotent(request, reply, make, { secretAnswer: true })
    },
  })
}

function registerList(app: App, { database, clock, authentication }: TrackerRouteDependencies) {
  app.get('/api/v1/trackers', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'listTrackers',
      summary: "List the account's trackers",
      description: 'The first made first. Tokens are never shown.',
      ...trackerTags,
      querystring: closed(pageParameters),
      response: reading(trackerList, 'SCOPE_EXCEEDED'),
    },
    handler: async (request) => {
      const rows = await listOwned(database, 'trackers', authentication.accountOf(request).accountId)
      const positionOf = ({ created_at: createdAt, id }: TrackerRow) => `${createdAt.toISOString()} ${id}`
      const { results, ...page } = pageOfShort(rows, request.query, { list: 'trackers', positionOf })
      return { data: { results: results.map((row) => describeTracker(row, clock.now())), ...page } }
    },
  })
}

/** Checks a new token like the first. @throws ServiceError INVALID_REQUEST; CONFLICT if its config cannot be opened. */
async function withToken(
  { trackers, secrets }: TrackerRouteDependencies,
  row: TrackerRow,
  token: string,
): Promise<SealedTracker> {
  try {
    const fields = { ...openTracker(secrets, row).fields, token }
    const { config } = await prepare(trackers.get(row.type)!, fields)
    return { config, fields }
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    throw new ServiceError('CONFLICT', 'What the tracker holds cannot be opened any more: make a new tracker.')
  }
}

function registerChange(app: App, dependencies: TrackerRouteDependencies) {
  const { database, clock, secrets, authentication } = dependencies
  app.patch('/api/v1/trackers/:trackerId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'changeTracker',
      summary: 'Change the name of a tracker, or its token',
      description: 'What waits is tried at once. Another project is another tracker.',
      ...trackerTags,
      params: trackerPath,
      body: trackerChanges,
      response: changing(trackerAnswer, 'NOT_FOUND', 'CONFLICT'),
    },
    handler: async (request) => {
      const { accountId, keyId } = authentication.accountOf(request)
      const { name, token } = request.body
      const row = await findTracker(database, accountId, request.params.trackerId)
      const sealed = token === undefined ? undefined : await withToken(dependencies, row, token)
      const owner = { accountId, keyId, now: clock.now() }
      const changed = await database
        .transaction()
        .execute((transaction) => changeTracker(transaction, secrets, row.id, { name, sealed }, owner))
      return { data: describeTracker(changed, owner.now) }
    },
  })
}

function registerDelete(app: App, { database, authentication }: TrackerRouteDependencies) {
  app.delete('/api/v1/trackers/:trackerId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'deleteTracker',
      summary: 'Delete a tracker with its pushes',
      description:
        'What waits is not sent. The issues stay; what was pushed is forgotten, so pushing it again makes another.',
      ...trackerTags,
      params: trackerPath,
      response: reading(trackerIdAnswer, 'SCOPE_EXCEEDED', 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { trackerId } = request.params
      await database.transaction().execute((transaction) => deleteTracker(transaction, accountId, trackerId))
      return { data: { trackerId: trackerId.toLowerCase() } }
    },
  })
}

/** Registers the routes for an account's trackers. */
export function registerTrackerRoutes(app: App, dependencies: TrackerRouteDependencies): void {
  registerMake(app, dependencies)
  registerList(app, dependencies)
  registerChange(app, dependencies)
  registerDelete(app, dependencies)
}
