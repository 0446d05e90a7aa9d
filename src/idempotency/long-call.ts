import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from '../database/open.ts'
import { claimPatiently, type IdempotencyDependencies, mismatch, stillRunning } from './idempotency.ts'
import { type Call, forget, identify, keep } from './store.ts'
import { createTurns } from './turns.ts'

/** A call whose effect takes longer than a transaction may, in the steps that it is made of. */
export interface LongCall {
  /** In the transaction that claims the key. @param keyId of the key's row, to free it after a crash; null without a key. */
  begin(transaction: Transaction, keyId: string | null): Promise<void>
  /** Between the two transactions. */
  run(): Promise<void>
  /**
   * In the transaction that keeps the answer.
   * @returns the answer, and whether the call was still under way: the key of one that was given up may be another's by now.
   */
  end(transaction: Transaction): Promise<{ answer: unknown; isOurs: boolean }>
  /**
   * Takes back what `begin` did, when `run` or `end` has failed; the key is free again in the same transaction.
   * @returns whether the call was still under way; else its key is left alone.
   */
  undo(transaction: Transaction): Promise<boolean>
}

export interface LongAnswer {
  /** As the route's schema writes it. */
  text: string
  isReplay: boolean
}

/**
 * Runs a long call, with an `Idempotency-Key` at most once: `begin` commits with the claim of the key, `end` with the answer.
 * Whoever repeats the call while it is under way waits for it in the same process and gets a 409 in another one.
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
  const inTurn = createTurns()

  async function runSteps(reply: FastifyReply, steps: LongCall, call: Call | null): Promise<LongAnswer> {
    try {
      await steps.run()
      const text = await database.transaction().execute(async (transaction) => {
        const { answer, isOurs } = await steps.end(transaction)
        const body = toJson(reply, answer)
        if (call && isOurs) await keep(transaction, call.id, { status: 200, body })
        return body
      })
      return { text, isReplay: false }
    } catch (error) {
      await database.transaction().execute(async (transaction) => {
        const isOurs = await steps.undo(transaction)
        if (call && isOurs) await forget(transaction, call.id)
      })
      throw error
    }
  }
  const begin = (steps: LongCall, call: Call) =>
    database.transaction().execute(async (transaction) => {
      const kept = await claimPatiently(transaction, call, clock.now(), waitMs)
      if (kept && kept.fingerprint !== call.fingerprint) throw mismatch()
      if (kept?.answer === null) throw stillRunning()
      if (kept === null) await steps.begin(transaction, call.id)
      return kept?.answer ?? null
    })

  return async (request, reply, steps) => {
    const key = request.headers['idempotency-key']
    if (key === undefined) {
      await database.transaction().execute((transaction) => steps.begin(transaction, null))
      return runSteps(reply, steps, null)
    }
    const path = request.url.split('?', 1)[0] ?? ''
    // A call without a body is told apart by its query string.
    const content = request.body ?? request.query
    const call = identify([callerOf(request).name, request.method, path], String(key), content)
    const answer = await inTurn(call.id, waitMs, async () => {
      const kept = await begin(steps, call)
      return kept ? { text: kept.body, isReplay: true } : runSteps(reply, steps, call)
    })
    if (answer === 'timeout') throw stillRunning()
    return answer
  }
}
