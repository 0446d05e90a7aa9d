import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { version } from '../runtime/version.ts'

const ownKeywords = ['x-trim', 'x-synonyms', 'x-words']

function withoutOwnKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwnKeywords)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      ownKeywords.includes(key) ? [] : [[key, withoutOwnKeywords(inner)]],
    ),
  )
}

const text = (description: string) => ({ type: 'string', description })
const limitHeaders = {
  'RateLimit-Policy': text('The limit that the call counts towards: `"default";q=120;w=60` is 120 in any 60 seconds'),
  RateLimit: text('What is left of it: `"default";r=118;t=60` is 118 more calls, and more in 60 seconds'),
}
const retryHeader = {
  'Retry-After': { type: 'integer', description: 'With reason `rate`: seconds until the next call is accepted' },
}

const replayHeader = {
  'Idempotent-Replayed': text('`true` where this is the first answer again, to the same call with the same key'),
}

/** Headers of answers by status, for rate limits and `Idempotency-Key` routes. */
function headersOf({ security, headers }: FastifySchema, status: string): object {
  const isLimited = security?.some((scheme) => 'apiKey' in scheme) ?? false
  const { properties } = (headers ?? {}) as { properties?: object }
  const takesIdempotencyKey = properties !== undefined && 'idempotency-key' in properties
  return {
    ...(isLimited && status !== '401' ? limitHeaders : {}),
    ...(security && status === '429' ? retryHeader : {}),
    ...(takesIdempotencyKey && status === '200' ? replayHeader : {}),
  }
}

/** Adds answer headers to a schema. They are set centrally, so no route declares them. */
function withHeaders(schema: FastifySchema): FastifySchema {
  const responses = Object.entries((schema.response ?? {}) as Record<string, object>).map(([status, response]) => {
    const headers = headersOf(schema, status)
    return [status, Object.keys(headers).length > 0 ? { ...response, headers } : response]
  })
  return schema.response ? { ...schema, response: Object.fromEntries(responses) } : schema
}

/** Routes with a key also accept a session of the same account or operator. */
const withSessions = (schema: FastifySchema): FastifySchema =>
  schema.security?.some((scheme) => 'apiKey' in scheme || 'adminKey' in scheme)
    ? { ...schema, security: [...schema.security, { session: [] }] }
    : schema

/** `/openapi.json` without the routes' schemas. */
export const openApiDocument: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Wishwell',
      description:
        'Collects feature requests from public platforms, lets people search them, and meters live collection.\n\n' +
        'A plan limits the requests of an account in any 60 seconds: `RateLimit-Policy` states the limit, `RateLimit` ' +
        'what is left. A refused request (429 with reason `rate`) does not count; its `Retry-After` says when to try ' +
        'again. Polls of a job have a limit of their own.',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
    },
    tags: [
      { name: 'Scraping' },
      { name: 'Requests' },
      { name: 'Topics' },
      { name: 'Wishes' },
      { name: 'Watches' },
      { name: 'News' },
      { name: 'Channels' },
      { name: 'Pushes' },
      { name: 'Feeds' },
      { name: 'Views' },
      { name: 'Shares' },
      { name: 'Briefs' },
      { name: 'Feedback' },
      { name: 'Platforms' },
      { name: 'Usage' },
      { name: 'Keys' },
      { name: 'Compatibility' },
      { name: 'Admin' },
      { name: 'Session' },
      { name: 'Service' },
    ],
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: "An account's API key, ww_live_…" },
        adminKey: { type: 'http', scheme: 'bearer', description: 'The admin key of this installation' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'ww_session',
          description:
            'The dashboard, signed in with POST /api/session as an account or the operator. Calls that are not GET or HEAD, and those with ' +
            '`source=realtime`, need its `csrfToken` in the header `X-CSRF-Token`. An Authorization header takes precedence.',
        },
      },
    },
  },
  transform: ({ schema, url }) => ({
    schema: withoutOwnKeywords(withSessions(withHeaders(schema))) as typeof schema,
    url,
  }),
}
