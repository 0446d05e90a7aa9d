import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { pino } from 'pino'
import { createAccount } from '../src/accounts/accounts.ts'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { addKey } from '../src/accounts/keys.ts'
import { readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'
import type { Database } from '../src/database/open.ts'
import { storePosts } from './answers-data.ts'
import { openBenchDatabase } from './bench-database.ts'
import { percentile } from './timing.ts'

// What the operator's overview and an account's money cost to read, in milliseconds of a call. So many requests are stored, all of them due to be
// read again and none placed yet, and every account has a channel that was disabled.
//   node bench/operator.ts [--posts 100000] [--accounts 500] [--collections 100000] [--calls 50]

const { values: options } = parseArgs({
  options: {
    posts: { type: 'string', default: '100000' },
    accounts: { type: 'string', default: '500' },
    collections: { type: 'string', default: '100000' },
    calls: { type: 'string', default: '50' },
  },
})
const [posts, accounts, collections] = [Number(options.posts), Number(options.accounts), Number(options.collections)]
const keys = { ADMIN_API_KEY: 'admin-key-of-the-bench', BOOTSTRAP_API_KEY: generateApiKey() }
const directory = mkdtempSync(join(tmpdir(), 'wishwell-bench-operator-'))

async function fill(database: Database): Promise<void> {
  await storePosts(database, 'dark mode', Array<number>(posts).fill(400))
  await sql`insert into request_refreshes (request_id, platform, handle, due_at)
    select id, platform, 'a', now() - interval '1 hour' from requests
    on conflict (request_id) do update set due_at = excluded.due_at`.execute(database)
  for (let index = 0; index < accounts; index++) {
    await createAccount(database, { name: `account ${index}`, tier: 'free', now: new Date() })
  }
  await sql`insert into channels (id, account_id, type, name, config, hint, host, cadence, timezone, hour, state, disabled_reason, created_at)
    select gen_random_uuid(), id, 'webhook', 'a', '', '', 'a:1', 'now', 'UTC', 0, 'disabled', 'gone', now() from accounts`.execute(
    database,
  )
  await sql`insert into request_corrections (platform, source_hash, is_request, made_by, created_at)
    select 'github', number::text, false, 'admin', now() from generate_series(1, 20000) as number`.execute(database)
  await sql`insert into suppressions (hash, purge_id, kind, named, created_at)
    select number::text, gen_random_uuid(), 'id', true, now() from generate_series(1, 20000) as number`.execute(
    database,
  )
}

/** An account with collections of a year. */
async function spend(database: Database): Promise<void> {
  const now = new Date()
  const accountId = await createAccount(database, { name: 'the spender', tier: 'max', now })
  await addKey(database, { accountId, name: 'a key', apiKey: keys.BOOTSTRAP_API_KEY, now })
  await sql`insert into credit_reservations
      (account_id, month, operation, call_id, pool_part, payg_part, pool_limit, state, settled, created_at, closed_at, topic, platforms)
    select ${accountId}, to_char(began at time zone 'UTC', 'YYYY-MM'), 'expand', gen_random_uuid(), 1, 0, 100, 'closed', 1, began, began, 'a', '{github}'
    from (
      select now() - number * interval '1 year' / ${collections}::integer as began from generate_series(1, ${collections}::integer) as number
    ) as past`.execute(database)
}

const made = await openBenchDatabase({ directory })
await spend(made.database)
await fill(made.database)
await sql`analyze`.execute(made.database)
await made.close()

const config = readConfig({ ...keys, PORT: '0', DATA_DIR: directory, LOG_LEVEL: 'error', REFRESH_REQUESTS: 'false' })
const onCrash = (error: Error) => {
  throw error
}
const onDemand = new Set(['placing', 'news', 'events'] as const)
const limits = {
  ofTier: () => 1_000_000,
  polls: 1_000_000,
  page: 1_000_000,
  feedback: 1_000_000,
  withoutKey: 1_000_000,
  files: 1_000_000,
}
const service = await startService({ ...config, requestLimits: limits }, pino({ level: 'error' }), onCrash, {
  onDemand,
})
const paths = {
  overview: ['/api/admin/overview', keys.ADMIN_API_KEY],
  'accounts, 20': ['/api/admin/accounts', keys.ADMIN_API_KEY],
  'accounts, 100': ['/api/admin/accounts?limit=100', keys.ADMIN_API_KEY],
  'collections, 20': ['/api/v1/usage/collections', keys.BOOTSTRAP_API_KEY],
  'collections, 100': ['/api/v1/usage/collections?limit=100', keys.BOOTSTRAP_API_KEY],
  '12 weeks': ['/api/v1/usage?weeks=12', keys.BOOTSTRAP_API_KEY],
} as const
try {
  console.log(`${posts} requests, ${accounts} accounts, ${collections} collections of one of them: p50, p95, longest`)
  for (const [name, [path, key]] of Object.entries(paths)) {
    const took: number[] = []
    for (let call = 0; call < Number(options.calls); call++) {
      const startedAt = performance.now()
      const answer = await fetch(`${service.address}${path}`, { headers: { authorization: `Bearer ${key}` } })
      await answer.text()
      if (answer.status !== 200) throw new Error(`${path}: status ${answer.status}`)
      took.push(performance.now() - startedAt)
    }
    console.log(`  ${name.padEnd(18)} ${[0.5, 0.95, 1].map((share) => percentile(took, share)).join(', ')} ms`)
  }
} finally {
  await service.stop()
  rmSync(directory, { recursive: true, force: true })
}
