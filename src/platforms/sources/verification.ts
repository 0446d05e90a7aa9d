import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../http/errors.ts'
import { invalidField } from '../../http/validation.ts'
import { unlessAborted } from '../../runtime/abort.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createSlots, type EnterSlot } from '../budget/slots.ts'
import { PlatformError, type PlatformsByName, SourceRefusedError } from '../platform.ts'
import type { NamedSource } from './named-sources.ts'

const defaultLimitMs = 10_000
/** How long a verdict is valid. */
const verdictMs = 5 * 60_000
const maxVerdicts = 5_000
/** Maximum sources a process has to verify, running and waiting. */
const maxUnderWay = 100
/** Maximum parallel verifications: each is a request to a host that an account chose. */
const maxAtOnce = 20

/** Why a source is refused; null if it is public. */
type Verdict = string | null

export interface VerificationDependencies {
  platforms: PlatformsByName
  clock: Clock
  limitMs?: number
}

/**
 * Checks that sources exist and are public, 20 at a time; equal ones share a request.
 * @returns null, or the first error by source order: INVALID_REQUEST if refused, UNAVAILABLE after 10 s
 */
export type VerifySources = (sources: readonly NamedSource[]) => Promise<ServiceError | null>

export function createVerification(dependencies: VerificationDependencies): VerifySources {
  const { clock } = dependencies
  const verdicts = new LRUCache<string, { verdict: Verdict; until: number }>({ max: maxVerdicts })
  const underWay = new Map<string, Promise<Verdict>>()
  const enterSlot = createSlots(maxAtOnce, maxUnderWay)

  const verdictOf = (named: NamedSource): Promise<Verdict> => {
    const key = `${named.platform} ${named.source}`
    const known = verdicts.get(key)
    if (known && known.until > clock.now().getTime()) return Promise.resolve(known.verdict)
    const joined = underWay.get(key)
    if (joined) return joined
    if (underWay.size >= maxUnderWay) throw new PlatformError('unavailable', 'Too many sources are being checked.')
    const requested = request(named, dependencies, enterSlot)
      .then((verdict) => {
        verdicts.set(key, { verdict, until: clock.now().getTime() + verdictMs })
        return verdict
      })
      .finally(() => underWay.delete(key))
    underWay.set(key, requested)
    return requested
  }

  const check = async (named: NamedSource): Promise<ServiceError | null> => {
    try {
      const refusal = await verdictOf(named)
      return refusal === null ? null : invalidField(named.path, refusal.replace(/\.$/, ''))
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      const message = `${named.platform} cannot check ${named.source} now: ${error.message} Try again later.`
      return new ServiceError('UNAVAILABLE', message, { details: [{ path: named.path, message: error.message }] })
    }
  }

  return async (sources) => {
    const errors = await Promise.all(sources.map(check))
    const isRefusal = (error: ServiceError | null) => error?.code === 'INVALID_REQUEST'
    return errors.find(isRefusal) ?? errors.find((error) => error !== null) ?? null
  }
}

/** @throws PlatformError if it is unclear now whether the source is public */
async function request(
  { platform, source }: NamedSource,
  { platforms, limitMs = defaultLimitMs }: VerificationDependencies,
  enterSlot: EnterSlot,
): Promise<Verdict> {
  const adapter = platforms.get(platform)
  const verify = adapter?.verifySource
  if (!verify) throw new Error(`${platform} has sources but cannot verify one`)
  const signal = AbortSignal.timeout(limitMs)
  try {
    const leave = await enterSlot(signal)
    // The slot stays taken until the request ends, even if nobody waits anymore.
    const verified = (async () => verify.call(adapter, source, signal))().finally(() => leave?.())
    await unlessAborted(verified, signal)
    return null
  } catch (error) {
    if (error instanceof SourceRefusedError) return error.message
    throw signal.aborted ? new PlatformError('timeout', 'It did not answer in time.') : error
  }
}
