import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Pricing } from '../../accounts/plans.ts'
import { createAccountSlots } from '../../http/account-slots.ts'
import { ServiceError } from '../../http/errors.ts'
import { createIdempotentLongCall, type LongAnswer } from '../../http/idempotency/long-call.ts'
import type { TaskChanges } from '../scraping/task-changes.ts'
import { createCallSteps, type LiveCall, type LiveSettings, type PlanDependencies, readAnswer } from './live-call.ts'
import { createTaskWatch } from './task-watch.ts'

/** Maximum concurrent live calls of a process, and of an account in it. */
const maxLiveCalls = 30
const maxLiveCallsPerAccount = 20

/** Seconds within which a live call usually answers. */
const retryAfterSeconds = 15

/** @returns a function to free the slot @throws ServiceError UNAVAILABLE (process), RATE_LIMITED `rate` (account) */
type EnterLiveCall = (accountId: string, reply: FastifyReply) => () => void

function createLiveCallSlots(): EnterLiveCall {
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

export interface LiveDependencies extends PlanDependencies {
  log: Logger
  changes: TaskChanges
  authentication: Authentication
  settings: LiveSettings
  pricing: Pricing
}

export interface Live {
  /**
   * Settles the price if an awaited collection stored a page, else releases it, even if the answer cannot be read.
   * @throws ServiceError RATE_LIMITED without credit or at the account's maximum of calls, UNAVAILABLE at the
   *   process's; CONFLICT, IDEMPOTENCY_MISMATCH with an `Idempotency-Key`
   */
  answer<Answer extends { meta: object }>(
    request: FastifyRequest,
    reply: FastifyReply,
    call: LiveCall<Answer>,
  ): Promise<LongAnswer>
  /** Makes all calls answer now with what was delivered, and waits for them, even if callers hung up. */
  stop(): Promise<void>
}

/** Aborted when the caller hangs up. */
function hangUpSignal(reply: FastifyReply): AbortSignal {
  const abort = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) abort.abort()
  })
  return abort.signal
}

/** Runs this process's live calls. */
export function createLive(dependencies: LiveDependencies): Live {
  const { database, clock, authentication } = dependencies
  const enter = createLiveCallSlots()
  const watch = createTaskWatch(dependencies)
  const stopping = new AbortController()
  const { callerOf } = authentication
  const idempotentLongCall = createIdempotentLongCall({ database, clock, callerOf })

  const run: Live['answer'] = (request, reply, call) => {
    const { accountId, keyId, keyHasBudget, personName } = authentication.accountOf(request)
    // With a key the caller can fetch the answer later, so its collection starts even after a hang-up.
    const hungUp = request.headers['idempotency-key'] === undefined ? [hangUpSignal(reply)] : []
    const gone = AbortSignal.any([stopping.signal, ...hungUp])
    const steps = createCallSteps({ ...dependencies, watch, stopping: stopping.signal }, call, {
      accountId,
      keyId,
      keyHasBudget,
      personName,
      gone,
    })
    let leave = () => {}
    return idempotentLongCall(request, reply, {
      begin: (transaction, idempotencyId) => {
        leave = enter(accountId, reply)
        return steps.begin(transaction, idempotencyId)
      },
      run: steps.run,
      answer: (effect) => readAnswer(dependencies, call, accountId, effect),
    }).finally(() => leave())
  }
  const running = new Set<Promise<unknown>>()
  return {
    answer: async (request, reply, call) => {
      const answering = run(request, reply, call)
      running.add(answering)
      return answering.finally(() => running.delete(answering))
    },
    stop: async () => {
      stopping.abort()
      while (running.size > 0) await Promise.allSettled(running)
      watch.stop()
    },
  }
}
