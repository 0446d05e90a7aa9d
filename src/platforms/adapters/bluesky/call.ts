import type { Clock } from '../../../runtime/clock.ts'
import type { Budget } from '../../budget/budget.ts'
import { type AccessTokens, withToken } from '../../client/access-token.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { PlatformError } from '../../platform.ts'
import { blueskyError, correctBlueskyBudget } from './session.ts'

export interface Bluesky {
  clock: Clock
  call: CallBluesky
}

export interface BlueskyCallOptions {
  client: PlatformClient
  clock: Clock
  serverUrl: string
  budget: Budget
  /** Null without credentials. */
  tokens: AccessTokens | null
}

export type CallBluesky = (
  method: string,
  parameters: Record<string, string | number> | [string, string][],
  signal: AbortSignal,
) => Promise<Answer>

export function createBlueskyCall({ client, clock, serverUrl, budget, tokens }: BlueskyCallOptions): CallBluesky {
  return async (method, parameters, signal) => {
    if (!tokens) throw withoutCredentials()
    const url = endpointUrl(serverUrl, `/xrpc/${method}`, Array.isArray(parameters) ? {} : parameters)
    if (Array.isArray(parameters)) for (const [name, value] of parameters) url.searchParams.append(name, value)
    return withToken(tokens, (token) =>
      client.getJson({
        platform: 'bluesky',
        url,
        headers: { authorization: `Bearer ${token}` },
        budget,
        signal,
        readLimits: (answer) => correctBlueskyBudget(budget, answer, clock.now()),
        readError: (answer) => blueskyError(answer, clock.now()),
      }),
    )
  }
}

export const withoutCredentials = () =>
  new PlatformError('not_configured', 'bluesky needs BLUESKY_HANDLE and BLUESKY_APP_PASSWORD.')
