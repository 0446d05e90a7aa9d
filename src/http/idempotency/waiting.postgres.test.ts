import { fastify } from 'fastify'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { copyDatabase, type DatabaseCopy, emptyTables } from '../../../test/database.ts'
import { createAccount } from '../../accounts/accounts.ts'
import { type Database, type OpenDatabase, openDatabase, type Transaction } from '../../database/open.ts'
import { systemClock } from '../../runtime/clock.ts'
import { handleErrors } from '../error-handler.ts'
import { ServiceError } from '../errors.ts'
import { createIdempotent } from './idempotency.ts'

// Holds (Credits and limits): a call with an `Idempotency-Key` has one effect and one response

// What happens between the claim of a call and its commit, with effects that a test holds up or breaks.

const onPostgres = process.env.TEST_BACKEND === 'postgres'
const failTest = (error: Error) => {
  throw error
}
let copy: DatabaseCopy
let opened: OpenDatabase
beforeAll(async () => {
  copy = await copyDatabase()
  opened = await openDatabase({ ...copy.options, onCrash: failTest })
})
afterEach(() => emptyTables(opened.database))
afterAll(async () => {
  await opened.close()
  await copy.remove()
})

type Effect = (transaction: Transaction) => Promise<unknown>
const buy: Effect = async (transaction) => ({
  id: await createAccount(transaction, { name: 'bought', tier: 'free', now: new Date() }),
})

/** One process of the service, with a single route; what the route does is said with each call. */
function startProcess(database: Database, waitMs = 30_000) {
  const app = fastify()
  handleErrors(app)
  const effects: Effect[] = []
  const callerOf = () => ({ name: 'the caller', token: 'a token' })
  const idempotent = createIdempotent({ database, clock: systemClock, callerOf, waitMs })
  app.post('/buy', (request, reply) =>
    idempotent(request, reply.code(201), (transaction) => (effects.shift() ?? buy)(transaction)),
  )
  return async (effect: Effect = buy) => {
    effects.push(effect)
    const answer = await app.inject({ method: 'POST', url: '/buy', headers: { 'idempotency-key': 'k' }, payload: {} })
    const replayed = answer.headers['idempotent-replayed'] === 'true'
    return { status: answer.statusCode, body: answer.body, replayed, code: answer.json().error?.code }
  }
}

/** An effect that is under way until it is let go. */
function heldEffect(end: Effect = buy) {
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const effect: Effect = async (transaction) => {
    begun.resolve()
    await release.promise
    return end(transaction)
  }
  return { effect, begun: begun.promise, release: release.resolve }
}

const boughtAccounts = () => opened.database.selectFrom('accounts').select('id').execute()
const storedRows = () => opened.database.selectFrom('idempotency_keys').select('id').execute()
const refusal = new ServiceError('NOT_FOUND', 'no')
const buyAndFail: Effect = async (transaction) => {
  await buy(transaction)
  throw refusal
}

describe('an effect that fails after it has begun', () => {
  it.each([
    ['a refusal', refusal, 404],
    ['a fault', new Error('a fault'), 500],
  ])('by %s leaves nothing behind, and the next try executes', async (_what, error, status) => {
    const call = startProcess(opened.database)
    const failing: Effect = async (transaction) => {
      await buy(transaction)
      throw error
    }
    expect((await call(failing)).status).toBe(status)
    expect([await boughtAccounts(), await storedRows()]).toEqual([[], []])
    const second = await call()
    expect([second.status, second.replayed]).toEqual([201, false])
    expect(await call()).toEqual({ ...second, replayed: true })
    expect(await boughtAccounts()).toHaveLength(1)
  })

  it.runIf(onPostgres)('because its connection breaks leaves nothing behind either', async () => {
    const call = startProcess(opened.database)
    const broken = await call(async (transaction) => {
      await buy(transaction)
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(opened.database)
      return buy(transaction)
    })
    expect(broken.status).toBeGreaterThanOrEqual(500)
    expect([await boughtAccounts(), await storedRows()]).toEqual([[], []])
    expect((await call()).replayed).toBe(false)
    expect(await boughtAccounts()).toHaveLength(1)
  })
})

/** Two ways for calls to meet: in one process, and in two processes on one Postgres. */
const meetings = [
  { where: 'one process', second: false },
  ...(onPostgres ? [{ where: 'two processes on one Postgres', second: true }] : []),
]
describe.each(meetings)('in $where, a call that comes while the first is executed', ({ second }) => {
  let other: OpenDatabase | null = null
  beforeAll(async () => {
    if (second) other = await openDatabase({ ...copy.options, onCrash: failTest })
  })
  afterAll(async () => {
    await other?.close()
  })
  const startTwo = (waitMs?: number) => {
    const first = startProcess(opened.database, waitMs)
    return { first, second: other ? startProcess(other.database, waitMs) : first }
  }

  it('waits for it and gets its answer', async () => {
    const { first, second } = startTwo()
    const held = heldEffect()
    const executing = first(held.effect)
    await held.begun
    const waiting = Array.from({ length: 5 }, () => second())
    const early = await Promise.race([...waiting, new Promise((resolve) => setTimeout(resolve, 100, 'none yet'))])
    expect(early).toBe('none yet')
    held.release()
    const answer = await executing
    for (const again of await Promise.all(waiting)) expect(again).toEqual({ ...answer, replayed: true })
    expect(await boughtAccounts()).toHaveLength(1)
  })

  it('is executed when the first one fails', async () => {
    const { first, second } = startTwo()
    const held = heldEffect(buyAndFail)
    const executing = first(held.effect)
    await held.begun
    const waiting = Array.from({ length: 5 }, () => second())
    held.release()
    expect((await executing).status).toBe(404)
    const answers = await Promise.all(waiting)
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1)
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
    expect(await boughtAccounts()).toHaveLength(1)
  })

  it('gets a 409 after its wait, and the answer later', async () => {
    const { first, second } = startTwo(200)
    const held = heldEffect()
    const executing = first(held.effect)
    await held.begun
    const answers = await Promise.all(Array.from({ length: 3 }, () => second()))
    expect(answers.map(({ status, code }) => [status, code])).toEqual(Array(3).fill([409, 'CONFLICT']))
    held.release()
    const answer = await executing
    expect(answer.status).toBe(201)
    expect(await second()).toEqual({ ...answer, replayed: true })
    expect(await boughtAccounts()).toHaveLength(1)
  })
})

it('an effect has the time limits of every transaction', async () => {
  const call = startProcess(opened.database, 250)
  const settings = (executor: Database | Transaction) =>
    sql`select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`
      .execute(executor)
      .then(({ rows }) => rows)
  let inside: unknown
  await call(async (transaction) => {
    inside = await settings(transaction)
    return {}
  })
  expect(inside).toEqual(await settings(opened.database))
})
