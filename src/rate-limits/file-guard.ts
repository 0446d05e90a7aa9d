import type { onRequestAsyncHookHandler } from 'fastify'
import { createAccountSlots } from '../http/account-slots.ts'
import { ServiceError } from '../http/errors.ts'
import type { RateLimits } from './rate-limits.ts'

/** How many files an address reads at once: more than a browser's connections to one host. */
export const maxPerAddress = 12
const maxTotal = 200

/**
 * Guards what is served without a key, the files of the page and the documents of the API: an address may read so many in a minute, and a
 * few at once. What they cost, callers with a key do not get.
 */
export function createFileGuard({ countFile }: Pick<RateLimits, 'countFile'>): onRequestAsyncHookHandler {
  const slots = createAccountSlots({ perAccount: maxPerAddress, total: maxTotal })
  return async (request, reply) => {
    await countFile(request.ip, reply)
    const leave = slots.enter(request.ip)
    if (typeof leave === 'string')
      throw new ServiceError('UNAVAILABLE', 'Too many files are being read at once. Try again shortly.')
    reply.raw.once('close', leave)
  }
}
