import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from '../../database/open.ts'
import { claimWithin, createKeyedMutex, type IdempotencyDependencies, mismatch, stillRunning } from './idempotency.ts'
import { type Call, identify, storeAnswerOfEffect } from './store.ts'

/** Steps of a call whose effect outlasts a transaction. */
interface LongCall {
  /** Runs in the transaction that claims the key. @param keyId id of the key's row; null without a key */
  begin(transaction: Transaction, keyId: string | null): Promise<void>
  /**
   * Does the work. Its final transaction must store the effect with the key (`noteEffect`), or without one free it
   * (`forget`).
   * @returns the effect as stored
   */
  run(): Promise<string>
  /** Builds the answer from this or an earlier unanswered call's effect. Read-only. */
  answer(effect: string): Promise<unknown>
}

export interface LongAnswer {
  /** Serialized by the route's schema. */
  text: string
  isReplay: boolean
}

/**
 * Runs a long call at most once per `Idempotency-Key`: `begin` commits with the key's claim. A repeat waits in this
 * process, or gets a 409 in another; a stored effect without an answer gets one.
 * @throws ServiceError as `Idempotent`, or of a step
 */
export type IdempotentLongCall = (request: FastifyRequest, reply: FastifyReply, steps: LongCall) => Promise<LongAnswer>

/** Uses the route's JSON schema, even if it has other content types. */
function toJson(reply: FastifyReply, answer: unknown): string {
  const write = reply.getSerializationFunction('200', 'application/json') as ((value: unknown) => string) | undefined
  return String(write ? write(answer) : reply.serialize(answer))
}

export function createIdempotentLongCall(dependencies: IdempotencyDependencies): IdempotentLongCall {
  const { database, clock, callerOf, waitMs = 30_000 } = dependencies
  const runExclusively = createKeyedMutex()

  /** @returns the first call's stored state; null if this call claimed the key */
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
    // Without a body, the query string distinguishes calls.
    const content = request.body ?? request.query
    const call = identify([callerOf(request).name, request.method, path], String(key), content)
    const answer = await runExclusively(call.id, waitMs, () => once(reply, steps, call))
    if (answer === 'timeout') throw stillRunning()
    return answer
  }
}
