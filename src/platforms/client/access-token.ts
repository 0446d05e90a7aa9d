import type { Clock } from '../../runtime/clock.ts'
import { PlatformError } from '../platform.ts'

export interface AccessToken {
  value: string
  expiresAt: Date
}

export interface AccessTokens {
  /** A token that holds for a while yet. @throws what fetching one throws. */
  get(): Promise<string>
  /** The platform refused this one: the next call fetches another. A newer one stays. */
  forget(value: string): void
}

/** A token that is about to expire would be refused on its way. */
const marginMs = 60_000

/** Keeps one access token for all tasks and fetches the next one when it is due, once however many ask for it. */
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

/** Asks with a token; one that was revoked or has expired early is fetched anew, once. */
export async function withToken<Result>(
  tokens: AccessTokens,
  ask: (token: string) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    const token = await tokens.get()
    try {
      return await ask(token)
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'unauthorized') throw error
      tokens.forget(token)
      if (attempt > 0) throw error
    }
  }
}
