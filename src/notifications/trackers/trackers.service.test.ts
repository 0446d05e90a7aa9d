import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { joinWish } from '../../../test/stored-wish.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { idOf, storeRequests } from '../../sharing/shares/testing.ts'
import { movedClock } from '../../watches/testing.ts'
import { maxPushesOfDay } from './store/pushes.ts'
import { maxTrackers } from './store/trackers.ts'
import { type FakeTracker, startFakeGithub, startFakeLinear } from './testing.ts'

// Holds (Watches, news and channels): a pushed issue's status returns within five minutes, and undo closes it in any state
// Holds (Views): trackers and pushes are private to an account; an issue has no imported text

const minuteMs = 60_000
const token = 'token-that-nobody-may-see'
const clock = movedClock('2026-06-01T12:00:00Z')
const logged: string[] = []
let service: TestService
let [github, linear]: [FakeTracker, FakeTracker] = [null as never, null as never]
let wishId: string

beforeAll(async () => {
  github = await startFakeGithub(clock.now)
  linear = await startFakeLinear(clock.now)
  service = await startTestService({
    clock,
    environment: {
      ALLOW_PRIVATE_TARGETS: 'true',
      SECRETS_KEY: `${'A'.repeat(43)}=`,
      PUBLIC_URL: 'https://wishes.example.org',
    },
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
  })
})
beforeEach(async () => {
  await service.reset()
  for (const fake of [github, linear]) {
    fake.issues.length = 0
    fake.calls.length = 0
    fake.breaking = () => null
  }
  pass(60 * minuteMs)
  await storeRequests(service, [
    foundRequest('1', {
      title: 'Dark mode @octocat #12',
      description: 'Please add a dark mode for @octocat, <b>as in</b> #12, because my eyes hurt at night.',
      votes: 12,
      sourceUrl: 'https://github.com/other/app/issues/5',
    }),
  ])
  wishId = await idOf(service, '1')
})
afterAll(async () => {
  await service.stop()
  await github.close()
  await linear.close()
})

const pass = (milliseconds: number) => clock.set(new Date(clock.now().getTime() + milliseconds))
/** After the pause that GitHub wants between issues. */
const deliver = () => {
  pass(1_000)
  return service.deliverEvents()
}
const githubFields = () => ({ type: 'github', name: 'App', project: 'acme/app', url: github.url, token })
const linearFields = () => ({ type: 'linear', name: 'Team', project: 'APP', url: linear.url, token })

