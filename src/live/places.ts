import type { FastifyReply } from 'fastify'
import { ServiceError } from '../http/errors.ts'

/** Live calls that a process holds at the same time, and of these those of one account. */
export const maxLiveCalls = 30
export const maxLiveCallsPerAccount = 20

const busy = () =>
  new ServiceError('UNAVAILABLE', 'Too many searches collect live at this moment. Try again in a few seconds.')
/** In seconds: by then one of them has answered. */
const retryAfterSeconds = 15
const tooMany = () =>
  new ServiceError(
    'RATE_LIMITED',
    `Too many calls that collect live at the same time (${maxLiveCallsPerAccount} per account). Wait for one of them.`,
    { reason: 'rate' },
  )

/**
 * Takes a place for a live call.
 * @returns the function that gives it back; calling it again changes nothing.
 * @throws ServiceError UNAVAILABLE when the process is full, RATE_LIMITED (reason `rate`) when the account has its fill.
 */
export type EnterLiveCall = (accountId: string, reply: FastifyReply) => () => void

export function createLivePlaces(): EnterLiveCall {
  const counts = new Map<string, number>()
  let total = 0
  return (accountId, reply) => {
    const count = counts.get(accountId) ?? 0
    if (count >= maxLiveCallsPerAccount) {
      reply.header('retry-after', retryAfterSeconds)
      throw tooMany()
    }
    if (total >= maxLiveCalls) throw busy()
    counts.set(accountId, count + 1)
    total += 1
    let left = false
    return () => {
      if (left) return
      left = true
      total -= 1
      const rest = (counts.get(accountId) ?? 1) - 1
      if (rest === 0) counts.delete(accountId)
      else counts.set(accountId, rest)
    }
  }
}
