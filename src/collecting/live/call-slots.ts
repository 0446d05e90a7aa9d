import type { FastifyReply } from 'fastify'
import { createAccountSlots } from '../../http/account-slots.ts'
import { ServiceError } from '../../http/errors.ts'

/** Live calls that a process runs at the same time, and of these those of one account. */
export const maxLiveCalls = 30
export const maxLiveCallsPerAccount = 20

/** In seconds. By then a live call has usually answered. */
const retryAfterSeconds = 15

/**
 * Takes a slot for a live call.
 * @returns the function that gives it back; calling it again changes nothing.
 * @throws ServiceError UNAVAILABLE when the process is at capacity, RATE_LIMITED (reason `rate`) when the account is.
 */
export type EnterLiveCall = (accountId: string, reply: FastifyReply) => () => void

export function createLiveCallSlots(): EnterLiveCall {
  const slots = createAccountSlots({ perAccount: maxLiveCallsPerAccount, total: maxLiveCalls })
  return (accountId, reply) => {
    const leave = slots.enter(accountId)
    if (leave === 'process is full') {
      throw new ServiceError(
        'UNAVAILABLE',
        'Too many searches collect live at this moment. Try again in a few seconds.',
      )
    }
    if (leave === 'account is full') {
      reply.header('retry-after', retryAfterSeconds)
      throw new ServiceError(
        'RATE_LIMITED',
        `Too many calls that collect live at the same time (${maxLiveCallsPerAccount} per account). Wait for one of them.`,
        { reason: 'rate' },
      )
    }
    return leave
  }
}
