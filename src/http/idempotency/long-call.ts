import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from '../../database/open.ts'
import { claimWithin, createKeyedMutex, type IdempotencyDependencies, mismatch, stillRunning } from './idempotency.ts'
import { type Call, identify, storeAnswerOfEffect } from './store.ts'

/** The steps of a call whose effect takes longer than a transaction may. */
interface LongCall {
  /** Runs in the transaction that claims the key. @param keyId the id of the key's row, for the end of the call; null without a key. */
  begin(transaction: Transaction, keyId: string | null): Promise<void>
  /**
   * Does the work. The transaction that makes it final must also store the effect with the key (`noteEffect`), or free the
   * key (`forget`) if there is no effect. So no failure can separate the two.
   * @returns the effect as stored.
   */
  run(): Promise<string>
  /** Makes the answer of an effect: its own, or that of an earlier call with the key that was not answered. It only reads. */
  answer(effect: string): Promise<unknown>
}

export interface LongAnswer {
  /** As serialized by the route's schema. */
  text: string
  isReplay: boolean
}

/**
 * Runs a long call, with an `Idempotency-Key` at most once: `begin` commits with the claim of the key. A repeated call waits for
 * the first one in the same process, and gets a 409 in another. If the effect is final but its answer was not made, because
 * the process died or reading failed, a repeated call gets the answer made of that effect.
 * @throws ServiceError as `Idempotent` does, and any error of a step.
 */
export type IdempotentLongCall = (request: FastifyRequest, reply: FastifyReply, steps: LongCall) => Promise<LongAnswer>

/** Serializes by the route's schema for JSON, also when the route has other content types. */
function toJson(reply: FastifyReply, answer: unknown): string {
  const write = reply.getSerializationFunction('200', 'application/json') as ((value: unknown) => string) | undefined
  return String(write ? write(answer) : reply.serialize(answer))
}

export function createIdempotentLongCall(dependencies: IdempotencyDependencies): IdempotentLongCall {
  const { database, clock, callerOf, waitMs = 30_000 } = dependencies
  const runExclusively = createKeyedMutex()

  /** @returns the stored state of the first call with the key; null when this call has claimed it. */
  const begin = (steps: LongCall, call: Call) =>
    database.transaction().execute(async (transaction) => {
      const first = await claimWithin(transaction, call, clock.now(), waitMs)
      if (first && first.fingerprint !== call.fingerprint) throw mismatch()
      if (first?.answer === null && first.effect === null) throw stillRunning()
      if (first === null) await steps.begin(transaction, call.id)
      return first
    })
  const answerOf = async (reply: FastifyReply, steps: LongCall, effect: string) => ({
    text: toJson(reply, await steps.answer(effect)),
    isReplay: false,
  })
  const once = async (reply: FastifyReply, steps: LongCall, call: Call): Promise<LongAnswer> => {
    const first = await begin(steps, call)
    if (first?.answer) return { text: first.answer.body, isReplay: true }
    const effect = first?.effect ?? (await steps.run())
    const own = await answerOf(reply, steps, effect)
    const answer = { status: 200, body: own.text }
    const stored = await storeAnswerOfEffect(database, { id: call.id, effect, answer })
    return stored === null || stored === answer ? own : { text: stored.body, isReplay: true }
  }

  return async (request, reply, steps) => {
    const key = request.headers['idempotency-key']
    if (key === undefined) {
      await database.transaction().execute((transaction) => steps.begin(transaction, null))
      return answerOf(reply, steps, await steps.run())
    }
    const path = request.url.split('?', 1)[0] ?? ''
    // Calls without a body are distinguished by their query string.
    const content = request.body ?? request.query
    const call = identify([callerOf(request).name, request.method, path], String(key), content)
    const answer = await runExclusively(call.id, waitMs, () => once(reply, steps, call))
    if (answer === 'timeout') throw stillRunning()
    return answer
  }
}
