import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { exportJWK, exportSPKI, type GenerateKeyPairResult, generateKeyPair, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../test/free-port.ts'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { callTool, connect, sendMcp } from './mcp-testing.ts'

// Holds (MCP): an access token opens /mcp only if signed by the provider for this address, unexpired, for an existing account

const callback = 'http://127.0.0.1:1/callback'
const scopes = ['wishwell:read', 'wishwell:collect']
const server = createServer()
let issuer: string
let keys: GenerateKeyPairResult
let service: TestService

/** A provider of OpenID Connect. Who signs in by a name is the account of that name. */
async function createProvider(): Promise<Provider> {
  const key = { ...(await exportJWK(keys.privateKey)), alg: 'RS256', kid: 'test', use: 'sig' }
  const getResourceServerInfo = (_context: unknown, audience: string) => ({
    ...{ scope: scopes.join(' '), audience, accessTokenFormat: 'jwt' as const },
  })
  return new Provider(issuer, {
    jwks: { keys: [key] },
    // With it clients may refresh their tokens.
    scopes: ['openid', 'offline_access', ...scopes],
    extraTokenClaims: (_context, token) => ({ wishwell_account: (token as { accountId?: string }).accountId }),
    ttl: { Session: 300, Grant: 300, Interaction: 300, AccessToken: 300 },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo },
    },
  })
}

beforeAll(async () => {
  keys = await generateKeyPair('RS256', { extractable: true })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on('request', (await createProvider()).callback())
  const port = await freePort()
  service = await startTestService({
    platforms: platformMap(scriptedPlatform('github', numberedPages(1))),
    environment: { PORT: `${port}`, PUBLIC_URL: `http://127.0.0.1:${port}`, OIDC_ISSUER: issuer },
  })
})
afterAll(async () => {
  await service.stop()
  server.close()
})

/** A browser of one person: it keeps cookies, signs in by the account's id, and consents. @returns what the agent gets */
async function signIn(address: URL, accountId: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>()
  const open = async (url: string, form?: Record<string, string>): Promise<URLSearchParams> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
    const answer = await fetch(url, { ...sent, redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      cookies.set(name!, value!)
    }
    const location = answer.headers.get('location')
    if (location?.startsWith(callback)) return new URL(location).searchParams
    if (location) return open(new URL(location, url).href)
    const page = await answer.text()
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
    if (!action || !prompt) throw new Error(`no form: ${page.slice(0, 500)}`)
    return open(new URL(action, url).href, { prompt, login: accountId, password: 'any' })
  }
  return open(address.href)
}

interface Kept {
  client?: StoredOAuthClientInformation
  tokens?: StoredOAuthTokens
  discovery?: OAuthDiscoveryState
  verifier?: string
  address?: URL
}

/** What an agent keeps of one service. */
function createAgent() {
  const kept: Kept = {}
  const authProvider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadata: {
      client_name: 'an agent',
      redirect_uris: [callback],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    } as OAuthClientProvider['clientMetadata'],
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (address) => void Object.assign(kept, { address }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier!,
    saveDiscoveryState: (discovery) => void Object.assign(kept, { discovery }),
    discoveryState: () => kept.discovery,
  }
  const transport = () => new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { authProvider })
  return { kept, transport }
}

it('an agent finds the provider, its person signs in, and it collects as that account', async () => {
  const { accountId, client: own } = await service.createAccount('pro')
  const { kept, transport } = createAgent()
  const first = transport()
  await expect(connect(first)).rejects.toThrow(UnauthorizedError)
  await first.finishAuth(await signIn(kept.address!, accountId))
  const agent = await connect(transport())
  expect((await callTool(agent, 'overview')).structured).toMatchObject({ scope: 'collect', creditsLeft: 5_000 })
  const job = await callTool(agent, 'collect', { topic: 'dark mode', platforms: ['github'], maxCredits: 1 })
  await own.waitForJob(job.structured.jobId)
  expect((await own.get('/api/v1/usage')).body.data.credits.used).toBe(1)
})

interface Claims {
  account?: unknown
  scope?: string
  audience?: string
  issuer?: string
  expires?: string
  key?: GenerateKeyPairResult
}

/** A token as the provider makes it, but for what is given. */
const tokenOf = (claims: Claims) =>
  new SignJWT({ scope: claims.scope ?? scopes.join(' '), wishwell_account: claims.account })
    .setProtectedHeader({ alg: 'RS256', kid: 'test', typ: 'at+jwt' })
    .setSubject('somebody')
    .setIssuedAt()
    .setIssuer(claims.issuer ?? issuer)
    .setAudience(claims.audience ?? `${service.url}/mcp`)
    .setExpirationTime(claims.expires ?? '5 minutes')
    .sign((claims.key ?? keys).privateKey)

async function listTools(token: string) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const answer = await sendMcp(service.url, message, { authorization: `Bearer ${token}` })
  const text = await answer.text()
  return { status: answer.status, challenge: answer.headers.get('www-authenticate'), text }
}

it('a token that only reads lists no tool that spends', async () => {
  const { accountId } = await service.createAccount()
  const { status, text, challenge } = await listTools(await tokenOf({ account: accountId, scope: 'wishwell:read' }))
  expect([status, challenge]).toEqual([200, null])
  expect(text).toContain('"search"')
  expect(text).not.toContain('"collect"')
})

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

it('any other token is refused, and told where to get one', async () => {
  const { accountId: account } = await service.createAccount()
  const other = await generateKeyPair('RS256')
  const deleted = await service.createAccount()
  await service.clientFor(service.adminKey).send('DELETE', `/api/admin/accounts/${deleted.accountId}`, { headers: {} })
  const good = await tokenOf({ account })
  expect((await listTools(good)).status).toBe(200)
  const [, payload] = good.split('.') as [string, string, string]
  const unsigned = `${base64({ alg: 'none', kid: 'test' })}.${payload}.AAAA`
  const confused = `${base64({ alg: 'HS256', kid: 'test' })}.${payload}`
  const publicKey = await exportSPKI(keys.publicKey)
  const refused = {
    'of another key': await tokenOf({ account, key: other }),
    'for another address': await tokenOf({ account, audience: `${service.url}/other` }),
    'of another issuer': await tokenOf({ account, issuer: 'https://evil.example' }),
    expired: await tokenOf({ account, expires: '5 minutes ago' }),
    'without a scope': await tokenOf({ account, scope: 'openid wishwell:manage' }),
    'of no account': await tokenOf({ account: randomUUID() }),
    'of a deleted account': await tokenOf({ account: deleted.accountId }),
    'of a list of accounts': await tokenOf({ account: [account] }),
    'of nothing': await tokenOf({}),
    unsigned,
    'signed with the public key': `${confused}.${createHmac('sha256', publicKey).update(confused).digest('base64url')}`,
    changed: `${good.slice(0, -4)}AAAA`,
  }
  for (const [what, token] of Object.entries(refused)) {
    const { status, challenge } = await listTools(token)
    expect([what, status]).toEqual([what, 401])
    expect(challenge).toContain(`resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp"`)
  }
})

it('without a provider there is no metadata, and a token opens nothing', async () => {
  const plain = await startTestService()
  try {
    const at = (path: string, headers = {}) =>
      fetch(plain.url + path, { headers, method: path === '/mcp' ? 'POST' : 'GET' })
    expect((await at('/.well-known/oauth-protected-resource/mcp')).status).toBe(404)
    const refused = await at('/mcp', { authorization: `Bearer ${await tokenOf({ account: randomUUID() })}` })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, null])
  } finally {
    await plain.stop()
  }
})