async function make(fields: object = githubFields(), client: TestClient = service.client): Promise<string> {
  const answer = await client.post('/api/v1/trackers', fields)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data.trackerId
}
async function push(trackerId: string, id = wishId) {
  const answer = await service.client.post(`/api/v1/wishes/${id}/pushes`, { trackerId })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const read = async (pushId: string) => (await service.client.get(`/api/v1/pushes/${pushId}`)).body.data
const undo = async (pushId: string) => (await service.client.send('DELETE', `/api/v1/pushes/${pushId}`)).body.data
const change = (path: string, body: object) =>
  service.client.send('PATCH', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const pushed = async (fields?: object) => {
  const { pushId } = await push(await make(fields))
  await deliver()
  return pushId as string
}

describe('a pushed wish', () => {
  it('is one issue, and pushing it again finds that', async () => {
    const trackerId = await make()
    const first = await push(trackerId)
    expect(first).toMatchObject({ wishId, trackerId, state: 'waiting', issue: null, status: null })
    await deliver()
    const again = await push(trackerId)
    await deliver()
    const issue = { key: '#1', url: 'https://github.com/acme/app/issues/1' }
    expect(again).toMatchObject({ pushId: first.pushId, state: 'sent', issue, status: 'open', error: null })
    expect(github.issues).toHaveLength(1)
    const { body } = await service.client.get(`/api/v1/pushes?wishId=${wishId}`)
    expect(body.data.results).toEqual([again])
  })

  it('has numbers, a quotation without mentions, and links that tell nobody', async () => {
    await pushed()
    const [{ title, body }] = github.issues as [FakeTracker['issues'][0]]
    expect(title).toBe('Dark mode @\u200boctocat #\u200b12')
    expect(body).toContain('12 votes · asked for by 1 person · GitHub')
    expect(body).toContain('because my eyes hurt at night')
    expect(body).not.toMatch(/@octocat|#12|<b>/)
    expect(body).toContain('(<https://redirect.github.com/other/app/issues/5>)')
    expect(body).toContain(`(<https://wishes.example.org/wishes/${wishId}>)`)
    await pushed(linearFields())
    expect(linear.issues[0]!.body).toContain('(<https://github.com/other/app/issues/5>)')
  })

  it('has imported asks as a number apart, and none of their texts', async () => {
    const file = 'id,title,votes,author\nown-1,Dark mode for Zelda,4711,Zelda\nown-2,Secret of Zelda,4712,Zelda\n'
    const imported = await service.client.send('POST', '/api/v1/feedback/imports?name=board&areRequests=true', {
      headers: { 'content-type': 'text/csv' },
      body: file,
    })
    expect(imported.status, imported.text).toBe(200)
    const { rows } = await sql<{ id: string }>`
      select id from requests where platform = 'import' order by title`.execute(service.database)
    const [joined, alone] = rows.map(({ id }) => id)
    await joinWish(service.database, wishId, [wishId, joined!])
    const trackerId = await make(linearFields())
    await push(trackerId)
    const { pushId } = await push(trackerId, alone)
    await deliver()
    expect(linear.issues).toHaveLength(1)
    expect(linear.issues[0]!.body).toContain('12 votes · asked for by 1 person · GitHub')
    expect(linear.issues[0]!.body).toContain('Own feedback, in none of these numbers: 1 ask by 1 person.')
    expect(JSON.stringify(linear.issues)).not.toMatch(/Zelda|471/)
    expect(await read(pushId)).toMatchObject({ state: 'nothing_left', drafts: [] })
  })

  it('that was purged before it was sent is not', async () => {
    const { pushId } = await push(await make())
    await purgeRequests(service.database, { id: wishId, suppress: false, dryRun: false, now: clock.now() })
    await deliver()
    expect(github.issues).toEqual([])
    expect(await read(pushId)).toMatchObject({ state: 'nothing_left', issue: null })
  })

  it('finds the push of a wish that was merged into it', async () => {
    await storeRequests(service, [foundRequest('2', { title: 'Night theme', votes: 50 })])
    const other = await idOf(service, '2')
    const trackerId = await make()
    const { pushId } = await push(trackerId)
    const merge = { kind: 'merge', wishId: other, otherWishId: wishId }
    const merged = await service.client.post('/api/v1/corrections/wishes', merge)
    expect(merged.status, merged.text).toBe(200)
    expect(await push(trackerId, other)).toMatchObject({ pushId })
    expect((await service.client.get(`/api/v1/pushes?wishId=${other}`)).body.data.results).toMatchObject([{ pushId }])
  })
})

describe('the status of an issue', () => {
  it.each([
    ['github', 'COMPLETED', 'completed'],
    ['github', 'NOT_PLANNED', 'declined'],
    ['linear', 'started', 'in_progress'],
    ['linear', 'canceled', 'declined'],
  ] as const)('of %s is back within five minutes: %s', async (type, state, status) => {
    const pushId = await pushed(type === 'github' ? githubFields() : linearFields())
    const fake = type === 'github' ? github : linear
    fake.issues[0]!.state = state
    for (let minute = 0; minute < 5; minute++) {
      pass(minuteMs)
      await deliver()
    }
    expect(await read(pushId)).toMatchObject({ state: 'sent', status })
    const { body } = await service.client.get(`/api/v1/wishes/${wishId}`)
    expect(body.data.status).not.toBe(status)
  })

  it('of many is read in one call, and an issue that was deleted is gone: pushed again it is another', async () => {
    const ids = ['2', '3', '4']
    await storeRequests(
      service,
      ids.map((id) => foundRequest(id, { title: `Another thing ${id}` })),
    )
    const trackerId = await make(linearFields())
    const pushes = []
    for (const id of [wishId, ...(await Promise.all(ids.map((one) => idOf(service, one))))])
      pushes.push(await push(trackerId, id))
    await deliver()
    linear.calls.length = 0
    linear.issues[0]!.state = 'trashed'
    pass(5 * minuteMs)
    await deliver()
    expect(linear.calls.map(({ operation }) => operation)).toEqual(['Issues'])
    const states = await Promise.all(pushes.map(async ({ pushId }) => (await read(pushId)).state))
    expect(states.toSorted()).toEqual(['gone', 'sent', 'sent', 'sent'])
    const gone = pushes[states.indexOf('gone')]!
    const again = await push(trackerId, gone.wishId)
    expect(again.pushId).not.toBe(gone.pushId)
    await deliver()
    expect(linear.issues).toHaveLength(5)
  })

  it('is what a draft says, for a person to send', async () => {
    const pushId = await pushed()
    const sourceUrl = 'https://github.com/other/app/issues/5'
    expect((await read(pushId)).drafts).toEqual([
      { requestId: wishId, platform: 'github', sourceUrl, text: 'Thank you for asking for this. We track it as #1.' },
    ])
    github.issues[0]!.state = 'COMPLETED'
    pass(5 * minuteMs)
    await deliver()
    expect((await read(pushId)).drafts).toMatchObject([{ text: 'Thank you for asking for this. It is done now (#1).' }])
  })
})

describe('an undo', () => {
  it('of what waits is at once, and it is never sent', async () => {
    const trackerId = await make()
    const { pushId } = await push(trackerId)
    expect(await undo(pushId)).toMatchObject({ state: 'undone' })
    await deliver()
    expect(github.calls.map(({ operation }) => operation)).toEqual(['Repository'])
    expect(await undo(pushId)).toMatchObject({ state: 'undone' })
  })

  it('of what was sent closes the issue; pushed again it is another', async () => {
    for (const [fields, fake, closed] of [
      [githubFields(), github, 'NOT_PLANNED'],
      [linearFields(), linear, 'trashed'],
    ] as const) {
      const trackerId = await make(fields)
      const { pushId } = await push(trackerId)
      await deliver()
      expect(await undo(pushId)).toMatchObject({ state: 'undoing' })
      const refused = await service.client.post(`/api/v1/wishes/${wishId}/pushes`, { trackerId })
      expect(refused.status).toBe(409)
      await deliver()
      expect(await read(pushId)).toMatchObject({ state: 'undone', drafts: [] })
      expect(fake.issues.map(({ state }) => state)).toEqual([closed])
      await push(trackerId)
      await deliver()
      expect(fake.issues).toHaveLength(2)
    }
  })

  it.each(['Newest', 'Create'])('while it is being sent, during %s, leaves no open issue', async (during) => {
    const { pushId } = await push(await make())
    github.breaking = async (operation) => {
      if (operation === during) await undo(pushId)
      return null
    }
    await deliver()
    github.breaking = () => null
    pass(2 * minuteMs)
    await deliver()
    expect(await read(pushId)).toMatchObject({ state: 'undone' })
    expect(github.issues.map(({ state }) => state)).toEqual(during === 'Create' ? ['NOT_PLANNED'] : [])
  })

  it('of an issue that is gone, and of a push that failed, needs nothing of the tracker', async () => {
    const pushId = await pushed()
    github.issues.length = 0
    pass(5 * minuteMs)
    await deliver()
    expect(await read(pushId)).toMatchObject({ state: 'gone' })
    expect(await undo(pushId)).toMatchObject({ state: 'undone' })
    const trackerId = await make(linearFields())
    const extensions = { code: 'INVALID_INPUT', validationErrors: [{ property: 'title', value: 'Secret' }] }
    linear.breaking = (operation) =>
      operation === 'Issues'
        ? { kind: 'status', status: 400, body: { errors: [{ message: 'Secret', extensions }] } }
        : null
    const failed = await push(trackerId)
    await deliver()
    expect(await read(failed.pushId)).toMatchObject({
      state: 'failed',
      error: 'Linear refuses it (INVALID_INPUT): title.',
    })
    expect(await undo(failed.pushId)).toMatchObject({ state: 'undone' })
  })
})

describe('a tracker', () => {
  it.each([
    [{ project: 'acme/unknown' }, 'project'],
    [{ project: 'acme' }, 'project'],
    [{ token: undefined }, 'token'],
    [{ url: 'ftp://example.org' }, 'url'],
    [{ url: 'http://127.0.0.1:2' }, 'url'],
    [{ issueType: 'Bug' }, 'issueType'],
  ])('with %j is a 400 that names the field', async (changed, field) => {
    const answer = await service.client.post('/api/v1/trackers', { ...githubFields(), ...changed })
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.error.details[0].path).toBe(field)
  })

  it('whose token is not taken any more keeps what waits, says why, and goes on with another', async () => {
    const trackerId = await make()
    const { pushId } = await push(trackerId)
    github.breaking = () => ({ kind: 'status', status: 401 })
    await deliver()
    const error = 'GitHub does not take the token (401).'
    expect(await read(pushId)).toMatchObject({ state: 'waiting', error })
    expect((await service.client.get('/api/v1/trackers')).body.data.results).toMatchObject([{ trackerId, error }])
    expect((await change(`/api/v1/trackers/${trackerId}`, { token: 'also wrong' })).status).toBe(400)
    github.breaking = () => null
    const changed = await change(`/api/v1/trackers/${trackerId}`, { token: 'another' })
    expect(changed.body.data).toMatchObject({ trackerId, name: 'App', error: null })
    await deliver()
    expect(await read(pushId)).toMatchObject({ state: 'sent' })
    expect(github.calls.at(-1)!.authorization).toBe('Bearer another')
  })

  it('that asks to wait is left alone so long', async () => {
    const { pushId } = await push(await make())
    github.breaking = () => ({ kind: 'status', status: 429, headers: { 'retry-after': '1800' } })
    await deliver()
    github.breaking = () => null
    github.calls.length = 0
    pass(29 * minuteMs)
    await deliver()
    expect(github.calls).toEqual([])
    pass(2 * minuteMs)
    await deliver()
    expect(await read(pushId)).toMatchObject({ state: 'sent' })
  })

  it.each([
    'was submitted too quickly',
    'You have triggered an abuse detection mechanism. Please wait a few minutes before you try again.',
    'Your account has been temporarily blocked from content creation.',
  ])('that names a limit in words alone is left alone, and the push is sent later: %s', async (message) => {
    const { pushId } = await push(await make())
    const errors = [{ type: 'UNPROCESSABLE', path: ['createIssue'], message }]
    github.breaking = (operation) => (operation === 'Create' ? { kind: 'status', status: 200, body: { errors } } : null)
    await deliver()
    expect(await read(pushId)).toMatchObject({ state: 'waiting', error: 'GitHub asks to wait.' })
    github.breaking = () => null
    pass(61_000)
    await deliver()
    expect(await read(pushId)).toMatchObject({ state: 'sent', error: null })
  })

  it('of GitHub gets one issue in a second, also of several that wait', async () => {
    await storeRequests(
      service,
      ['2', '3'].map((id) => foundRequest(id, { title: `Another thing ${id}` })),
    )
    const trackerId = await make()
    for (const id of ['1', '2', '3']) await push(trackerId, await idOf(service, id))
    for (const issues of [1, 2, 3]) {
      await service.deliverEvents()
      await service.deliverEvents()
      expect(github.issues).toHaveLength(issues)
      pass(1_000)
    }
  })

  it('that fails thrice in a row rests, though each push is a round of its own', async () => {
    await storeRequests(
      service,
      ['2', '3', '4', '5'].map((id) => foundRequest(id, { title: `Another thing ${id}` })),
    )
    const trackerId = await make()
    for (const id of ['1', '2', '3', '4', '5']) await push(trackerId, await idOf(service, id))
    github.calls.length = 0
    github.breaking = () => ({ kind: 'status', status: 502 })
    for (let second = 0; second < 6; second++) await deliver()
    expect(github.calls).toHaveLength(3)
    github.breaking = () => null
    for (let minute = 0; minute < 20; minute++) {
      pass(minuteMs)
      await deliver()
    }
    expect(github.issues).toHaveLength(5)
  })

  it('shows its token nowhere', async () => {
    await pushed()
    const listed = await service.client.get('/api/v1/trackers')
    expect(listed.body.data.results).toMatchObject([
      { type: 'github', name: 'App', target: expect.stringContaining('acme/app') },
    ])
    const { rows } = await sql`select trackers::text from trackers union all select pushes::text from pushes`.execute(
      service.database,
    )
    for (const text of [listed.text, JSON.stringify(rows), logged.join()]) expect(text).not.toContain(token)
  })

  it('is of one account: for another it does not exist, nor do its pushes', async () => {
    const trackerId = await make()
    const { pushId } = await push(trackerId)
    const { client, accountId } = await service.createAccount()
    expect((await client.post(`/api/v1/wishes/${wishId}/pushes`, { trackerId })).status).toBe(404)
    expect((await client.get(`/api/v1/pushes/${pushId}`)).status).toBe(404)
    expect((await client.send('DELETE', `/api/v1/pushes/${pushId}`)).status).toBe(404)
    expect((await client.send('DELETE', `/api/v1/trackers/${trackerId}`)).status).toBe(404)
    for (const path of ['/api/v1/trackers', '/api/v1/pushes', `/api/v1/pushes?wishId=${wishId}`])
      expect((await client.get(path)).body.data.results).toEqual([])
    await make(linearFields(), client)
    const admin = service.clientFor(service.adminKey)
    expect((await admin.send('DELETE', `/api/admin/accounts/${accountId}`)).status).toBe(200)
    expect(await service.database.selectFrom('trackers').select('id').execute()).toEqual([{ id: trackerId }])
  })

  it('that is deleted forgets its pushes, and leaves the issues', async () => {
    const trackerId = await make()
    const { pushId } = await push(trackerId)
    await deliver()
    expect((await service.client.send('DELETE', `/api/v1/trackers/${trackerId}`)).status).toBe(200)
    expect((await service.client.get(`/api/v1/pushes/${pushId}`)).status).toBe(404)
    await deliver()
    expect(github.issues.map(({ state }) => state)).toEqual(['OPEN'])
  })

  it('is one of so many, and so many wishes are pushed in a day', async () => {
    const [trackerId] = await Promise.all(Array.from({ length: maxTrackers }, () => make()))
    expect((await service.client.post('/api/v1/trackers', githubFields())).status).toBe(409)
    await sql`
      insert into pushes (account_id, tracker_id, wish_id, state, made_by, created_at)
      select account_id, id, gen_random_uuid(), 'undone', 'admin', ${clock.now()} from trackers, generate_series(1, ${maxPushesOfDay})
      where id = ${trackerId}`.execute(service.database)
    expect((await service.client.post(`/api/v1/wishes/${wishId}/pushes`, { trackerId })).status).toBe(409)
    pass(25 * 60 * minuteMs)
    await push(trackerId!)
  })
})
