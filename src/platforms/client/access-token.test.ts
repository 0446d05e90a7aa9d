import { describe, expect, it } from 'vitest'
import { testClock } from '../adapters/testing.ts'
import { PlatformError } from '../platform.ts'
import { createAccessTokens, withToken } from './access-token.ts'

/** Tokens `token 1`, `token 2`, … that hold for an hour. */
function numberedTokens() {
  const clock = testClock()
  let fetched = 0
  const tokens = createAccessTokens(clock, async () => ({
    value: `token ${++fetched}`,
    expiresAt: new Date(clock.now().getTime() + 3_600_000),
  }))
  return { tokens, fetched: () => fetched }
}
const refusal = new PlatformError('unauthorized', 'Refused.')

describe('an access token', () => {
  it('that worked and is refused later is fetched anew once, and the request succeeds', async () => {
    const { tokens, fetched } = numberedTokens()
    const revoked = new Set<string>()
    const ask = async (token: string) => {
      if (revoked.has(token)) throw refusal
      return token
    }
    expect(await withToken(tokens, ask)).toBe('token 1')
    revoked.add('token 1')
    expect(await withToken(tokens, ask)).toBe('token 2')
    expect(fetched()).toBe(2)
  })

  it('that is refused late, after another was fetched, does not take the newer one with it', async () => {
    const { tokens, fetched } = numberedTokens()
    const late = Promise.withResolvers<never>()
    const asked: string[] = []
    const slow = withToken(tokens, (token) => {
      asked.push(token)
      return asked.length === 1 ? late.promise : Promise.resolve(token)
    })
    const quick = await withToken(tokens, async (token) => {
      if (token === 'token 1') throw refusal
      return token
    })
    expect(quick).toBe('token 2')
    late.reject(refusal)
    expect(await slow).toBe('token 2')
    expect(asked).toEqual(['token 1', 'token 2'])
    expect(fetched()).toBe(2)
  })
})
