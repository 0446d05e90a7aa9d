import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import { noteEvent } from '../../accounts/events/events.ts'
import { readMail, startMailServer, type TestMailServer } from '../mail/testing.ts'
import { type Receiver, startReceiver } from './testing.ts'

// Holds (Watches, news and channels): what was purged or hidden is not sent on any channel

let service: TestService
let receiver: Receiver
let mailServer: TestMailServer
let requests: { id: string; title: string }[]

beforeAll(async () => {
  receiver = await startReceiver()
  mailServer = await startMailServer()
  service = await startTestService({
    platforms: platformMap(scriptedPlatform('github', numberedPages(1, 3))),
    environment: {
      ALLOW_PRIVATE_TARGETS: 'true',
      SECRETS_KEY: `${'A'.repeat(43)}=`,
      APPRISE_URL: receiver.url,
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'news@wishwell.example',
      PUBLIC_URL: 'https://wishwell.example',
    },
  })
})
beforeEach(async () => {
  const { body } = await service.client.scrape({ topic: 'maps', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
  requests = await service.database.selectFrom('requests').select(['id', 'title']).orderBy('source_id').execute()
  receiver.received.length = 0
  mailServer.mails.length = 0
})
afterEach(() => service.reset())
afterAll(async () => {
  await service.stop()
  await receiver.close()
  await mailServer.close()
})

const json = { 'content-type': 'application/json' }
const mark = (wishId: string, body: object) =>
  service.client.send('PUT', `/api/v1/wishes/${wishId}/mark`, { headers: json, body: JSON.stringify(body) })
const webTypes = ['webhook', 'slack', 'discord', 'ntfy', 'apprise']
const types = [...webTypes, 'email']

/** One channel of each type, told of changes of status. */
async function addChannels(more: object = {}): Promise<void> {
  const fields: Record<string, object> = {
    webhook: { url: `${receiver.url}/webhook` },
    slack: { url: `${receiver.url}/slack` },
    discord: { url: `${receiver.url}/discord` },
    ntfy: { server: `${receiver.url}/ntfy`, topic: 'topic', token: 'tk_secret' },
    apprise: { tag: 'team' },
    email: { address: 'reader@example.org' },
  }
  for (const type of types) {
    const body = { type, name: type, events: ['wish.status_changed'], ...fields[type], ...more }
    const answer = await service.client.post('/api/v1/channels', body)
    expect(answer.status, answer.text).toBe(200)
  }
  // As its owner's confirmation does.
  await sql`update mail_consents set state = 'confirmed', is_due = false`.execute(service.database)
  await sql`update channels set state = 'active'`.execute(service.database)
}
/** The mails without those that ask for a confirmation. */
const readNews = async () =>
  (await Promise.all(mailServer.mails.map(readMail))).filter(({ subject }) => !subject?.includes('onfirm'))
const completed = (requestId: string) =>
  noteEvent(service.database, {
    accountId: null,
    type: 'wish.status_changed',
    subject: { requestId, status: 'completed', previousStatus: 'open' },
    now: new Date(),
  })
const purge = async (id: string) => {
  const answer = await service.clientFor(service.adminKey).post('/api/admin/purge', { id })
  expect(answer.status, answer.text).toBe(200)
}
const states = async () =>
  (await service.database.selectFrom('channel_deliveries').select('state').execute()).map(({ state }) => state)

describe('a change of status', () => {
  it('is told on every type of channel to the accounts that marked the wish', async () => {
    await addChannels()
    await mark(requests[0]!.id, { starred: true })
    await mark(requests[1]!.id, { mark: 'ignored' })
    for (const { id } of requests) await completed(id)
    await service.deliverEvents()
    expect(receiver.received.map(({ path }) => path).toSorted()).toEqual([
      '/discord',
      '/notify/wishwell',
      '/ntfy/',
      '/slack',
      '/webhook',
    ])
    const mails = await readNews()
    expect(mails).toHaveLength(1)
    expect(mails[0]!.html).toContain(`/wishes/${requests[0]!.id}`)
    for (const { path, body } of receiver.received) {
      expect(body, path).toContain(`/wishes/${requests[0]!.id}`.slice(0, path === '/ntfy/' ? 0 : undefined))
      expect(JSON.stringify(JSON.parse(body)), path).toContain(
        path === '/notify/wishwell' || path === '/ntfy/' ? 'Request' : 'equest',
      )
    }
    const ntfy = receiver.received.find(({ path }) => path === '/ntfy/')!
    expect([ntfy.headers.authorization, JSON.parse(ntfy.body).topic]).toEqual(['Bearer tk_secret', 'topic'])
    const apprise = receiver.received.find(({ path }) => path === '/notify/wishwell')!
    expect(JSON.parse(apprise.body)).toMatchObject({ tag: 'team', format: 'text' })
  })

  it('of a request that is purged before it is sent is told on none', async () => {
    await addChannels()
    const [{ id, title }] = requests as [(typeof requests)[0]]
    await mark(id, { starred: true })
    await completed(id)
    // Fanned out and claimed once: the purge is the last thing before the attempt.
    await sql`update channels set claimed_by = gen_random_uuid(), claimed_until = now() + interval '1 minute'`.execute(
      service.database,
    )
    await service.deliverEvents()
    expect(await states()).toEqual(types.map(() => 'pending'))
    await purge(id)
    await sql`update channels set claimed_until = now() - interval '1 second'`.execute(service.database)
    await service.deliverEvents()
    expect(receiver.received).toEqual([])
    expect(await readNews()).toEqual([])
    expect(await states()).toEqual(types.map(() => 'nothing_left'))
    const { rows } = await sql<{ text: string }>`
      select (select coalesce(string_agg(events::text, ''), '') from events) || (select coalesce(string_agg(d::text, ''), '') from channel_deliveries as d) as text`.execute(
      service.database,
    )
    expect(rows[0]!.text).not.toContain(title)
  })

  it('of a request that is purged is left out of a digest', async () => {
    await addChannels({ cadence: 'daily' })
    const [gone, kept] = requests as [(typeof requests)[0], (typeof requests)[0]]
    for (const { id } of [gone, kept]) {
      await mark(id, { starred: true })
      await completed(id)
    }
    await service.deliverEvents()
    await purge(gone.id)
    await sql`update channel_deliveries set due_at = now() - interval '1 second'`.execute(service.database)
    await sql`update channels set due_at = now() - interval '1 second'`.execute(service.database)
    await service.deliverEvents()
    expect(receiver.received).toHaveLength(webTypes.length)
    const mails = await readNews()
    expect(mails).toHaveLength(1)
    for (const text of [mails[0]!.html, mails[0]!.text]) {
      expect(text).toContain(kept.id)
      for (const purged of [gone.id, gone.title]) expect(text).not.toContain(purged)
    }
    for (const { path, body } of receiver.received) {
      expect(body, path).not.toContain(gone.id)
      if (path === '/webhook') expect(JSON.parse(body).data.events).toMatchObject([{ data: { requestId: kept.id } }])
    }
    expect((await states()).toSorted()).toEqual([...types.map(() => 'delivered'), ...types.map(() => 'nothing_left')])
  })

  it('is not told to an account that does not see the request', async () => {
    await addChannels()
    const [{ id }] = requests as [(typeof requests)[0]]
    await mark(id, { starred: true })
    await completed(id)
    await changeRequests(service.database, sql`update requests set standing = 0 where id = ${id}`)
    await service.deliverEvents()
    expect(receiver.received).toEqual([])
    expect(await readNews()).toEqual([])
  })
})

describe('a scrape job', () => {
  it('that has ended is told with its numbers, to its account alone', async () => {
    const answer = await service.client.post('/api/v1/channels', {
      type: 'webhook',
      name: 'jobs',
      events: ['scrape.completed'],
      url: receiver.url,
    })
    expect(answer.status).toBe(200)
    const job = await service.database.selectFrom('scrape_jobs').selectAll().executeTakeFirstOrThrow()
    const other = await service.createAccount()
    const subject = { jobId: job.id, watchId: null }
    // That of its account was noted when it ended.
    await noteEvent(service.database, {
      accountId: other.accountId,
      type: 'scrape.completed',
      subject,
      now: new Date(),
    })
    await service.deliverEvents()
    expect(receiver.received.map(({ body }) => JSON.parse(body).data)).toEqual([
      {
        jobId: job.id,
        watchId: null,
        topic: 'maps',
        status: 'completed',
        requestsFound: 3,
        requestsCreated: 3,
        platformsFailed: 0,
      },
    ])
  })
})
