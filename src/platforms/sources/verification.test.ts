import { describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { testClock } from '../adapters/testing.ts'
import { PlatformError, SourceRefusedError } from '../platform.ts'
import { createVerification } from './verification.ts'

// Holds (Jobs): at most 20 sources that accounts name are verified at a time, with bodies of at most 2 MB

type VerifySource = (source: string, signal: AbortSignal) => Promise<void>

function setUp(verifySource: VerifySource, limitMs = 10_000) {
  const requests: string[] = []
  const github = {
    ...scriptedPlatform('github', numberedPages(1)),
    verifySource: (source: string, signal: AbortSignal) => {
      requests.push(source)
      return verifySource(source, signal)
    },
  }
  const clock = testClock()
  const verify = createVerification({ platforms: platformMap(github), clock, limitMs })
  const named = (...sources: string[]) =>
    sources.map((source, index) => ({ platform: 'github', source, path: `sources.github[${index}]` }))
  return { clock, requests, verify: (...sources: string[]) => verify(named(...sources)) }
}

const refuse = (message: string) => Promise.reject(new SourceRefusedError(message))

describe('the verification of sources', () => {
  it('accepts what the platform accepts, and holds for some minutes', async () => {
    const { verify, requests, clock } = setUp(async () => {})
    expect(await verify('ada/engine')).toBe(null)
    expect(await verify('ada/engine', 'ada/notes')).toBe(null)
    clock.advance(5 * 60_000)
    expect(await verify('ada/engine')).toBe(null)
    expect(requests).toEqual(['ada/engine', 'ada/notes', 'ada/engine'])
  })

  it('refuses what the platform refuses, with its reason, also without another request', async () => {
    const { verify, requests } = setUp((source) =>
      source === 'ada/engine' ? Promise.resolve() : refuse('ada/secret does not exist or is private.'),
    )
    for (const _try of [1, 2]) {
      expect(await verify('ada/engine', 'ada/secret')).toMatchObject({
        code: 'INVALID_REQUEST',
        message: 'sources.github[1]: ada/secret does not exist or is private.',
        extras: { details: [{ path: 'sources.github[1]', message: 'ada/secret does not exist or is private' }] },
      })
    }
    expect(requests).toEqual(['ada/engine', 'ada/secret'])
  })

  it('reports a platform that cannot answer now, and tries it again at the next call', async () => {
    const limited = () => Promise.reject(new PlatformError('rate_limited', 'GitHub answered 429.'))
    const { verify, requests } = setUp(limited)
    for (const _try of [1, 2]) {
      expect(await verify('ada/engine')).toMatchObject({
        code: 'UNAVAILABLE',
        message: 'github cannot check ada/engine now: GitHub answered 429. Try again later.',
      })
    }
    expect(requests).toHaveLength(2)
  })

  it('reports a refusal rather than a platform that cannot answer', async () => {
    const { verify } = setUp((source) =>
      source === 'ada/secret' ? refuse('No.') : Promise.reject(new PlatformError('timeout', 'Silence.')),
    )
    expect(await verify('ada/engine', 'ada/secret')).toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('verifies all sources at once, and equal ones of different calls once', async () => {
    const gate = Promise.withResolvers<void>()
    const { verify, requests } = setUp(() => gate.promise)
    const calls = [verify('a/a', 'b/b'), verify('b/b', 'c/c')]
    await expect.poll(() => requests).toEqual(['a/a', 'b/b', 'c/c'])
    gate.resolve()
    expect(await Promise.all(calls)).toEqual([null, null])
  })

  it('gives up at its time limit, also when the platform does not', async () => {
    const { verify } = setUp(() => new Promise(() => {}), 10)
    expect(await verify('ada/engine')).toMatchObject({
      code: 'UNAVAILABLE',
      message: 'github cannot check ada/engine now: It did not answer in time. Try again later.',
    })
  })

  it('verifies at most 20 sources at a time, in the order of the calls', async () => {
    const sources = Array.from({ length: 45 }, (_, index) => `ada/${index}`)
    let open = 0
    let mostOpen = 0
    const { verify, requests } = setUp(async () => {
      open += 1
      mostOpen = Math.max(mostOpen, open)
      await new Promise(setImmediate)
      open -= 1
    })
    expect(await Promise.all([verify(...sources.slice(0, 30)), verify(...sources.slice(30))])).toEqual([null, null])
    expect(mostOpen).toBe(20)
    expect(requests).toEqual(sources)
  })

  it('bounds how many sources wait for verification', async () => {
    const gate = Promise.withResolvers<void>()
    const { verify, requests } = setUp(() => gate.promise)
    const sources = Array.from({ length: 100 }, (_, index) => `ada/${index}`)
    const call = verify(...sources)
    expect(await verify('one/more')).toMatchObject({ code: 'UNAVAILABLE' })
    gate.resolve()
    expect(await call).toBe(null)
    expect(await verify('one/more')).toBe(null)
    expect(requests).toHaveLength(101)
  })

  it('passes a fault of the adapter on', async () => {
    const { verify } = setUp(() => Promise.reject(new TypeError('a mistake')))
    await expect(verify('ada/engine')).rejects.toThrow('a mistake')
  })
})
