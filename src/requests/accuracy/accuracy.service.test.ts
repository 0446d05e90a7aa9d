import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService, testAdminKey } from '../../../test/service.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Platform } from '../../platforms/platform.ts'
import { movedClock } from '../../watches/testing.ts'
import { reclassifySlice } from './reclassifying.ts'

// Holds (Search, lists and export): detection's accuracy comes from corrections of drawn texts, never of chosen ones
// Holds (Search, lists and export): a strict account sees and counts only what is at least as likely a request as not; others see no difference
// Holds (Search, lists and export): twenty texts a week are drawn once each from all classes visible to the account, also by simultaneous calls; purges delete draws

const clock = movedClock('2026-11-24T12:00:00Z')
const confidences = [0.99, 0.99, 0.99, 0.001]
const found = Array.from({ length: 80 }, (_, index) =>
  foundRequest(`${index}`, { title: `Text ${index}`, confidence: confidences[index % 4]! }),
)
const platforms = new Map<PlatformName, Platform>([
  ['github', scriptedPlatform('github', () => ({ requests: found, nextCursor: null }))],
])
let service: TestService

beforeAll(async () => {
  service = await startTestService({ platforms, clock })
})
beforeEach(async () => {
  clock.set('2026-11-24T12:00:00Z')
  const { body } = await service.client.scrape({ topic: 'texts', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
})
afterEach(() => service.reset())
afterAll(() => service.stop())

interface DrawnText {
  _id: string
  likelihood: string
}
const admin = () => service.clientFor(testAdminKey)
const v1 = '/api/v1'
const all = '/api/admin'
const draw = async (client: TestClient, prefix = v1): Promise<{ week: string; drawn: number; texts: DrawnText[] }> => {
  const answer = await client.post(`${prefix}/accuracy/draw`, {})
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const correct = (client: TestClient, requestId: string, isRequest: boolean, prefix = v1) =>
  client.post(`${prefix}/corrections/requests`, { requestId, isRequest })
const accuracy = async (client: TestClient, prefix = v1) => (await client.get(`${prefix}/accuracy`)).body.data
const likely = (texts: DrawnText[]) => texts.filter(({ likelihood }) => likelihood === 'likely')
const rows = () => service.database.selectFrom('label_draws').selectAll().execute()

describe('the draw of a week', () => {
  it('has twenty texts of all classes, the same for each call, and for calls at once', async () => {
    const answers = await Promise.all([
      draw(service.client),
      draw(service.client),
      draw(admin(), all),
      draw(admin(), all),
    ])
    for (const { week, drawn, texts } of answers) {
      expect([week, drawn, new Set(texts.map(({ _id }) => _id)).size]).toEqual(['2026-11-23', 20, 20])
      // None may be a request: their places go to the hidden ones.
      expect(likely(texts)).toHaveLength(8)
    }
    expect(answers[0]).toEqual(answers[1])
    expect(answers[2]).toEqual(answers[3])
    expect(await rows()).toHaveLength(40)
  })

  it('is answered by corrections, and never has an answered text again', async () => {
    const { texts } = await draw(service.client)
    await correct(service.client, texts[0]!._id, true)
    const left = await draw(service.client)
    expect([left.drawn, left.texts]).toEqual([20, texts.slice(1)])

    clock.set('2026-12-01T12:00:00Z')
    const next = await draw(service.client)
    expect([next.week, next.drawn, next.texts.length]).toEqual(['2026-11-30', 20, 20])
    expect(next.texts.map(({ _id }) => _id)).not.toContain(texts[0]!._id)
    // What was left open is given up.
    expect(await rows()).toHaveLength(21)
  })

  it('has only what the account sees, in the class in which it sees it', async () => {
    const hidden = await service.database.selectFrom('requests').select('id').where('standing', '=', 0).execute()
    for (const { id } of hidden) await correct(service.client, id, true)
    const { drawn, texts } = await draw(service.client)
    expect([drawn, likely(texts).length]).toEqual([20, 20])
    const other = await service.createAccount()
    expect(likely((await draw(other.client)).texts)).toHaveLength(8)
  })

  it('is deleted by a purge, and with the account', async () => {
    const other = await service.createAccount()
    const [text] = (await draw(other.client)).texts as [DrawnText]
    await correct(other.client, text._id, true)
    expect((await admin().post('/api/admin/purge', { id: text._id })).status).toBe(200)
    expect((await rows()).filter(({ request_id: id }) => id === text._id)).toEqual([])
    expect((await admin().send('DELETE', `/api/admin/accounts/${other.accountId}`)).status).toBe(200)
    expect(await rows()).toEqual([])
  })
})

describe('the accuracy', () => {
  const none = { labels: 0, from: null, share: null, low: null, high: null }

  it('follows from drawn texts alone: the own ones, else those of the operator', async () => {
    const nothing = { shown: none, maybe: none, hidden: none, platforms: [], strictness: 'usual' }
    expect(await accuracy(service.client)).toEqual(nothing)
    const own = await draw(service.client)
    const chosen = await service.database
      .selectFrom('requests')
      .select('id')
      .where(
        'id',
        'not in',
        own.texts.map(({ _id }) => _id),
      )
      .execute()
    for (const { id } of chosen) await correct(service.client, id, false)
    expect(await accuracy(service.client)).toEqual(nothing)
    for (const { _id, likelihood } of own.texts) await correct(service.client, _id, likelihood === 'likely')
    const mine = await accuracy(service.client)
    expect(mine.shown).toEqual({ ...none, labels: 8 })
    expect(mine.hidden).toMatchObject({ labels: 12, from: 'account', share: 0, low: 0, high: expect.closeTo(0.265, 3) })

    for (const monday of ['2026-11-23', '2026-11-30']) {
      clock.set(`${monday}T01:00:00Z`)
      const { texts } = await draw(admin(), all)
      for (const [index, { _id }] of likely(texts).entries()) await correct(admin(), _id, index % 4 > 0, all)
    }
    const shown = { labels: 16, from: 'operator', share: 0.75, low: expect.any(Number), high: expect.any(Number) }
    expect(await accuracy(admin(), all)).toMatchObject({ shown, hidden: none })
    expect(await accuracy(service.client)).toMatchObject({
      ...{ shown, hidden: mine.hidden },
      platforms: [{ platform: 'github', shown, hidden: mine.hidden }],
    })
    const other = await service.createAccount()
    expect(await accuracy(other.client)).toMatchObject({ shown, hidden: none })
  })
})

it('a strict account is shown the surer texts alone, and nobody else sees a difference', async () => {
  // Likely as usual, and less likely a request than not.
  await changeRequests(service.database, sql`update requests set confidence = 0.4 where source_id::integer % 4 = 0`)
  const other = await service.createAccount()
  const turn = async (strictness: string) => {
    const answer = await service.client.send('PUT', '/api/v1/accuracy', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ strictness }),
    })
    while (await reclassifySlice(service.database));
    return answer
  }
  const counted = async (client: TestClient, include = '') => {
    const { body } = await client.get(`/api/v1/requests?limit=100${include}`)
    const { topics } = (await client.get('/api/v1/topics')).body.data
    return [body.data.results.length, topics?.[0]?.requests]
  }
  const usual = await counted(service.client)
  expect((await turn('strict')).body.data.strictness).toBe('strict')
  expect((await accuracy(service.client)).strictness).toBe('strict')
  expect((await counted(service.client))[0]).toBe(40)
  expect((await counted(service.client, '&include=maybe'))[0]).toBe(60)
  expect([await counted(other.client), (await accuracy(other.client)).strictness]).toEqual([usual, 'usual'])
  expect((await turn('usual')).status).toBe(200)
  expect(await counted(service.client)).toEqual(usual)
  expect((await turn('no')).body.error.code).toBe('INVALID_REQUEST')
})
