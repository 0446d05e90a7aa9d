import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyDatabase, type DatabaseCopy } from '../../../test/database.ts'
import { readConfig } from '../../app/config.ts'
import { startService } from '../../app/service.ts'
import { openDatabase } from '../../database/open.ts'
import { dumpOf } from '../../operations/moving/testing.ts'
import { ConfigError } from '../../runtime/config-error.ts'
import { type FakeTracker, startFakeGithub } from '../trackers/testing.ts'

// Holds (Watches, news and channels): no channel's or tracker's secret is stored open, shown again, or in a backup or dump

// Takes seconds: several services start, each on files of its own.

// With DATABASE_URL the key must be given once there is a channel; with the embedded database it is made.

let copy: DatabaseCopy
let github: FakeTracker
const trackerToken = 'token-of-a-tracker'
beforeAll(async () => {
  copy = await copyDatabase()
  github = await startFakeGithub(() => new Date())
})
afterAll(async () => {
  await github.close()
  await copy.remove()
})

/** @param warn gets each warning of the log. */
const start = (environment: Record<string, string> = {}, warn: (line: string) => void = () => {}) => {
  const { databaseUrl, dataDir } = copy.options
  const config = readConfig({
    PORT: '0',
    ADMIN_API_KEY: 'a'.repeat(20),
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    ALLOW_PRIVATE_TARGETS: 'true',
    BOOTSTRAP_API_KEY: `ww_live_${'a1'.repeat(16)}`,
    ...environment,
  })
  return startService(config, pino({ level: 'warn' }, { write: warn }), () => {})
}
const post = (address: string, path: string, body: object) =>
  fetch(`${address}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ww_live_${'a1'.repeat(16)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const call = (address: string, body: object) =>
  post(address, 'channels', { type: 'webhook', name: 'x', url: 'http://127.0.0.1:9998/very', ...body })
const makeTracker = (address: string) =>
  post(address, 'trackers', { type: 'github', name: 'x', project: 'acme/app', url: github.url, token: trackerToken })
/** A backup has the sealed address, and neither the file with the key nor the key. */
async function checkBackup(address: string): Promise<void> {
  const answer = await fetch(`${address}/api/admin/backup`, { headers: { authorization: `Bearer ${'a'.repeat(20)}` } })
  expect(answer.status).toBe(200)
  const archive = gunzipSync(Buffer.from(await answer.arrayBuffer()))
  const text = readFileSync(join(copy.options.dataDir, 'secrets-key'), 'utf8').trim()
  for (const hidden of ['secrets-key', text]) expect(archive.includes(hidden)).toBe(false)
  expect(archive.includes(Buffer.from(text, 'base64'))).toBe(false)
  for (const secret of ['127.0.0.1:9998/very', trackerToken]) expect(archive.includes(secret)).toBe(false)
}

/** A dump has the sealed fields, and neither a key nor an open address. */
async function checkDump(): Promise<void> {
  const { databaseUrl, dataDir } = copy.options
  const { database, close } = await openDatabase({ databaseUrl, dataDir, statementTimeoutMs: 0, onCrash: () => {} })
  const { config } = await database.selectFrom('channels').select('config').executeTakeFirstOrThrow()
  await close()
  const dump = gunzipSync((await dumpOf(copy.options)).dump)
  expect(dump.includes(config)).toBe(true)
  const own = copy.backend === 'embedded' ? [readFileSync(join(dataDir, 'secrets-key'), 'utf8').trim()] : []
  for (const secret of [key, ...own]) {
    expect(dump.includes(secret)).toBe(false)
    expect(dump.includes(Buffer.from(secret, 'base64'))).toBe(false)
  }
  for (const secret of ['9998/very', trackerToken]) expect(dump.includes(secret)).toBe(false)
}

const key = `${'B'.repeat(43)}=`

describe('without SECRETS_KEY', () => {
  it('a service makes its own, or says that a channel needs it; a start with channels then fails', {
    timeout: 120_000,
  }, async () => {
    const first = await start()
    const answer = await call(first.address!, {})
    if (copy.backend === 'embedded') expect(answer.status).toBe(200)
    else
      expect([answer.status, ((await answer.json()) as { error: { message: string } }).error.message]).toEqual([
        409,
        expect.stringContaining('SECRETS_KEY'),
      ])
    expect((await makeTracker(first.address!)).status).toBe(copy.backend === 'embedded' ? 200 : 409)
    if (copy.backend === 'embedded') await checkBackup(first.address!)
    await first.stop()
    const second = await start({ SECRETS_KEY: key })
    expect((await call(second.address!, {})).status).toBe(200)
    expect((await makeTracker(second.address!)).status).toBe(200)
    await second.runMaintenance()
    const sealed = await second.database.database.selectFrom('channels').select(['config', 'state']).execute()
    // What the file's key had sealed has the configured key now.
    const ofTrackers = await second.database.database.selectFrom('trackers').select('config').execute()
    expect(new Set([...sealed, ...ofTrackers].map(({ config }) => config.slice(0, 16))).size).toBe(1)
    expect(new Set(sealed.map(({ state }) => state))).toEqual(new Set(['active']))
    await second.stop()
    await checkDump()
    if (copy.backend === 'postgres') await expect(start()).rejects.toThrow(ConfigError)
    // Another key than that of the channels: they wait for theirs, and the service runs.
    const warnings: string[] = []
    const third = await start({ SECRETS_KEY: `${'C'.repeat(43)}=` }, (line) => warnings.push(line))
    expect(warnings).toContainEqual(
      expect.stringContaining('channels or trackers are sealed with a key that this process does not have'),
    )
    await third.runMaintenance()
    const channels = await third.database.database.selectFrom('channels').select('state').execute()
    expect(new Set(channels.map(({ state }) => state))).toEqual(new Set(['active']))
    await third.stop()
  })
})
