import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app-type.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { pageParameters } from '../../http/pagination.ts'
import { closed, errorResponses, oneOf, reading, usage } from '../../http/schemas.ts'
import { requestRecord } from '../../requests/record.ts'
import { realtimeMeta } from '../../search/live-collection.ts'

// The API of RequestHunt's public clients: its MCP server 1.2.2 (ReScienceLab/requesthunt-mcp-server), and the Python
// scripts in ReScienceLab/opc-skills until March 2026. Their base address becomes <address>/compat/requesthunt.

const prefix = '/compat/requesthunt'

/** RequestHunt groups topics into categories; here, one has all. */
const category = { name: 'All topics', slug: 'all-topics' }
/** RequestHunt's own board, from which nothing here comes. */
const ownPlatform = 'requesthunt'

/** Calls whose answers need conversion; all others pass to `/api/v1` unchanged. */
const mapped = [`${prefix}/api/v1/requests`, `${prefix}/api/v1/topics`]

/** The address that routes a call. */
export function rewriteRequestHunt({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const path = url.split('?', 1)[0] as string
  return url.startsWith(`${prefix}/api/v1/`) && !mapped.includes(path) ? url.slice(prefix.length) : url
}

const tags = ['Compatibility']
const security = [{ apiKey: [] }]

const listQuery = closed({
  topic: Type.Optional(Type.String({ maxLength: 500, description: 'A topic, as `GET /topics` says it' })),
  category: Type.Optional(
    Type.String({
      maxLength: 500,
      description: `The name or the slug of a category. There is one, \`${category.slug}\`; any other one has no requests`,
    }),
  ),
  platforms: Type.Optional(Type.String({ maxLength: 500, description: 'Comma list' })),
  sortBy: Type.Optional(oneOf(['new', 'top'], { description: 'Newest or most voted first' })),
  source: Type.Optional(oneOf(['cached', 'realtime'], { description: 'As in `GET /api/v1/requests`' })),
  ...pageParameters,
})

interface ListQuery {
  topic?: string
  category?: string
  platforms?: string
  sortBy?: string
  source?: string
  limit: number
  cursor?: string
}

/** The query string for `GET /api/v1/requests`; null if nothing can match. */
function listQueryOf(query: ListQuery): URLSearchParams | null {
  const { category: wanted, platforms, limit, ...rest } = query
  if (wanted !== undefined && wanted !== category.name && wanted !== category.slug) return null
  const parameters = new URLSearchParams({ limit: String(limit) })
  for (const [name, value] of Object.entries(rest)) parameters.set(name, value)
  if (platforms === undefined) return parameters
  const others = platforms.split(',').filter((name) => name.trim() !== ownPlatform)
  if (others.length === 0) return null
  parameters.set('platforms', others.join(','))
  return parameters
}

/** Headers of the connection, or computed separately for the inner and outer answer. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'date',
  'keep-alive',
])
/** Request headers to drop: forwarded addresses are already resolved, and the inner answer must be plain JSON. */
const outerHeaders = new Set([
  ...connectionHeaders,
  'host',
  'accept-encoding',
  'x-forwarded-for',
  'forwarded',
  'if-none-match',
])

/** Calls `/api/v1` for the caller of another route, whose answer gets its status and headers. */
async function callInner(app: App, request: FastifyRequest, reply: FastifyReply, url: string) {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name, value]) => value !== undefined && !outerHeaders.has(name)),
  )
  const answer = await app.inject({ method: 'GET', url, headers, remoteAddress: request.ip })
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !connectionHeaders.has(name)) reply.header(name, value)
  }
  reply.code(answer.statusCode)
  return { isRefused: answer.statusCode !== 200, body: answer.json() }
}

/** Registers `GET /requests` and `GET /topics` in RequestHunt's form. */
export function registerRequestHunt(app: App): void {
  registerRequests(app)
  registerTopics(app)
}

const listedRequest = closed({
  ...requestRecord.properties,
  category: Type.String({ description: 'The one category' }),
})

function registerRequests(app: App): void {
  app.get(`${prefix}/api/v1/requests`, {
    schema: {
      operationId: 'listRequestsOfRequestHunt',
      summary: 'List the cached requests, in the form of RequestHunt',
      description: 'As `GET /api/v1/requests`, with an array in `data`.',
      tags,
      security,
      headers: idempotencyHeaders,
      querystring: listQuery,
      response: {
        200: closed({
          data: Type.Array(listedRequest),
          meta: closed({
            ...Type.Partial(realtimeMeta).properties,
            hasMore: Type.Boolean(),
            cursor: Type.Union([Type.String(), Type.Null()]),
          }),
          usage,
        }),
        ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', ...idempotencyErrors),
      },
    },
    handler: async (request, reply) => {
      const query = listQueryOf(request.query)
      // Needed even if nothing can match: it checks the key, counts the call and reads the credits.
      const inner = query ?? new URLSearchParams({ limit: '1' })
      const { isRefused, body } = await callInner(app, request, reply, `/api/v1/requests?${inner}`)
      if (isRefused) return body
      const { results, hasMore, cursor } = query === null ? { results: [], hasMore: false, cursor: null } : body.data
      return {
        data: results.map((record: object) => ({ ...record, category: category.slug })),
        meta: { ...body.meta, hasMore, cursor },
        usage: body.usage,
      }
    },
  })
}

function registerTopics(app: App): void {
  app.get(`${prefix}/api/v1/topics`, {
    schema: {
      operationId: 'listTopicsOfRequestHunt',
      summary: 'List the topics, in the form of RequestHunt',
      description: `The 100 topics that were collected last, in one category. As \`GET /api/v1/topics\`, which has all of them.`,
      tags,
      security,
      querystring: closed({}),
      response: reading(
        Type.Array(
          closed({
            name: Type.String(),
            slug: Type.String(),
            topics: Type.Array(Type.String(), { description: 'What `topic` of a list takes' }),
          }),
        ),
      ),
    },
    handler: async (request, reply) => {
      const { isRefused, body } = await callInner(app, request, reply, '/api/v1/topics?limit=100')
      if (isRefused) return body
      return { data: [{ ...category, topics: body.data.results.map(({ topic }: { topic: string }) => topic) }] }
    },
  })
}
