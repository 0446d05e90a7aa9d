import { fastify } from 'fastify'
import { sql } from 'kysely'
import { createAccount } from '../src/accounts/accounts.ts'
import type { Database, DatabaseBackend } from '../src/database/open.ts'
import { createIdempotent } from '../src/http/idempotency/idempotency.ts'
import { createDatabaseLimiter } from '../src/http/rate-limits/database-limiter.ts'
import { createSlidingLog } from '../src/http/rate-limits/limiter.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { startPostgres } from '../test/postgres.ts'
import { openBenchDatabase } from './bench-database.ts'

// The cost of a rate limit and of an Idempotency-Key for a call, in both backends: one caller, one call after the other.
//   node bench/limits.ts

/** Measures several functions alternately, so that a busy moment affects all. @returns the median of each, in milliseconds. */
async function medians(rounds: number, runs: Record<string, (round: number) => Promise<unknown>>) {
  const times = new Map<string, number[]>(Object.keys(runs).map((name) => [name, []]))
  for (let round = -50; round < rounds; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const startedAt = performance.now()
      await run(round)
      if (round >= 0) times.get(name)?.push(performance.now() - startedAt)
    }
  }
  for (const [name, list] of times) {
    const median = list.sort((a, b) => a - b)[Math.trunc(list.length / 2)] ?? Number.NaN
    console.log(`  ${name.padEnd(40)} ${median.toFixed(3)}`)
  }
}

function takerOf(backend: DatabaseBackend, database: Database, limit: number) {
  let ms = Date.parse('2026-01-01')
  const clock = { now: () => new Date(ms) }
  const limiter = backend === 'embedded' ? createSlidingLog({ clock }) : createDatabaseLimiter(database, clock)
  return () => {
    ms += Math.ceil(60_000 / limit)
    return limiter.take(`bench ${limit}`, limit)
  }
}

function buyerOf(database: Database) {
  const app = fastify()
  const callerOf = () => ({ name: 'bench', token: 'bench' })
  const idempotent = createIdempotent({ database, clock: systemClock, callerOf })
  app.post('/buy', (request, reply) =>
    idempotent(request, reply, (transaction) =>
      createAccount(transaction, { name: 'a', tier: 'free', now: new Date() }).then((id) => ({ id })),
    ),
  )
  return (key?: string) =>
    app.inject({ method: 'POST', url: '/buy', payload: {}, headers: key ? { 'idempotency-key': key } : {} })
}

async function measure(databaseUrl: string | undefined): Promise<void> {
  const { database, backend, close } = await openBenchDatabase({ databaseUrl })
  const [take, takePoll, buy] = [takerOf(backend, database, 240), takerOf(backend, database, 600), buyerOf(database)]
  // A full window, as a caller at the limit has it.
  for (let call = 0; call < 600; call++) await Promise.all([take(), takePoll()])
  console.log(`${backend}: median ms`)
  await medians(500, {
    'a trivial query': () => sql`select 1`.execute(database),
    'rate limit, a full window of 240': take,
    'rate limit, a full window of 600': takePoll,
    'a small effect without Idempotency-Key': () => buy(),
    'the same with a fresh one': (round) => buy(`key ${round}`),
    'its replay': (round) => buy(`key ${round}`),
  })
  await close()
}

await measure(undefined)
const server = await startPostgres()
try {
  await server.createDatabase('bench')
  await measure(server.url('bench'))
} finally {
  await server.stop()
}
