import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'

// How long a backup delays other work: the maximum time of a write while writes go on all the time.
//   node bench/backup.ts

const adminKey = 'admin-key-of-the-bench'
const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-bench-'))
const config = readConfig({ DATA_DIR: dataDir, PORT: '0', ADMIN_API_KEY: adminKey })
const service = await startService(config, pino({ level: 'silent' }), (error) => {
  throw error
})
const { database } = service.database

async function measure(what: string): Promise<void> {
  let ended = false
  let slowestMs = 0
  const write = async () => {
    for (let writes = 0; !ended; writes++) {
      const since = performance.now()
      await database
        .updateTable('accounts')
        .set({ name: `write ${writes}` })
        .execute()
      slowestMs = Math.max(slowestMs, performance.now() - since)
    }
  }
  const writing = write()
  const since = performance.now()
  const answer = await fetch(`${service.address}/api/admin/backup`, {
    headers: { authorization: `Bearer ${adminKey}` },
  })
  const { byteLength } = await answer.arrayBuffer()
  const totalMs = performance.now() - since
  ended = true
  await writing
  const figures = { 'slowest write ms': slowestMs, 'whole backup ms': totalMs, 'archive MB': byteLength / 1e6 }
  console.log(what, Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value)])))
}

/** Rows that resemble those of the platforms, inserted by the database itself. */
const addRequests = (count: number) => sql`
  insert into requests (confidence, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at)
  select 1, 'github', i::text, 'title ' || i, repeat(md5(i::text), 20), 1, array['a'], 'https://example.org', 'topic', now(), now()
  from generate_series(1, ${count}::integer) i`

await sleep(3_000)
await measure('empty')
await addRequests(200_000).execute(database)
await measure('200,000 requests, written just now')
await sleep(3_000)
await measure('200,000 requests, at rest')
await service.stop()
rmSync(dataDir, { recursive: true })
