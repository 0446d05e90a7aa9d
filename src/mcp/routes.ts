import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createClient } from '../../client/client.ts'
import type { Authentication } from '../accounts/authentication.ts'
import { isFromElsewhere } from '../accounts/sessions/cookie.ts'
import type { App } from '../http/app-type.ts'
import { ServiceError } from '../http/errors.ts'

/** Only a name: nothing is called over the network. */
const ownAddress = 'http://wishwell.invalid'

/** A `fetch` that calls the routes of the service in this process, from the address of the caller. */
const callInProcess =
  (app: FastifyInstance, remoteAddress: string) =>
  async (request: Request, { signal }: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    const body = request.body === null ? {} : { payload: Buffer.from(await request.arrayBuffer()) }
    const { statusCode, headers, rawPayload } = await app.inject({
      method: request.method as 'GET',
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      remoteAddress,
      ...body,
      ...(signal ? { signal } : {}),
    })
    const sent = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
    return new Response(new Uint8Array(rawPayload), { status: statusCode, headers: sent })
  }

/** The key of a call: not the session of the page, which a browser sends by itself. */
function keyOf(request: FastifyRequest, authentication: Authentication): string {
  // The specification asks for it, against DNS rebinding.
  if (isFromElsewhere(request)) throw new ServiceError('FORBIDDEN', 'A page of another site made this call.')
  if (!authentication.originOf(request).startsWith('key '))
    throw new ServiceError('UNAUTHORIZED', 'MCP needs an API key: send it as "Authorization: Bearer <key>".')
  return authentication.callerOf(request).token
}

/**
 * `/mcp`: the Model Context Protocol by streamable HTTP, without sessions, so a call may reach any process of the service. Each tool calls the
 * API in this process with the key of the caller, so every rule of the API holds here.
 */
export function registerMcp(app: App, { authentication }: { authentication: Authentication }): void {
  let handler: Promise<McpHttpHandler> | null = null
  const createHandler = async () => {
    const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./server.ts'),
    ])
    return createMcpHandler(
      ({ authInfo, era }) => {
        const { scope, address } = authInfo!.extra as { scope: 'read'; address: string }
        const fetch = callInProcess(app as never, address)
        const client = createClient({ url: ownAddress, apiKey: authInfo!.token, maxRetries: 0, fetch })
        return createMcpServer(client, scope, era)
      },
      { maxSubscriptions: 100 },
    )
  }
  app.addHook('preClose', async () => (await handler)?.close())
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    schema: { hide: true },
    onRequest: authentication.requireAccountPolling,
    async handler(request, reply) {
      const token = keyOf(request, authentication)
      const { accountId, scope } = authentication.accountOf(request)
      handler ??= createHandler()
      const { method, headers, body, ip } = request
      const sent = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
      const call = new Request(`${ownAddress}/mcp`, { method, headers: sent })
      const authInfo = { token, clientId: accountId, scopes: [scope], extra: { scope, address: ip } }
      const answer = await (await handler).fetch(call, {
        authInfo,
        ...(body === undefined ? {} : { parsedBody: body }),
      })
      return reply.send(answer)
    },
  })
}
