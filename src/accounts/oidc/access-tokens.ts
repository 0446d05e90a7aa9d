import type { FetchImplementation, JWTPayload, JWTVerifyGetKey } from 'jose'
import { type KeyScope, keyScopes } from '../../database/column-types.ts'
import { ServiceError } from '../../http/errors.ts'
import { isProtected, type OidcConfig } from './settings.ts'

/** Scopes of tokens: those of keys after `wishwell:`. No token manages an account. */
export const tokenScopes = ['wishwell:read', 'wishwell:collect'] as const

export interface TokenClaims {
  accountId: string
  scope: KeyScope
  /** The provider's id of the person. */
  subject: string
}

/** @returns null for an invalid token, or another service's @throws ServiceError UNAVAILABLE without the provider */
export type ReadAccessToken = (token: string) => Promise<TokenClaims | null>

/** RFC 8725: only algorithms with public keys. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const timeoutMs = 5_000
const pauseMs = 10_000

/** Three base64url parts, like an access token (RFC 9068) and unlike an API key. */
export const isAccessToken = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)

/** Distinct from a broken key's error, also a `TypeError`. */
class ProviderAwayError extends Error {}

/** A provider's key set (OpenID Connect Discovery 1.0, section 4). */
async function discoverKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })
  const document = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown }
  if (document.issuer !== issuer) throw new Error(`${address} is of another issuer`)
  const keysAddress = new URL(String(document.jwks_uri))
  if (!isProtected(keysAddress)) throw new Error(`${address} names keys without TLS`)
  const { createRemoteJWKSet, customFetch } = await import('jose')
  const fetchKeys: FetchImplementation = (url, options) =>
    fetch(url, options).catch((cause: Error) => {
      throw cause.name === 'TimeoutError' ? cause : new ProviderAwayError(cause.message, { cause })
    })
  return createRemoteJWKSet(keysAddress, { timeoutDuration: timeoutMs, [customFetch]: fetchKeys })
}

function claimsOf(payload: JWTPayload, accountClaim: string): TokenClaims | null {
  const { [accountClaim]: accountId, scope: text, sub: subject } = payload
  const granted = typeof text === 'string' ? text.split(' ') : []
  const scope = keyScopes.findLast(
    (name) => tokenScopes.includes(`wishwell:${name}` as never) && granted.includes(`wishwell:${name}`),
  )
  if (typeof accountId !== 'string' || scope === undefined || subject === undefined) return null
  return { accountId, scope, subject }
}

/** Reads a provider's tokens (RFC 9068); fetches its keys with the first one and caches them. */
export function createAccessTokens({ issuer, accountClaim, resource }: OidcConfig): ReadAccessToken {
  let keys: Promise<JWTVerifyGetKey> | null = null
  const keysOf = () => {
    keys ??= discoverKeys(issuer)
    keys.catch(() => {
      setTimeout(() => {
        keys = null
      }, pauseMs).unref()
    })
    return keys
  }
  return async (token) => {
    // Loaded on first use.
    const { decodeJwt, errors, jwtVerify } = await import('jose')
    const options = { issuer, audience: resource, algorithms, clockTolerance: 30, requiredClaims: ['exp'] }
    const isAway = (error: unknown) =>
      error instanceof ProviderAwayError ||
      error instanceof errors.JWKSTimeout ||
      (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
    const away = () => new ServiceError('UNAVAILABLE', 'The provider of access tokens does not answer.')
    try {
      if (decodeJwt(token).iss !== issuer) return null
    } catch {
      return null
    }
    const found = await keysOf().catch(() => null)
    if (found === null) throw away()
    try {
      return claimsOf((await jwtVerify(token, found, options)).payload, accountClaim)
    } catch (error) {
      if (isAway(error)) throw away()
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return null
      // The token names no key, so try all.
      for await (const key of error) {
        const verified = await jwtVerify(token, key, options).catch(() => null)
        if (verified !== null) return claimsOf(verified.payload, accountClaim)
      }
      return null
    }
  }
}
