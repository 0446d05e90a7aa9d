import type { onRequestAsyncHookHandler } from 'fastify'
import { createAccountSlots } from '../account-slots.ts'
import { ServiceError } from '../errors.ts'
import { clientOf } from './client-address.ts'
import type { RateLimits } from './rate-limits.ts'

/** How many files an address reads at once: more than a browser's connections to one host. */
export const maxPerAddress = 12
/** A caller that reads no file in this time is gone, or wants to hold its connection. */
const readingMs = 60_000

/**
 * Guards what is served without a key, the files of the page and the documents of the API: an address may read so many in a minute, and a
 * few at once. What they cost, callers with a key do not get.
 */
export function createFileGuard({ countFile }: Pick<RateLimits, 'countFile'>): onRequestAsyncHookHandler {
  const slots = createAccountSlots({ perAccount: maxPerAddress, total: Number.POSITIVE_INFINITY })
  return async ({ ip }, reply) => {
    await countFile(ip, reply)
    const { raw } = reply
    const leave = slots.enter(clientOf(ip))
    if (typeof leave === 'string')
      throw new ServiceError('UNAVAILABLE', 'Too many files are being read at once. Try again shortly.')
    if (raw.destroyed) return leave()
    const timer = setTimeout(() => raw.destroy(), readingMs).unref()
    raw.once('close', () => {
      clearTimeout(timer)
      leave()
    })
  }
}
