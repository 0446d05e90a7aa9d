import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Logger } from 'pino'
import { createClient } from '../../client/client.ts'
import type { Authentication } from '../accounts/authentication.ts'
import { tokenScopes } from '../accounts/oidc/access-tokens.ts'
import type { OidcConfig } from '../accounts/oidc/settings.ts'
import { isFromElsewhere } from '../accounts/sessions/cookie.ts'
import type { App } from '../http/app-type.ts'
import { ServiceError } from '../http/errors.ts'

interface McpDependencies {
  authentication: Authentication
  /** Null without an OpenID Connect provider. */
  oidc: OidcConfig | null
  log: Logger
  /** Counts calls that need no key. */
  guardFiles: onRequestAsyncHookHandler
}

/** Only a name: nothing goes over the network. */
const ownAddress = 'http://wishwell.invalid'

/** A `fetch` that calls this process's routes, from the caller's address. */
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

/** Refuses the page's session, which browsers send automatically. */
function requireKey(request: FastifyRequest, authentication: Authentication): void {
  // Required by the specification, against DNS rebinding.
  if (isFromElsewhere(request)) throw new ServiceError('FORBIDDEN', 'A page of another site made this call.')
  if (authentication.originOf(request).startsWith('session '))
    throw new ServiceError('UNAUTHORIZED', 'MCP needs an API key: send it as "Authorization: Bearer <key>".')
}

/** Names the provider of tokens for `/mcp` (RFC 9728), as MCP requires. @returns a refusal's header that leads there */
function registerMetadata(app: App, { issuer, resource }: OidcConfig, onRequest: onRequestAsyncHookHandler): string {
  const { origin, pathname } = new URL(resource)
  const path = '/.well-known/oauth-protected-resource'
  const metadata = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: tokenScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Wishwell',
  }
  for (const url of [path, path + pathname, `${path}${pathname}/`])
    app.get(url, { schema: { hide: true }, onRequest }, () => metadata)
  return `Bearer resource_metadata="${origin}${path}${pathname}", scope="${tokenScopes.join(' ')}"`
}

/** `/mcp`, without sessions. Tools call the API in this process with the caller's key, so all its rules apply. */
export function registerMcp(app: App, { authentication, oidc, log, guardFiles }: McpDependencies): void {
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
        const onError = (error: unknown) => log.error({ err: error }, 'a tool of /mcp failed')
        return createMcpServer({ client, scope, onError }, era)
      },
      // This server has no changes to announce.
      { maxSubscriptions: 0, onerror: (error) => log.debug({ err: error }, 'a call of /mcp was refused') },
    )
  }
  const challenge = oidc === null ? null : registerMetadata(app, oidc, guardFiles)
  app.addHook('preClose', async () => (await handler)?.close())
  // Addresses are often pasted with a trailing slash.
  for (const url of ['/mcp', '/mcp/'])
    app.route({
      method: ['GET', 'HEAD', 'POST', 'DELETE'],
      url,
      schema: { hide: true },
      async onRequest(request, reply) {
        try {
          await authentication.requireAccountPolling(request, reply)
          requireKey(request, authentication)
        } catch (error) {
          const isUnauthorized = error instanceof ServiceError && error.code === 'UNAUTHORIZED'
          if (challenge !== null && isUnauthorized) reply.header('www-authenticate', challenge)
          throw error
        }
      },
      async handler(request, reply) {
        if (request.method === 'HEAD') return reply.code(405).header('allow', 'POST').send()
        const { token } = authentication.callerOf(request)
        const { accountId, scope } = authentication.accountOf(request)
        // A batch would count many calls as one; the specification dropped batches on 2025-06-18.
        if (Array.isArray(request.body))
          throw new ServiceError('INVALID_REQUEST', 'body: must be one message, not a batch.')
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
