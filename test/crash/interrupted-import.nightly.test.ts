import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { openDatabase } from '../../src/database/open.ts'
import { campaignSize } from '../campaign-size.ts'
import { childEnvironment } from '../child-environment.ts'
import { createTestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'

// Holds (Data): an import that kill -9 cuts short loses and doubles nothing: the same file again goes on, and a deletion that was cut short ends

const program = fileURLToPath(new URL('./dying-service.ts', import.meta.url))
const apiKey = generateApiKey()
let copy: DatabaseCopy
let child: ChildProcess | null = null
let url = ''

beforeAll(async () => {
  copy = await copyDatabase()
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await copy.remove()
})

/** Starts the service, to die after so many statements; 0 means never. */
async function start(dieAfter: number): Promise<ChildProcess> {
  const started = fork(program, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: {
      ...childEnvironment,
      PORT: '0',
      DATA_DIR: copy.options.dataDir,
      ...(copy.options.databaseUrl ? { DATABASE_URL: copy.options.databaseUrl } : {}),
      ADMIN_API_KEY: 'admin-key-of-the-crash-test',
      BOOTSTRAP_API_KEY: apiKey,
    },
  })
  child = started
  url = ((await once(started, 'message'))[0] as { url: string }).url
  started.send({ dieAfter })
  await once(started, 'message')
  return started
}

const rows = 1_000
const csv = (round: number) =>
  ['id,title,votes', ...Array.from({ length: rows }, (_, id) => `${id},Please add a dark theme ${id},${round}`)].join(
    '\n',
  )
const send = (method: string, path: string, body?: string) =>
  createTestClient(() => url, apiKey).send(method, `/api/v1/feedback/imports${path}`, {
    ...(body === undefined ? {} : { headers: { 'content-type': 'text/csv' }, body }),
  })

async function readStored() {
  const { database, close } = await openDatabase({
    ...copy.options,
    onCrash: (error) => {
      throw error
    },
  })
  const { rows: stored } = await sql<{ requests: number; ids: number; votes: number; found: number }>`
    select count(*)::integer as requests, count(distinct source_id)::integer as ids, coalesce(sum(votes), 0)::integer as votes,
      (select count(*) from request_sources where platform = 'import')::integer as found
    from requests where platform = 'import'`.execute(database)
  await close()
  return stored[0]!
}

it('an import, and its deletion, that kill -9 cuts short', { timeout: 300_000 }, async () => {
  // Within the first transaction, between two of them, and in a later one; what is known takes fewer statements.
  const points = [120, 4, 15, 22, 33, 40, 55].slice(0, campaignSize('IMPORT_KILLS', { quick: 2, nightly: 7 }))
  for (const [round, point] of points.entries()) {
    const dying = await start(point)
    const died = once(dying, 'exit')
    expect(await send('POST', '?name=board', csv(round)).catch(() => null)).toBeNull()
    await died
    const before = await readStored()
    expect(before.ids).toBe(before.requests)
    const alive = await start(0)
    const again = await send('POST', '?name=board', csv(round))
    expect(again.status, again.text).toBe(200)
    alive.kill('SIGKILL')
    await once(alive, 'exit')
    expect(await readStored()).toEqual({ requests: rows, ids: rows, votes: rows * round, found: rows })
  }
  const dying = await start(12)
  const died = once(dying, 'exit')
  expect(await send('DELETE', '/board').catch(() => null)).toBeNull()
  await died
  const alive = await start(0)
  // What is left is deleted in the background, or by the same call again where the first statement was not committed.
  await send('DELETE', '/board')
  await expect.poll(async () => (await send('GET', '')).body.data.results, { timeout: 60_000 }).toEqual([])
  await expect
    .poll(
      async () =>
        (await createTestClient(() => url, apiKey).get('/api/v1/requests?include=all')).body.data.results.length,
      { timeout: 60_000 },
    )
    .toBe(0)
  alive.kill('SIGKILL')
  await once(alive, 'exit')
})
