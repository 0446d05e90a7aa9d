import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Database, Transaction } from '../database/open.ts'
import type { Caller } from '../http/callers.ts'
import { type ErrorCode, ServiceError } from '../http/errors.ts'
import type { Clock } from '../runtime/clock.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import { createSeal, type Seal, unseal } from './sealing.ts'
import { type Answer, type Call, claim, identify, keep } from './store.ts'

/** The `headers` schema of a route that takes an `Idempotency-Key`. */
export const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      format: 'visible-ascii',
      description:
        'Of your own making, a fresh one for each call and the same one when you try it again: the call is executed once, ' +
        'and for 24 hours it is answered as it was the first time (with `Idempotent-Replayed: true`)',
    }),
  ),
})

/** How such a route can fail besides its own ways. */
export const idempotencyErrors: readonly ErrorCode[] = ['CONFLICT', 'IDEMPOTENCY_MISMATCH']

export interface IdempotentOptions {
  /** The answer holds a secret: it is kept encrypted, and only the key that it was given to can have it again. */
  secretAnswer?: boolean
}

/**
 * Runs the effect of a route in one transaction and answers with what it gives. With an `Idempotency-Key` the answer commits
 * in that same transaction, and whoever repeats the call gets it again instead of a second effect. An effect that throws
 * leaves nothing behind, so its call may be repeated with the same key.
 * @throws ServiceError IDEMPOTENCY_MISMATCH when the key was used with another body; CONFLICT when the first call is still
 * running after 30 seconds.
 * @example async (request, reply) => idempotent(request, reply, (transaction) => buyPack(transaction, request.body))
 */
export type Idempotent = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  effect: (transaction: Transaction) => Promise<T>,
  options?: IdempotentOptions,
) => Promise<T>

export interface IdempotencyDependencies {
  database: Database
  clock: Clock
  callerOf(request: FastifyRequest): Caller
  /** How long a repeated call waits for the first one. */
  waitMs?: number
}

export const stillRunning = () =>
  new ServiceError('CONFLICT', 'The first call with this Idempotency-Key is still running. Try again in a moment.')
export const mismatch = () =>
  new ServiceError('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was used with another body. Use a fresh key.')
const notYours = () =>
  new ServiceError('CONFLICT', 'This call was executed, but its answer holds a secret that was shown to another key.')

/** Postgres gave up waiting for the transaction of the first call. */
const isWaitTimeout = (error: unknown) => ['55P03', '57014'].includes((error as { code?: string }).code ?? '')

/** Longer than the lock's, so that it is the lock's that ends the wait. */
const statementGraceMs = 1_000

/** Claims a call, waiting for another process that executes it for at most `waitMs`. */
export async function claimPatiently(transaction: Transaction, call: Call, now: Date, waitMs: number) {
  await sql`select set_config('lock_timeout', ${String(waitMs)}, true),
    set_config('statement_timeout', ${String(waitMs + statementGraceMs)}, true)`.execute(transaction)
  const kept = await claim(transaction, call, now).catch((error: unknown) => {
    throw isWaitTimeout(error) ? stillRunning() : error
  })
  // Null sets them back to what the connection began with.
  await sql`select set_config('lock_timeout', null, true), set_config('statement_timeout', null, true)`.execute(
    transaction,
  )
  return kept
}

export function createIdempotent({ database, clock, callerOf, waitMs = 30_000 }: IdempotencyDependencies): Idempotent {
  const exclusively = createKeyedMutex()

  /** Executes the call, or gives what is kept of the first one. */
  const once = (call: Call, remainingMs: number, execute: (transaction: Transaction) => Promise<Answer>, seal: Seal) =>
    database.transaction().execute(async (transaction) => {
      const kept = await claimPatiently(transaction, call, clock.now(), remainingMs)
      if (kept && kept.fingerprint !== call.fingerprint) throw mismatch()
      if (kept?.answer === null) throw stillRunning()
      if (kept) return { kept: kept.answer, fresh: null }
      const fresh = await execute(transaction)
      await keep(transaction, call.id, { ...fresh, body: seal(fresh.body) })
      return { kept: null, fresh }
    })

  return async (request, reply, effect, { secretAnswer = false } = {}) => {
    const key = request.headers['idempotency-key']
    if (key === undefined) return database.transaction().execute(effect)
    const { name, token } = callerOf(request)
    const path = request.url.split('?', 1)[0] ?? ''
    const call = identify([name, request.method, path], String(key), request.body)
    const password = `${token} ${key}`
    const seal = secretAnswer ? await createSeal(password) : (text: string) => text
    const execute = async (transaction: Transaction): Promise<Answer> => {
      const body = reply.serialize(await effect(transaction))
      return { status: reply.statusCode, body: String(body) }
    }

    const arrivedMs = clock.now().getTime()
    const result = await exclusively(call.id, waitMs, () => {
      const waitedMs = clock.now().getTime() - arrivedMs
      return once(call, Math.min(waitMs, Math.max(1, waitMs - waitedMs)), execute, seal)
    })
    if (result === 'timeout') throw stillRunning()
    const { status, body } = result.kept ?? result.fresh
    const text = result.kept && secretAnswer ? await unseal(body, password) : body
    if (text === null) throw notYours()
    if (result.kept) reply.header('idempotent-replayed', 'true')
    // Sent as it was written, byte for byte; to the caller of this function it is what the effect gave.
    return reply.status(status).type('application/json; charset=utf-8').send(text) as never
  }
}
