import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type LentDatabase, lendDatabase } from '../../test/database.ts'
import type { EmbeddedClient } from '../database/embedded/client.ts'
import type { OpenDatabase } from '../database/open.ts'
import { readConfig } from './config.ts'
import { StopLimitError, startService } from './service.ts'

// Holds (HTTP and secrets): a stop, or closing the embedded database, meets its time limit beside endless work; `/healthz` fails while its thread is silent
// Holds (HTTP and secrets): `/readyz` is 200 only once the first account, its key and the sign-in link exist

// The service with a database that does not answer any more, or does not end.

let lent: LentDatabase
beforeEach(async () => {
  lent = await lendDatabase()
})
afterEach(() => lent.remove())

/** @param change replaces parts of the database, once it is open. */
function start(
  change: (opened: OpenDatabase) => Partial<OpenDatabase>,
  stopLimitMs?: number,
  environment?: Record<string, string>,
) {
  const { dataDir, databaseUrl } = lent.options
  const read = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    ADMIN_API_KEY: 'admin-key-of-the-test',
    ...environment,
  })
  const config = { ...read, ...(stopLimitMs === undefined ? {} : { stopLimitMs }) }
  return startService(config, pino({ level: 'silent' }), ({ message }) => expect.unreachable(message), {
    offline: environment === undefined,
    open: async (options) => {
      const opened = await lent.open(options)
      return { ...opened, ...change(opened) }
    },
  })
}

it('stops within its limit when something never ends', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>()
  const close = (opened: OpenDatabase) => () => released.then(opened.close).then(onClosed)
  const service = await start((opened) => ({ close: close(opened) }), 100)
  await expect(service.stop()).rejects.toBeInstanceOf(StopLimitError)
  release()
  await closed
})

it('is alive as long as the thread of the database answers', async () => {
  let runningMs = 29_000
  const silent = (client: EmbeddedClient | null): EmbeddedClient =>
    Object.create(client, { runningMs: { value: () => runningMs } })
  const service = await start(({ embedded }) => ({ embedded: silent(embedded) }))
  const status = async () => (await service.app.inject('/healthz')).statusCode
  expect(await status()).toBe(200)
  runningMs = 31_000
  expect(await status()).toBe(503)
  runningMs = 0
  expect(await status()).toBe(200)
  await service.stop()
})

it('is ready only once all that a start makes is there', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise((closed) => free.close(closed))
  const BOOTSTRAP_API_KEY = `ww_live_${'a'.repeat(32)}`
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  // One of the last steps of a start.
  const few = { available: 100, open: 1, processes: 1, neededByProcess: 1, needed: 1 }
  const slow = () => ({
    readConnectionUse: () => {
      reach()
      return gate.then(() => few)
    },
  })
  const starting = start(slow, undefined, { PORT: String(port), BOOTSTRAP_API_KEY })
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${BOOTSTRAP_API_KEY}` } })
  await Promise.race([reached, starting])
  expect([(await get('/healthz')).status, (await get('/readyz')).status]).toEqual([200, 503])
  open()
  const service = await starting
  expect([(await get('/readyz')).status, (await get('/api/v1/topics')).status]).toEqual([200, 200])
  await service.stop()
})
