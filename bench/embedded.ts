import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import type { Database } from '../src/database/open.ts'
import { openBenchDatabase } from './bench-database.ts'
import { processorMs } from './timing.ts'

// The overhead of the connection to the embedded database: trivial statements and transactions, by one caller and by sixteen.
//   node bench/embedded.ts [--seconds 3]
// On a busy machine the processor time of a call says more than the rate.

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' } } })
const forMs = Number(values.seconds) * 1000

const calls: Record<string, (database: Database) => Promise<unknown>> = {
  select: (database) => sql`select 1 as one`.execute(database),
  'select of 100 rows': (database) =>
    sql`select number, md5(number::text) as text from generate_series(1, 100) as number`.execute(database),
  // Like a search: a millisecond in the database, and then half a millisecond here, for HTTP and JSON.
  'query and work': async (database) => {
    await sql`select count(md5(number::text)) from generate_series(1, 1000) as number`.execute(database)
    for (const until = performance.now() + 0.5; performance.now() < until; );
  },
  'transaction of two': (database) =>
    database.transaction().execute(async (open) => {
      await sql`select 1 as one`.execute(open)
      await sql`select 2 as two`.execute(open)
    }),
}

async function measure(database: Database, call: (database: Database) => Promise<unknown>, callers: number) {
  const took: number[] = []
  const [startedAt, usedBefore] = [performance.now(), processorMs()]
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - startedAt < forMs) {
        const calledAt = performance.now()
        await call(database)
        took.push(performance.now() - calledAt)
      }
    }),
  )
  const [lasted, used] = [performance.now() - startedAt, processorMs() - usedBefore]
  took.sort((one, other) => one - other)
  return {
    perSecond: Math.round((took.length / lasted) * 1000),
    p50Ms: Number((took[took.length >> 1] ?? 0).toFixed(2)),
    processorMsEach: Number((used / took.length).toFixed(3)),
  }
}

const { database, close } = await openBenchDatabase()
const rows = []
for (const [name, call] of Object.entries(calls)) {
  for (const callers of [1, 16]) {
    await measure(database, call, callers)
    rows.push({ call: name, callers, ...(await measure(database, call, callers)) })
  }
}
await close()
console.table(rows)
