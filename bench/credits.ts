import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { createAccount } from '../src/accounts/accounts.ts'
import { defaultPricing } from '../src/accounts/plans.ts'
import { closeReservation, grantPack, reserve } from '../src/credits/ledger.ts'
import { verifyLedger } from '../src/credits/verify.ts'
import type { Database, DatabaseBackend } from '../src/database/open.ts'
import { startPostgres } from '../test/postgres.ts'
import { openBenchDatabase } from './bench-database.ts'

// How many reservations a second the ledger takes, beside the bare conditional UPDATE that each of them consists of.
//   node bench/credits.ts [--backend embedded|postgres] [--seconds 3] [--json]
// All measurements alternate in one process, so that their ratio is right on a busy machine, too.

const { values } = parseArgs({
  options: {
    backend: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
})
const backends: DatabaseBackend[] =
  values.backend === undefined ? ['embedded', 'postgres'] : [values.backend as DatabaseBackend]
const secondsPerMeasure = Number(values.seconds)
/** Each measurement is split into so many slices that alternate with the others. */
const slices = 5
const now = new Date()

interface Operation {
  name: string
  run(database: Database, accountId: string): Promise<unknown>
}

const inTransaction = (database: Database, run: Parameters<ReturnType<Database['transaction']>['execute']>[0]) =>
  database.transaction().execute(run)

const spend = { operation: 'expand', keyId: null, amount: 1, now, pricing: defaultPricing } as const
const operations: Operation[] = [
  {
    name: 'bare update',
    run: (database, accountId) =>
      inTransaction(database, (transaction) =>
        // On the one column that no balance depends on.
        sql`update credit_balances set latest_pool_part = latest_pool_part + ${1}::integer
          where account_id = ${accountId} and latest_pool_part + ${1}::integer <= ${2_000_000_000}::integer
          returning latest_pool_part`.execute(transaction),
      ),
  },
  {
    name: 'reserve',
    run: (database, accountId) =>
      inTransaction(database, (transaction) =>
        reserve(transaction, { ...spend, accountId, callId: crypto.randomUUID() }),
      ),
  },
  {
    name: 'reserve and close',
    run: async (database, accountId) => {
      const callId = crypto.randomUUID()
      await inTransaction(database, (transaction) => reserve(transaction, { ...spend, accountId, callId }))
      await inTransaction(database, (transaction) =>
        closeReservation(transaction, { operation: 'expand', callId, settled: 1, now }),
      )
    },
  },
  {
    name: 'refuse',
    run: (database, accountId) =>
      inTransaction(database, (transaction) =>
        reserve(transaction, { ...spend, accountId, amount: 2_000_000_000, callId: crypto.randomUUID() }),
      ).catch(() => {}),
  },
]

/** An account that cannot run out within the bench. */
async function makeRichAccount(database: Database): Promise<string> {
  const accountId = await createAccount(database, { name: 'bench', tier: 'max', now })
  for (let packs = 0; packs < 100; packs++) {
    await inTransaction(database, (transaction) =>
      grantPack(transaction, { accountId, pack: 'bulk', credits: 13_500, cause: 'bench', now }),
    )
  }
  return accountId
}

/** @returns how often the operation was done by all callers together, and for how long in ms. */
async function measure(operation: Operation, database: Database, accountIds: string[], forMs: number) {
  const startedAt = performance.now()
  const counts = await Promise.all(
    accountIds.map(async (accountId) => {
      let done = 0
      for (; performance.now() - startedAt < forMs; done++) await operation.run(database, accountId)
      return done
    }),
  )
  return { done: counts.reduce((sum, count) => sum + count, 0), ms: performance.now() - startedAt }
}

interface Row {
  backend: DatabaseBackend
  callers: string
  operation: string
  perSecond: number
  /** Of the rate of the bare update in the same run. */
  ratio: number
}

/** All operations alternately, by one group of callers. @returns the rate of each a second, in their order. */
async function measureInTurns(database: Database, accountIds: string[]): Promise<number[]> {
  const totals = operations.map((operation) => ({ operation, done: 0, ms: 0 }))
  // The slice before the first warms up and is not counted.
  for (let slice = -1; slice < slices; slice++) {
    for (const total of totals) {
      const { done, ms } = await measure(total.operation, database, accountIds, (secondsPerMeasure * 1000) / slices)
      if (slice < 0) continue
      total.done += done
      total.ms += ms
    }
  }
  return totals.map(({ done, ms }) => (done / ms) * 1000)
}

async function benchDatabase(backend: DatabaseBackend, database: Database): Promise<Row[]> {
  const accountIds = await Promise.all(Array.from({ length: 8 }, () => makeRichAccount(database)))
  const [first = ''] = accountIds
  const groups = {
    '1': [first],
    '8, an account each': accountIds,
    '8, one account': accountIds.map(() => first),
  }
  const rows: Row[] = []
  for (const [callers, group] of Object.entries(groups)) {
    const rates = await measureInTurns(database, group)
    const [bareRate = Number.NaN] = rates
    for (const [index, rate] of rates.entries()) {
      const operation = operations[index]?.name ?? ''
      rows.push({
        backend,
        callers,
        operation,
        perSecond: Math.round(rate),
        ratio: Number((rate / bareRate).toFixed(2)),
      })
    }
  }
  // Only the ledger was measured: its reservations of calls have no calls.
  await sql`
    insert into live_calls (id, account_id, operation, created_at, expires_at)
    select call_id, account_id, operation, created_at, created_at from credit_reservations
    where call_id is not null and state = 'open'`.execute(database)
  const differences = await verifyLedger(database)
  if (differences.length > 0) throw new Error(`the ledger is not sound: ${JSON.stringify(differences[0])}`)
  return rows
}

async function benchBackend(backend: DatabaseBackend): Promise<Row[]> {
  const server = backend === 'postgres' ? await startPostgres() : null
  try {
    await server?.createDatabase('bench')
    const { database, close } = await openBenchDatabase({ databaseUrl: server?.url('bench') })
    try {
      return await benchDatabase(backend, database)
    } finally {
      await close()
    }
  } finally {
    await server?.stop()
  }
}

const rows: Row[] = []
for (const backend of backends) rows.push(...(await benchBackend(backend)))
if (values.json) console.log(JSON.stringify({ secondsPerMeasure, rows }, null, 2))
else console.table(rows)
