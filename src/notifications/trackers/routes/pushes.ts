import { Type } from 'typebox'
import type { App } from '../../../http/app-type.ts'
import { pageOf, pageParameters } from '../../../http/pagination.ts'
import { changing, closed, reading } from '../../../http/schemas.ts'
import { wishPath } from '../../../wishes/members.ts'
import { readDrafts } from '../drafts.ts'
import { describePush, findPush, listPushes, maxPushesOfDay, pushWish, undoPush } from '../store/pushes.ts'
import {
  newPush,
  push,
  pushAnswer,
  pushPath,
  pushWithDrafts,
  type TrackerRouteDependencies,
  trackerTags,
} from './schemas.ts'

function registerMake(app: App, { database, clock, authentication }: TrackerRouteDependencies) {
  app.post(
    '/api/v1/wishes/:wishId/pushes',
    {
      onRequest: authentication.requireManage,
      schema: {
        operationId: 'pushWish',
        summary: 'Push a wish to a tracker as an issue, once',
        description: `Free. A wish that was pushed there already has that push; one that failed, was undone or is gone is pushed again. An account pushes at
most ${maxPushesOfDay} wishes in 24 hours; one more is a 409. The issue has what a share shows, and the number of imported asks.`,
        ...trackerTags,
        params: wishPath,
        body: newPush,
        response: changing(pushAnswer, 'NOT_FOUND', 'CONFLICT'),
      },
    },
    async (request) => {
      const account = authentication.accountOf(request)
      const made = {
        wishId: request.params.wishId.toLowerCase(),
        trackerId: request.body.trackerId,
        madeBy: authentication.originOf(request),
        now: clock.now(),
      }
      const row = await database.transaction().execute((transaction) => pushWish(transaction, account, made))
      return { data: describePush(row) }
    },
  )
}

function registerList(app: App, { database, authentication }: TrackerRouteDependencies) {
  app.get('/api/v1/pushes', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'listPushes',
      summary: "List the account's pushes, of a wish or of all",
      description: 'The last made first. A wish has those of what was merged into it.',
      ...trackerTags,
      querystring: closed({ wishId: Type.Optional(Type.String()), ...pageParameters }),
      response: reading(pageOf(push), 'SCOPE_EXCEEDED'),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      return { data: await listPushes(database, account, request.query) }
    },
  })
}

function registerRead(app: App, { database, clock, authentication }: TrackerRouteDependencies) {
  app.get('/api/v1/pushes/:pushId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'readPush',
      summary: 'Read a push, with what to tell those who asked',
      description:
        '`drafts` has a text for each public request, for a person to copy and send there. It is never sent.',
      ...trackerTags,
      params: pushPath,
      response: reading(pushWithDrafts, 'SCOPE_EXCEEDED', 'NOT_FOUND'),
    },
    handler: async (request) => {
      const account = authentication.accountOf(request)
      const row = await findPush(database, account.accountId, request.params.pushId)
      return { data: { ...describePush(row), drafts: await readDrafts(database, row, clock.now()) } }
    },
  })
}

function registerUndo(app: App, { database, clock, authentication }: TrackerRouteDependencies) {
  app.delete('/api/v1/pushes/:pushId', {
    onRequest: authentication.requireManage,
    schema: {
      operationId: 'undoPush',
      summary: 'Take a push back',
      description:
        'What waits is not sent. An issue is closed, or deleted in Linear and Jira: `undoing` until that is done.',
      ...trackerTags,
      params: pushPath,
      response: reading(pushAnswer, 'SCOPE_EXCEEDED', 'NOT_FOUND'),
    },
    handler: async (request) => {
      const { accountId } = authentication.accountOf(request)
      const undone = { accountId, pushId: request.params.pushId, now: clock.now() }
      const row = await database.transaction().execute((transaction) => undoPush(transaction, undone))
      return { data: describePush(row) }
    },
  })
}

/** Registers the routes that push wishes and report the results. */
export function registerPushRoutes(app: App, dependencies: TrackerRouteDependencies): void {
  registerMake(app, dependencies)
  registerList(app, dependencies)
  registerRead(app, dependencies)
  registerUndo(app, dependencies)
}
