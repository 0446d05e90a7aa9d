import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { type Receiver, startReceiver, status } from '../../notifications/channels/testing.ts'
import { version } from '../../runtime/version.ts'
import { listDataDirectory } from '../backup/testing.ts'

// Holds (Monitoring): the overview shows the last backup that was read completely, never a truncated one
// Holds (Monitoring): the overview shows no channel's name or address

// Takes seconds: a backup copies a database.

let service: TestService
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver(status(410))
  service = await startTestService({
    // Its directory has no other backups.
    ownDatabase: true,
    platforms: platformMap(scriptedPlatform('github', numberedPages(1, 3))),
    environment: { ALLOW_PRIVATE_TARGETS: 'true', PLATFORMS: 'github,x' },
  })
})
afterEach(() => service.reset())
afterAll(async () => {
  await service.stop()
  await receiver.close()
})

const admin = () => service.clientFor(service.adminKey)
const overview = async () => {
  const { status: code, body } = await admin().get('/api/admin/overview')
  expect(code).toBe(200)
  return body.data
}
const collect = async () => {
  const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
  return (await service.client.get('/api/v1/requests')).body.data.results as { _id: string; sourceUrl: string }[]
}

it('says what runs, and that nothing waits or fails', async () => {
  const { startedAt, database, backlogs, channels, corrections, purges, ...rest } = await overview()
  expect(rest).toMatchObject({ version, isReady: true, warnings: [], search: { engine: 'bm25', isReady: true } })
  expect(Date.parse(startedAt)).toBeLessThanOrEqual(Date.now())
  expect(database).toEqual({ backend: 'embedded', bytes: expect.any(Number), freeBytes: expect.any(Number) })
  expect(database.bytes).toBeGreaterThan(1e6)
  expect(Object.values(backlogs).every((value) => value === 0 || value === null)).toBe(true)
  expect(channels).toEqual({ failing: 0, disabled: 0, accounts: [] })
  expect(corrections).toEqual({ requests: { count: 0, lastAt: null }, wishes: { count: 0, lastAt: null } })
  expect(purges).toEqual({ count: 0, lastAt: null, suppressed: 0 })
})

it('is for the operator', async () => {
  expect((await service.client.get('/api/admin/overview')).status).toBe(401)
})

it('counts what waits', async () => {
  await collect()
  await sql`update request_refreshes set due_at = now() - interval '1 hour'`.execute(service.database)
  await sql`insert into judgement_days (day, judged) values (current_date, 7)`.execute(service.database)
  const { backlogs } = await overview()
  expect(backlogs).toMatchObject({ unplacedRequests: 3, uncountedTexts: expect.any(Number), judging: null })
  const { rows } = await sql<{ due: number }>`select count(*)::int as due from request_refreshes`.execute(
    service.database,
  )
  expect(backlogs.refreshes).toBe(rows[0]!.due)
  await service.placeRequests()
  expect((await overview()).backlogs.unplacedRequests).toBe(0)
})

it('names platforms that fail, with what to do', async () => {
  const answered = new Date(Date.now() - 3_600_000)
  const known = (await admin().get('/api/admin/platforms')).body.data.results
  const host = known.find(({ platform }: { platform: string }) => platform === 'github').hosts[0].host
  await sql`insert into platform_hosts (platform, name, failures, last_success_at, last_error_code, last_error_message, last_error_at, remaining,
      remaining_limit, remaining_resets_at)
    values ('github', ${host}, 3, ${answered}, 'unavailable', 'It does not answer.', now(), 1, 1, now())
    on conflict (platform, name) do update set failures = 3, last_success_at = ${answered}, last_error_code = 'unavailable',
      last_error_message = 'It does not answer.', last_error_at = now()`.execute(service.database)
  const { platforms } = await overview()
  expect(platforms).toMatchObject([
    {
      ...{
        platform: 'github',
        state: 'unreachable',
        lastSuccessAt: answered.toISOString(),
        advice: 'It does not answer.',
      },
      lastError: { host, code: 'unavailable', message: 'It does not answer.', at: expect.any(String) },
    },
    {
      platform: 'x',
      state: 'not_configured',
      lastError: null,
      lastSuccessAt: null,
      advice: expect.stringMatching(/X_BEARER_TOKEN/),
    },
  ])
})

it('counts channels that fail or were disabled, by account, with the newest error', async () => {
  const { accountId, client } = await service.createAccount()
  const channel = { type: 'webhook', name: 'mine', url: receiver.url, events: ['scrape.completed'] }
  const { channelId } = (await client.post('/api/v1/channels', channel)).body.data
  const { body } = await client.scrape({ topic: 'dark mode', platforms: ['github'] })
  await client.waitForJob(body.data.jobId)
  await service.deliverEvents()
  const { channels, backlogs } = await overview()
  expect(channels).toMatchObject({
    ...{ failing: 0, disabled: 1 },
    accounts: [{ accountId, failing: 0, disabled: 1, newest: { channelId, type: 'webhook', disabledReason: 'gone' } }],
  })
  expect(backlogs.deliveries).toBe(0)
  const text = JSON.stringify(channels)
  expect([text.includes('mine'), text.includes(receiver.url)]).toEqual([false, false])
})

it('counts corrections and purges, and says when the last one was', async () => {
  const [one, other] = await collect()
  const before = Date.now()
  await service.client.post('/api/v1/corrections/requests', { requestId: one!._id, isRequest: false })
  await admin().post('/api/admin/purge', { url: other!.sourceUrl, suppress: true })
  const { corrections, purges } = await overview()
  expect(corrections.requests.count).toBe(1)
  expect(Date.parse(corrections.requests.lastAt)).toBeGreaterThanOrEqual(before)
  expect(purges).toMatchObject({ count: 1, lastAt: expect.any(String) })
  expect(purges.suppressed).toBeGreaterThan(0)
})

it('remembers the last backup that was read to its end, and says which keys no backup holds', async () => {
  expect((await overview()).backup).toEqual({ lastAt: null, missingKeys: ['secrets-key'] })
  const controller = new AbortController()
  const download = () =>
    fetch(`${service.url}/api/admin/backup`, {
      headers: { authorization: `Bearer ${service.adminKey}` },
      signal: controller.signal,
    })
  const begun = await download()
  await begun.body!.getReader().read()
  controller.abort()
  const workLeft = () => listDataDirectory(service.config.dataDir).filter((name) => name.startsWith('.wishwell-work-'))
  await expect.poll(workLeft, { timeout: 30_000 }).toEqual([])
  expect((await overview()).backup.lastAt).toBeNull()
  const before = Date.now()
  expect((await admin().get('/api/admin/backup')).status).toBe(200)
  await expect.poll(async () => Date.parse((await overview()).backup.lastAt)).toBeGreaterThanOrEqual(before)
})
