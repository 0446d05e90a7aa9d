import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { notFound, ServiceError } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { closed, errorResponses } from '../../http/schemas.ts'
import { type Followers, maxStreamsPerAccount } from './followers.ts'

export interface EventDependencies {
  authentication: Authentication
  followers: Followers
}

const eventsDescription = `Each event has an \`id\`. A reader that reconnects with it as \`Last-Event-ID\` continues after it, in any
process of the service. Figures of a platform may be skipped for a slow or disconnected reader, a change of state never is.

- \`platform\`: \`{platform, state, pages, requestsFound, requestsCreated, waitingUntil, error}\`, for each platform at first and then
  whenever it changes; \`error\` is null or \`{code, message}\`.
- \`end\`: the job as polling returns it; then the stream ends. A reader that reconnects after that gets a 204.

A comment comes every 15 seconds. A stream without an \`end\` ended because the service is stopping, or after 15 minutes: reconnect.
An account may have ${maxStreamsPerAccount} streams open in each process. The call is counted with the polls.`

const retryAfterSeconds = 10
const tooManyStreams = () =>
  new ServiceError(
    'RATE_LIMITED',
    `Too many open event streams (${maxStreamsPerAccount} per account). Close one, or poll the job.`,
    { reason: 'rate' },
  )

/** Registers a job's server-sent events; ends all streams before the service closes. */
export function registerEventRoute(app: App, { authentication, followers }: EventDependencies): void {
  app.addHook('preClose', async () => followers.stop())
  app.get('/api/v1/scrape/:jobId/events', {
    onRequest: authentication.requireAccountPolling,
    // A HEAD request would open a stream without a reader.
    exposeHeadRoute: false,
    schema: {
      operationId: 'followScrapeJob',
      summary: 'Follow a scrape job (server-sent events)',
      description: eventsDescription,
      tags: ['Scraping'],
      security: [{ apiKey: [] }],
      params: closed({ jobId: Type.String() }),
      headers: Type.Object({
        'last-event-id': Type.Optional(
          Type.String({ maxLength: 1_000, description: 'The id of the last event that was received' }),
        ),
      }),
      response: {
        200: {
          description: 'The events',
          content: { 'text/event-stream': { schema: Type.Unsafe<unknown>({ type: 'string' }) } },
        },
        204: { type: 'null', description: 'The end was sent before: no event follows' },
        ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
      },
    },
    handler: async (request, reply) => {
      const { accountId } = authentication.accountOf(request)
      const { jobId } = request.params
      const lastEventId = request.headers['last-event-id'] || null
      const stream = isId(jobId) ? await followers.follow(accountId, jobId, lastEventId) : 'not found'
      if (stream === 'not found') throw notFound('Scrape job')
      if (stream === 'too many') {
        reply.header('retry-after', retryAfterSeconds)
        throw tooManyStreams()
      }
      reply.header('cache-control', 'no-store')
      if (stream === 'ended') return reply.status(204).send(null)
      return reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8').send(stream)
    },
  })
}
