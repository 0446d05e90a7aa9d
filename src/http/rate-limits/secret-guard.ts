import type { FastifyReply } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'
import { ServiceError } from '../errors.ts'
import { createSlidingLog } from './limiter.ts'
import { clientOf } from './rate-limits.ts'

interface SecretLimits {
  /** Reads of one secret address per minute. */
  ofOne: number
  /** Reads per client address and minute. */
  ofAddress: number
  /** What is read, for the error, e.g. a feed. */
  what: string
}

const maxKeys = 10_000

/** Limits, per process, reads that need only the secret in their address, apart from account limits. */
export function createSecretGuard(clock: Clock, { ofOne, ofAddress, what }: SecretLimits) {
  const read = createSlidingLog({ clock, maxKeys })
  const addresses = createSlidingLog({ clock, maxKeys })
  /** @throws ServiceError RATE_LIMITED after too many reads in a minute, of this id or by this address */
  return async (id: string, address: string, reply: FastifyReply): Promise<void> => {
    const verdicts = [await addresses.take(clientOf(address), ofAddress), await read.take(id, ofOne)]
    const refused = verdicts.find(({ accepted }) => !accepted)
    if (refused === undefined) return
    const seconds = Math.ceil(refused.msUntilMore / 1000)
    reply.header('retry-after', seconds)
    const message = `The ${what} is read too often. Try again in ${seconds} s.`
    throw new ServiceError('RATE_LIMITED', message, { reason: 'rate' })
  }
}
