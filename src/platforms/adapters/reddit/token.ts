import type { AccessToken } from '../../client/access-token.ts'
import { after } from '../../client/headers.ts'
import { asFields, asInteger, asString } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { PlatformError } from '../../platform.ts'
import { redditError } from './errors.ts'

export interface RedditTokenOptions extends AdapterDependencies {
  tokenUrl: string
  clientId: string
  clientSecret: string
}

/** Of requests without a token, a minute; one token lasts for an hour or a day. */
const tokenRequestsPerMinute = 10
const usualLifetimeSeconds = 3_600

/**
 * Reddit wants `<platform>:<app ID>:<version string> (by /u/<name>)` and forbids a false one
 * (support.reddithelp.com 16160319875092). This makes `server:<client id>:Wishwell/<version> (+<address>; …)`: the account of
 * the operator is not configured, so the address of the project replaces it.
 */
export function redditAgentPrefix(clientId: string | undefined): string {
  return /^[\w-]{1,100}$/.test(clientId ?? '') ? `server:${clientId}:` : ''
}

/** Fetches access tokens for the application alone, `grant_type=client_credentials` (RFC 6749, section 4.4). */
export function createRedditTokens(options: RedditTokenOptions): () => Promise<AccessToken> {
  const { client, clock, openBudget, tokenUrl, clientId, clientSecret } = options
  const url = new URL(tokenUrl)
  const windows = [{ limit: tokenRequestsPerMinute, windowMs: 60_000 }]
  const budget = openBudget({ name: `${url.host} (tokens)`, windows, concurrency: 1 })
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')

  return async () => {
    const { body } = await client.getJson({
      platform: 'reddit',
      url,
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
      agentPrefix: redditAgentPrefix(clientId),
      budget,
      // All tasks wait for the same token, so none of them cancels it; the client's deadline ends it.
      signal: new AbortController().signal,
      label: 'reddit (token)',
      readError: (answer) => redditError(answer, clock.now()),
    })
    const value = asString(asFields(body)?.access_token)
    // A value that cannot be sent in a header is no token.
    if (value === null || !/^[\x21-\x7e]{1,8000}$/.test(value)) {
      throw new PlatformError('bad_response', 'reddit gave no access token. Check REDDIT_TOKEN_URL.')
    }
    const lifetimeSeconds = asInteger(asFields(body)?.expires_in) ?? 0
    return {
      value,
      expiresAt: after(clock.now(), (lifetimeSeconds > 0 ? lifetimeSeconds : usualLifetimeSeconds) * 1000),
    }
  }
}
