import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noteEvent } from '../src/accounts/events/events.ts'
import { type Receiver, startReceiver, status } from '../src/notifications/channels/testing.ts'
import { startFakeGithub } from '../src/notifications/trackers/testing.ts'
import { PlannedWaitError } from '../src/platforms/platform.ts'
import { movedClock, openJobs, runsOf, watchOf } from '../src/watches/testing.ts'
import { foundRequest, platformMap, type Script, scriptedPlatform } from './scripted-platform.ts'
import { startTestService, type TestService } from './service.ts'

// Holds (Data): setting back a fast clock stops nothing: what is stored for later follows its schedule from now

const noon = '2026-03-20T12:00:00Z'
const half = '2026-03-20T12:30:00Z'
const ahead = '2026-04-19T12:00:00Z'
const clock = movedClock(noon)
const onePage: Script = () => ({ requests: [foundRequest('one')], nextCursor: null })
let answer = onePage
const github = scriptedPlatform('github', (call, request) => answer(call, request))
let service: TestService
let receiver: Receiver
let accountId: string

beforeAll(async () => {
  receiver = await startReceiver()
  const environment = { PLATFORMS: 'github', ALLOW_PRIVATE_TARGETS: 'true', SECRETS_KEY: `${'A'.repeat(43)}=` }
  service = await startTestService({ clock, platforms: platformMap(github), environment })
})
afterAll(async () => {
  await service.stop()
  await receiver.close()
})
beforeEach(async () => {
  answer = onePage
  clock.set(noon)
  await service.reset()
  const account = await service.database.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
  accountId = account.id
})

const noJobs = () => expect.poll(() => openJobs(service.database), { timeout: 10_000 }).toBe(0)

