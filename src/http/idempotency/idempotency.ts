import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Database, Transaction } from '../../database/open.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Caller } from '../callers.ts'
import { type ErrorCode, ServiceError } from '../errors.ts'
import { type Answer, type Call, claim, identify, storeAnswer } from './store.ts'

async function settlesWithin(promise: Promise<unknown>, waitMs: number): Promise<boolean> {
  const timer = Promise.withResolvers<boolean>()
  const timeout = setTimeout(timer.resolve, waitMs, false)
  const settled = promise.then(
    () => true,
    () => true,
  )
  return Promise.race([settled, timer.promise]).finally(() => clearTimeout(timeout))
}

/** Runs functions of an id in sequence. @returns the result, or `timeout` if `run` did not start within `waitMs` */
type KeyedMutex = <T>(id: string, waitMs: number, run: () => Promise<T>) => Promise<T | 'timeout'>

/** An in-process mutex. Waiting callers hold no database connection, so they starve nobody. */
export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<void>>()
  return async (id, waitMs, run) => {
    const before = tails.get(id)
    const end = Promise.withResolvers<void>()
    // Settles only after all earlier ones: a timed out caller must not let the next one in early.
    const tail: Promise<void> = Promise.all([before, end.promise]).then(() => {
      if (tails.get(id) === tail) tails.delete(id)
    })
    tails.set(id, tail)
    try {
      if (before && !(await settlesWithin(before, waitMs))) return 'timeout'
      return await run()
    } finally {
      end.resolve()
    }
  }
}

const deriveKey = promisify<string, Buffer, number, Buffer>(scrypt)
const algorithm = 'aes-256-gcm'
const lengths = { salt: 16, nonce: 12, tag: 16, key: 32 }

type Seal = (text: string) => string

/** Encrypts an answer, so that the database alone does not reveal its secret. Slow on purpose (50 ms, off-thread). */
async function createSeal(password: string): Promise<Seal> {
  const salt = randomBytes(lengths.salt)
  const key = await deriveKey(password, salt, lengths.key)
  return (text) => {
    const nonce = randomBytes(lengths.nonce)
    const cipher = createCipheriv(algorithm, key, nonce)
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([salt, nonce, cipher.getAuthTag(), encrypted]).toString('base64')
  }
}

/** @returns null for a wrong password or changed text */
async function unseal(sealed: string, password: string): Promise<string | null> {
  const bytes = Buffer.from(sealed, 'base64')
  const [salt, nonce, tag] = [
    bytes.subarray(0, lengths.salt),
    bytes.subarray(lengths.salt, lengths.salt + lengths.nonce),
    bytes.subarray(lengths.salt + lengths.nonce, lengths.salt + lengths.nonce + lengths.tag),
  ]
  const decipher = createDecipheriv(algorithm, await deriveKey(password, salt, lengths.key), nonce)
  decipher.setAuthTag(tag)
  try {
    const encrypted = bytes.subarray(lengths.salt + lengths.nonce + lengths.tag)
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

/** The `headers` schema of routes with an `Idempotency-Key`. */
export const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      format: 'visible-ascii',
      description:
        'A text that the caller chooses, a new one for each call and the same one for another try: the call is executed once, ' +
        'and for 24 hours another try gets the first answer again (with `Idempotent-Replayed: true`)',
    }),
  ),
})

/** Additional errors of such routes. */
export const idempotencyErrors: readonly ErrorCode[] = ['CONFLICT', 'IDEMPOTENCY_MISMATCH']

interface IdempotentOptions {
  /** The answer has a secret: stored encrypted, it is repeated only for the first call's API key. */
  secretAnswer?: boolean
}

/**
 * Runs an effect in one transaction, which also stores the answer for an `Idempotency-Key`: a repeat gets it. If the
 * effect throws, the call may be repeated.
 * @throws ServiceError IDEMPOTENCY_MISMATCH for another body; CONFLICT if the first call still runs after 30 seconds
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
  waitMs?: number
}

export const stillRunning = () =>
  new ServiceError('CONFLICT', 'The first call with this Idempotency-Key is still running. Try again in a moment.')
export const mismatch = () =>
  new ServiceError('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was used with another body. Use a fresh key.')

/** Waiting for the first call's transaction took too long. */
const isWaitTimeout = (error: unknown) => ['55P03', '57014'].includes((error as { code?: string }).code ?? '')

/** Makes the statement timeout exceed the lock timeout, which must end the wait. */
const statementGraceMs = 1_000

/** Claims a call; waits up to `waitMs` for a process executing it. */
export async function claimWithin(transaction: Transaction, call: Call, now: Date, waitMs: number) {
  await sql`select set_config('lock_timeout', ${String(waitMs)}, true),
    set_config('statement_timeout', ${String(waitMs + statementGraceMs)}, true)`.execute(transaction)
  const stored = await claim(transaction, call, now).catch((error: unknown) => {
    throw isWaitTimeout(error) ? stillRunning() : error
  })
  // Null resets to the connection's values.
  await sql`select set_config('lock_timeout', null, true), set_config('statement_timeout', null, true)`.execute(
    transaction,
  )
  return stored
}

export function createIdempotent({ database, clock, callerOf, waitMs = 30_000 }: IdempotencyDependencies): Idempotent {
  const runExclusively = createKeyedMutex()

  /** Executes the call, or reads the first one's stored answer. */
  const once = (call: Call, remainingMs: number, execute: (transaction: Transaction) => Promise<Answer>, seal: Seal) =>
    database.transaction().execute(async (transaction) => {
      const first = await claimWithin(transaction, call, clock.now(), remainingMs)
      if (first && first.fingerprint !== call.fingerprint) throw mismatch()
      if (first?.answer === null) throw stillRunning()
      if (first) return { stored: first.answer, fresh: null }
      const fresh = await execute(transaction)
      await storeAnswer(transaction, call.id, { ...fresh, body: seal(fresh.body) })
      return { stored: null, fresh }
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
    const result = await runExclusively(call.id, waitMs, () => {
      const waitedMs = clock.now().getTime() - arrivedMs
      return once(call, Math.min(waitMs, Math.max(1, waitMs - waitedMs)), execute, seal)
    })
    if (result === 'timeout') throw stillRunning()
    const { status, body } = result.stored ?? result.fresh
    const text = result.stored && secretAnswer ? await unseal(body, password) : body
    if (text === null) {
      const message = 'This call was executed, but its answer holds a secret that was shown to another key.'
      throw new ServiceError('CONFLICT', message)
    }
    if (result.stored) reply.header('idempotent-replayed', 'true')
    // The stored text, byte for byte; callers see the effect's type.
    return reply.status(status).type('application/json; charset=utf-8').send(text) as never
  }
}
