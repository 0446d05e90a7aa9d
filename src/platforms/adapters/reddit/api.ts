import type { Clock } from '../../../runtime/clock.ts'
import type { OpenBudget } from '../../budget/budget.ts'
import { createAccessTokens, withToken } from '../../client/access-token.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import { PlatformError } from '../../platform.ts'
import { correctRedditBudget, redditError } from './errors.ts'
import { createRedditTokens, redditAgentPrefix } from './token.ts'

export interface RedditApiOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** `https://oauth.reddit.com`. */
  baseUrl: string
  tokenUrl: string
  clientId?: string | undefined
  clientSecret?: string | undefined
}

export interface RedditRequest {
  path: string
  parameters: Record<string, string>
  /** The community that is queried, such as `r/obsidianmd`; null for all. */
  community: string | null
  signal: AbortSignal
}

/**
 * Sends one request as the application. @returns the JSON body.
 * @throws SourceRefusedError when the community is not public, PlatformError `not_configured` without an application.
 */
export type RedditApi = (request: RedditRequest) => Promise<unknown>

/** 100 requests a minute for each application, averaged over ten minutes (support.reddithelp.com 16160319875092). */
const window = { limit: 1_000, windowMs: 600_000 }

export function createRedditApi(options: RedditApiOptions): RedditApi {
  const { client, clock, openBudget, baseUrl, tokenUrl, clientId, clientSecret } = options
  const budget = openBudget({ name: new URL(baseUrl).host, windows: [window], concurrency: 1 })
  const credentials = clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret }
  const tokens = credentials
    ? createAccessTokens(clock, createRedditTokens({ client, clock, openBudget, tokenUrl, ...credentials }))
    : null

  return async ({ path, parameters, community, signal }) => {
    if (!tokens) {
      throw new PlatformError('not_configured', 'reddit needs REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET.')
    }
    const { body } = await withToken(tokens, (token) =>
      client.getJson({
        platform: 'reddit',
        // Without `raw_json` the characters `&`, `<` and `>` come escaped.
        url: endpointUrl(baseUrl, path, { ...parameters, raw_json: '1' }),
        headers: { authorization: `Bearer ${token}` },
        agentPrefix: redditAgentPrefix(clientId),
        budget,
        signal,
        readLimits: (answer) => correctRedditBudget(budget, answer, clock.now()),
        readError: (answer) => redditError(answer, clock.now(), community),
      }),
    )
    return body
  }
}
