import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from '../database/open.ts'
import { claimPatiently, type IdempotencyDependencies, mismatch, stillRunning } from './idempotency.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import { type Call, identify, keepAnswerOf } from './store.ts'

/** A call whose effect takes longer than a transaction may, in the steps that it is made of. */
export interface LongCall {
  /** In the transaction that claims the key. @param keyId of the key's row, for the end of the call; null without a key. */
  begin(transaction: Transaction, keyId: string | null): Promise<void>
  /**
   * Does the work. The transaction that makes it final also notes the effect with the key (`noteEffect`), or frees the key
   * (`forget`) where nothing was done: nobody else does, so no failure after it can come between the two.
   * @returns the effect, as it was noted.
   */
  run(): Promise<string>
  /** Makes the answer of an effect, its own or that of an earlier call with the key that was not answered. Changes nothing. */
  answer(effect: string): Promise<unknown>
}

export interface LongAnswer {
  /** As the route's schema writes it. */
  text: string
  isReplay: boolean
}

/**
 * Runs a long call, with an `Idempotency-Key` at most once: `begin` commits with the claim of the key. Whoever repeats the call
 * while it is under way waits for it in the same process and gets a 409 in another one; who repeats it when its effect is final but
 * its answer was not made, because the process died or the answer could not be read, gets the answer made of that effect.
 * @throws ServiceError as `Idempotent` does, and whatever a step throws.
 */
export type IdempotentLongCall = (request: FastifyRequest, reply: FastifyReply, steps: LongCall) => Promise<LongAnswer>

/** As the route's schema for JSON writes it, whatever else the route can answer with. */
function toJson(reply: FastifyReply, answer: unknown): string {
  const write = reply.getSerializationFunction('200', 'application/json') as ((value: unknown) => string) | undefined
  return String(write ? write(answer) : reply.serialize(answer))
}

export function createIdempotentLongCall(dependencies: IdempotencyDependencies): IdempotentLongCall {
  const { database, clock, callerOf, waitMs = 30_000 } = dependencies
  const exclusively = createKeyedMutex()

  /** @returns what the first call with the key has done or answered; null when the call is ours to run. */
  const begin = (steps: LongCall, call: Call) =>
    database.transaction().execute(async (transaction) => {
      const kept = await claimPatiently(transaction, call, clock.now(), waitMs)
      if (kept && kept.fingerprint !== call.fingerprint) throw mismatch()
      if (kept?.answer === null && kept.effect === null) throw stillRunning()
      if (kept === null) await steps.begin(transaction, call.id)
      return kept
    })
  const answerOf = async (reply: FastifyReply, steps: LongCall, effect: string) => ({
    text: toJson(reply, await steps.answer(effect)),
    isReplay: false,
  })
  const once = async (reply: FastifyReply, steps: LongCall, call: Call): Promise<LongAnswer> => {
    const kept = await begin(steps, call)
    if (kept?.answer) return { text: kept.answer.body, isReplay: true }
    const effect = kept?.effect ?? (await steps.run())
    const own = await answerOf(reply, steps, effect)
    const answer = { status: 200, body: own.text }
    const first = await keepAnswerOf(database, { id: call.id, effect, answer })
    return first === null || first === answer ? own : { text: first.body, isReplay: true }
  }

  return async (request, reply, steps) => {
    const key = request.headers['idempotency-key']
    if (key === undefined) {
      await database.transaction().execute((transaction) => steps.begin(transaction, null))
      return answerOf(reply, steps, await steps.run())
    }
    const path = request.url.split('?', 1)[0] ?? ''
    // A call without a body is told apart by its query string.
    const content = request.body ?? request.query
    const call = identify([callerOf(request).name, request.method, path], String(key), content)
    const answer = await exclusively(call.id, waitMs, () => once(reply, steps, call))
    if (answer === 'timeout') throw stillRunning()
    return answer
  }
}
