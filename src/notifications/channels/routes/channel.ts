import type { App } from '../../../http/app-type.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../../http/idempotency/idempotency.ts'
import { bodyErrors, errorResponses } from '../../../http/schemas.ts'
import { changeChannel, enableChannel, removeChannel } from '../channels.ts'
import { readChannel } from '../store/channels.ts'
import { testChannel } from '../test-channel.ts'
import { type ChannelRouteDependencies, channelTags } from './dependencies.ts'
import { channelAnswer, channelChanges, channelIdAnswer, channelPath, testAnswer } from './schemas.ts'

/** The routes of one channel. */
export function registerChannelRoutesOfOne(app: App, dependencies: ChannelRouteDependencies): void {
  registerRead(app, dependencies)
  registerChange(app, dependencies)
  registerDelete(app, dependencies)
  registerEnable(app, dependencies)
  registerTest(app, dependencies)
}

const pathErrors = ['INVALID_REQUEST', 'UNAUTHORIZED', 'SCOPE_EXCEEDED', 'NOT_FOUND'] as const

function registerRead(app: App, { database, secrets, authentication }: ChannelRouteDependencies): void {
  app.get(
    '/api/v1/channels/:channelId',
    {
      onRequest: authentication.requireManage,
      schema: {
        operationId: 'readChannel',
        summary: 'Read a channel',
        ...channelTags,
        params: channelPath,
        response: { 200: channelAnswer, ...errorResponses(...pathErrors) },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      return { data: await readChannel(database, accountId, request.params.channelId, secrets) }
    },
  )
}

function registerChange(app: App, { database, clock, secrets, authentication }: ChannelRouteDependencies): void {
  app.patch(
    '/api/v1/channels/:channelId',
    {
      onRequest: authentication.requireManage,
      schema: {
        operationId: 'changeChannel',
        summary: 'Change what a channel is told, and when',
        description: 'What is not given stays. The address cannot be changed: another address is another channel.',
        ...channelTags,
        params: channelPath,
        body: channelChanges,
        response: { 200: channelAnswer, ...errorResponses(...bodyErrors, 'SCOPE_EXCEEDED', 'NOT_FOUND') },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { channelId } = request.params
      const changes = request.body
      return database.transaction().execute(async (transaction) => {
        await changeChannel(transaction, { accountId, channelId, changes, now: clock.now() })
        return { data: await readChannel(transaction, accountId, channelId, secrets) }
      })
    },
  )
}

function registerDelete(app: App, { database, clock, adapters, authentication }: ChannelRouteDependencies): void {
  app.delete(
    '/api/v1/channels/:channelId',
    {
      onRequest: authentication.requireManage,
      schema: {
        operationId: 'deleteChannel',
        summary: 'Delete a channel with its log',
        description: 'What is pending on it is not sent. Watches that named it do not name it any more.',
        ...channelTags,
        params: channelPath,
        response: { 200: channelIdAnswer, ...errorResponses(...pathErrors) },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      const { channelId } = request.params
      await database
        .transaction()
        .execute((transaction) => removeChannel(transaction, adapters, { accountId, channelId, now: clock.now() }))
      return { data: { channelId } }
    },
  )
}

function registerEnable(app: App, dependencies: ChannelRouteDependencies): void {
  const { authentication, idempotent } = dependencies
  app.post(
    '/api/v1/channels/:channelId/enable',
    {
      onRequest: authentication.requireManage,
      schema: {
        operationId: 'enableChannel',
        summary: 'Have a disabled channel deliver again',
        description:
          'It begins with what happens from now on; what it missed can be replayed. An active channel stays as it is. A mail address that unsubscribed ' +
          'or bounced must be confirmed again.',
        ...channelTags,
        params: channelPath,
        headers: idempotencyHeaders,
        response: { 200: channelAnswer, ...errorResponses(...pathErrors, ...idempotencyErrors) },
      },
    },
    async (request, reply) => {
      const { accountId } = authentication.accountOf(request)
      const { channelId } = request.params
      return idempotent(request, reply, async (transaction) => {
        await enableChannel(transaction, dependencies, { accountId, channelId, now: dependencies.clock.now() })
        return { data: await readChannel(transaction, accountId, channelId, dependencies.secrets) }
      })
    },
  )
}

function registerTest(app: App, dependencies: ChannelRouteDependencies): void {
  const { authentication } = dependencies
  app.post(
    '/api/v1/channels/:channelId/test',
    {
      onRequest: authentication.requireManage,
      schema: {
        operationId: 'testChannel',
        summary: 'Send a test on a channel at once, and say what came of it',
        description: 'Also on a disabled channel. It is tried once, and the log has it.',
        ...channelTags,
        params: channelPath,
        response: { 200: testAnswer, ...errorResponses(...pathErrors, 'CONFLICT') },
      },
    },
    async (request) => {
      const { accountId } = authentication.accountOf(request)
      return { data: await testChannel(dependencies, { accountId, channelId: request.params.channelId }) }
    },
  )
}