describe('after a month that did not pass', () => {
  it('a watch runs at the next instant of its schedule, and asks for what is newer than its last run', async () => {
    const { watchId } = await watchOf(service.client, { schedule: '0 * * * *' })
    const daily = await watchOf(service.client, { schedule: '15 12 * * *', name: 'daily' })
    for (const moment of ['2026-03-20T13:00:00Z', ahead]) {
      clock.set(moment)
      await service.runDueWatches()
      await noJobs()
    }
    clock.set('2026-03-20T13:30:00Z')
    await service.runDueWatches()
    const nextOf = async (id: string) => (await service.client.get(`/api/v1/watches/${id}`)).body.data.nextRunAt
    expect(await nextOf(watchId)).toBe('2026-03-20T14:00:00.000Z')
    expect(await nextOf(daily.watchId)).toBe('2026-03-21T12:15:00.000Z')
    // The run of the clock that was ahead used this instant.
    clock.set('2026-03-20T14:00:05Z')
    await service.runDueWatches()
    await noJobs()
    const runs = await runsOf(service.client, watchId)
    expect(runs.map(({ begunAt }: { begunAt: string }) => begunAt).toSorted()).toEqual([
      '2026-03-20T13:00:00.000Z',
      '2026-03-20T14:00:05.000Z',
      '2026-04-19T12:00:00.000Z',
    ])
    const last = runs.find(({ begunAt }: { begunAt: string }) => begunAt === '2026-03-20T14:00:05.000Z')
    const jobs = service.database.selectFrom('scrape_jobs').select('newest_since')
    const job = await jobs.where('id', '=', last.jobId).executeTakeFirstOrThrow()
    expect(job.newest_since).toEqual(new Date(noon))
  })

  it('a digest is due on the next Monday, and a retry at once', async () => {
    const channel = { type: 'webhook', name: 'hook', url: receiver.url, events: ['credits.low'] }
    const weekly = await service.client.post('/api/v1/channels', { ...channel, cadence: 'weekly' })
    await service.client.post('/api/v1/channels', channel)
    receiver.answer(status(503))
    clock.set(ahead)
    const subject = { percent: 80, month: '2026-03', settled: 80, limit: 100, held: 5, paygBalance: 0 }
    await noteEvent(service.database, { accountId, type: 'credits.low', subject, now: clock.now() })
    await service.deliverEvents()
    const sent = receiver.received.length
    expect(sent).toBe(1)
    receiver.answer(status(204))
    clock.set(half)
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(sent + 1)
    const pending = await service.database
      .selectFrom('channel_deliveries')
      .selectAll()
      .where('due_at', 'is not', null)
      .execute()
    expect(pending).toMatchObject([
      { channel_id: weekly.body.data.channelId, due_at: new Date('2026-03-23T08:00:00Z') },
    ])
    clock.set('2026-03-23T08:00:00Z')
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(sent + 2)
  })

  it('a push whose answer was lost is found, and is one issue', async () => {
    const tracker = await startFakeGithub(() => new Date(noon))
    const fields = { type: 'github', name: 'App', project: 'acme/app', url: tracker.url, token: 'token' }
    const made = await service.client.post('/api/v1/trackers', fields)
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    await service.client.waitForJob(body.data.jobId)
    const { id } = await service.database.selectFrom('requests').select('id').executeTakeFirstOrThrow()
    clock.set(ahead)
    const { trackerId } = made.body.data
    const pushed = await service.client.post(`/api/v1/wishes/${id}/pushes`, { trackerId })
    tracker.breaking = (operation) => (operation === 'Create' ? { kind: 'cut after' } : null)
    await service.deliverEvents()
    tracker.breaking = () => null
    for (const moment of [half, '2026-03-20T12:45:00Z']) {
      clock.set(moment)
      await service.deliverEvents()
    }
    const { data } = (await service.client.get(`/api/v1/pushes/${pushed.body.data.pushId}`)).body
    expect([data.state, tracker.issues.length]).toEqual(['sent', 1])
    await tracker.close()
  })

  it('a job that waits for its platform goes on', async () => {
    // From the present on, because the queue waits by the clock of the database.
    const present = Date.now()
    const month = 30 * 24 * 3_600_000
    clock.set(new Date(present + month))
    await service.runDueWatches()
    answer = async () => {
      throw new PlannedWaitError('rate_limited', 'later', new Date(clock.now().getTime() + 60_000))
    }
    const job = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    expect(job.status).toBe(200)
    const waiting = () => service.database.selectFrom('scrape_tasks').select('waiting_until').executeTakeFirstOrThrow()
    await expect.poll(waiting).toEqual({ waiting_until: new Date(present + month + 60_000) })
    answer = onePage
    clock.set(new Date(present))
    await service.runDueWatches()
    await noJobs()
  })

  it('readings, tries and confirmations are due within their longest waits', async () => {
    const { database } = service
    await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
    await noJobs()
    await sql`insert into request_refreshes (request_id, platform, handle, due_at) select id, platform, 'x', ${ahead} from requests
      on conflict (request_id) do update set due_at = excluded.due_at`.execute(database)
    await sql`insert into judgement_tries (request_id, text_hash, tries, next_try_at) select id, 'x', 1, ${ahead} from requests`.execute(
      database,
    )
    await sql`insert into mail_consents (account_id, address_hash, mailbox_hash, state, is_due, next_confirmation_at, changed_at)
      values (${accountId}, 'a', 'm', 'asked', true, ${ahead}, ${noon})`.execute(database)
    clock.set(ahead)
    await service.runDueWatches()
    clock.set(half)
    await service.runDueWatches()
    const { rows } = await sql`
      select (select due_at from request_refreshes) as reading, (select next_try_at from judgement_tries) as try,
        (select next_confirmation_at from mail_consents) as confirmation`.execute(database)
    const latest = (hours: number) => new Date(Date.parse(half) + (hours + 1) * 3_600_000)
    const reading = (rows[0] as { reading: Date }).reading
    expect(reading.getTime() - Date.parse(half)).toBeLessThanOrEqual(24 * 3_600_000)
    expect(rows).toEqual([{ reading: expect.any(Date), try: latest(7 * 24), confirmation: latest(24) }])
  })
})
