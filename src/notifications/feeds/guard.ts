import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../http/errors.ts'
import { createSlidingLog } from '../../http/rate-limits/limiter.ts'
import { clientOf } from '../../http/rate-limits/rate-limits.ts'
import type { Clock } from '../../runtime/clock.ts'

/** Reads in a minute: readers ask a few times an hour, and services read the feeds of many people from one address. */
export const feedLimits = { ofFeed: 20, ofAddress: 120 }

const maxKeys = 10_000

/** Bounds how often feeds are read in this process, apart from the limits of accounts. */
export function createFeedGuard(clock: Clock) {
  const feeds = createSlidingLog({ clock, maxKeys })
  const addresses = createSlidingLog({ clock, maxKeys })
  /** @throws ServiceError RATE_LIMITED when the feed or the address was read too often in the last minute. */
  return async (feedId: string, address: string, reply: FastifyReply): Promise<void> => {
    const verdicts = [
      await addresses.take(clientOf(address), feedLimits.ofAddress),
      await feeds.take(feedId, feedLimits.ofFeed),
    ]
    const refused = verdicts.find(({ accepted }) => !accepted)
    if (refused === undefined) return
    const seconds = Math.ceil(refused.msUntilMore / 1000)
    reply.header('retry-after', seconds)
    throw new ServiceError('RATE_LIMITED', `The feed is read too often. Try again in ${seconds} s.`, { reason: 'rate' })
  }
}
