import type { Clock } from '../../runtime/clock.ts'
import { PlatformError } from '../platform.ts'

export interface AccessToken {
  value: string
  expiresAt: Date
}

export interface AccessTokens {
  /** A token valid for at least a minute. @throws the error of fetching one */
  get(): Promise<string>
  /** Drops a refused token, so that the next call fetches another; keeps a newer one. */
  forget(value: string): void
}

/** A token about to expire could be refused on arrival. */
const marginMs = 60_000

/** Caches one access token for all tasks; concurrent callers share one fetch. */
export function createAccessTokens(clock: Clock, fetchToken: () => Promise<AccessToken>): AccessTokens {
  let current: AccessToken | null = null
  let fetching: Promise<AccessToken> | null = null

  return {
    async get() {
      if (current && current.expiresAt.getTime() - marginMs > clock.now().getTime()) return current.value
      fetching ??= fetchToken().finally(() => {
        fetching = null
      })
      current = await fetching
      return current.value
    },
    forget(value) {
      if (current?.value === value) current = null
    },
  }
}

/** Sends a request with a token; on a refusal, once more with a new token. */
export async function withToken<Result>(
  tokens: AccessTokens,
  send: (token: string) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    const token = await tokens.get()
    try {
      return await send(token)
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'unauthorized') throw error
      tokens.forget(token)
      if (attempt > 0) throw error
    }
  }
}
