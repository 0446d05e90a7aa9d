import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createAccessTokens } from './access-tokens.ts'

// Holds (MCP): a weak or broken provider key opens nothing, and valid ones keep working

const pairOf = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength })
const [good, weak] = [pairOf(2_048), pairOf(1_024)]
const curve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
const jwkOf = ({ publicKey }: { publicKey: KeyObject }, more: object) => ({
  ...publicKey.export({ format: 'jwk' }),
  ...more,
})

let answer: { status: number; body: unknown }
const server = createServer((request, response) => {
  const { status, body } = request.url!.endsWith('/keys')
    ? answer
    : { status: 200, body: { issuer, jwks_uri: `${issuer}/keys` } }
  if (status === 0) return response.destroy()
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
let issuer: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  answer = { status: 200, body: { keys: [] } }
})
afterAll(() => server.close())

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token for this service, signed with a key of RSA. */
function tokenOf({ privateKey }: { privateKey: KeyObject }, header: object): string {
  const claims = { iss: issuer, aud: 'https://w.example/mcp', sub: 'ada', scope: 'wishwell:read', account: 'a1' }
  const signed = `${base64({ alg: 'RS256', ...header })}.${base64({ ...claims, exp: Math.floor(Date.now() / 1000) + 60 })}`
  return `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`
}

/** What a fresh service reads of a token, with these keys of the provider. */
function read(token: string, keys: unknown[]) {
  answer.body = { keys }
  return createAccessTokens({ issuer, accountClaim: 'account', resource: 'https://w.example/mcp' })(token)
}

const claims = { accountId: 'a1', scope: 'read', subject: 'ada' }

it.each<[string, () => object]>([
  ['a key of RSA that is too short', () => jwkOf(weak, { kid: 'one', alg: 'RS256' })],
  ['a key that says no algorithm and is too short', () => jwkOf(weak, { kid: 'one' })],
  ['a key of an unknown kind', () => ({ kty: 'XYZ', kid: 'one' })],
  ['a key without a kind', () => ({ kid: 'one' })],
  ['a secret', () => ({ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'RS256' })],
  ['a key of a curve that is not used', () => jwkOf(curve, { kid: 'one', alg: 'ES256' })],
  ['a key of RSA without numbers', () => ({ kty: 'RSA', kid: 'one', alg: 'RS256' })],
  ['a key of RSA with what is no number', () => ({ kty: 'RSA', n: '!', e: 'AQAB', kid: 'one', alg: 'RS256' })],
  ['a key of RSA with the number 0', () => ({ kty: 'RSA', n: 'AA', e: 'AQAB', kid: 'one', alg: 'RS256' })],
  ['a private key', () => ({ ...good.privateKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' })],
])('%s opens nothing, and a good one beside it does', async (_what, broken) => {
  for (const signer of [weak, good]) expect(await read(tokenOf(signer, { kid: 'one' }), [broken()])).toBeNull()
  const both = [broken(), jwkOf(good, { kid: 'two' })]
  expect(await read(tokenOf(weak, { kid: 'one' }), both)).toBeNull()
  expect(await read(tokenOf(good, { kid: 'two' }), both)).toEqual(claims)
})

it('a token that names no key is read by whichever of several keys signed it', async () => {
  const keys = [jwkOf(weak, { kid: 'one' }), jwkOf(pairOf(2_048), { kid: 'two' }), jwkOf(good, { kid: 'three' })]
  expect(await read(tokenOf(good, {}), keys)).toEqual(claims)
  expect(await read(tokenOf(weak, {}), keys)).toBeNull()
})

it.each([
  [0, {}],
  [500, {}],
])('a provider that gives no keys (%d, %j) is away', async (status, body) => {
  const token = tokenOf(good, { kid: 'one' })
  const reading = createAccessTokens({ issuer, accountClaim: 'account', resource: 'https://w.example/mcp' })
  answer = { status, body }
  await expect(reading(token)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  answer = { status: 200, body: { keys: [jwkOf(good, { kid: 'one' })] } }
  expect(await reading(token)).toEqual(claims)
})
