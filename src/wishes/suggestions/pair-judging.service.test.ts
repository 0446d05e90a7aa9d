import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  answersWith,
  type FakeModel,
  type ModelBehaviour,
  sends,
  startFakeModel,
} from '../../../test/fake-model/fake-model.ts'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Platform } from '../../platforms/platform.ts'
import type { JudgingConfig } from '../../requests/judging/settings.ts'
import { agreeingSimilarity, createPairJudging } from './pair-judging.ts'

// Holds (Live calls): at most `AI_PAIRS_PER_DAY` pairs of wishes are sent to a model in a UTC day, each by one process
// Holds (Data): a model joins wishes only if their texts are alike enough, and the merge can be undone

const platforms = new Map<PlatformName, Platform>()
let service: TestService
let fake: FakeModel
let now: Date
let logged: { reason?: string }[]

const texts = [
  ['Dark mode for the editor', 'White hurts my eyes at night, so give the editor dark colours.', 9],
  ['Dark mode for the terminal', 'White hurts my eyes at night, so give the terminal dark colours.', 1],
  ['Export the table as CSV', 'I open the exported table in a spreadsheet each week.', 3],
  ['Export the table as XML', 'I open the exported table in a spreadsheet each month.', 0],
] as const

beforeAll(async () => {
  fake = await startFakeModel()
  service = await startTestService({ platforms })
})
afterAll(async () => {
  await service.stop()
  await fake.stop()
})
beforeEach(async () => {
  await service.reset()
  fake.calls.length = 0
  now = new Date('2026-06-01T12:00:00Z')
  logged = []
  const requests = texts.map(([title, description, votes]) =>
    foundRequest(title, { title, description, votes, tags: [], confidence: 1, sourceName: 'acme/app' }),
  )
  platforms.set(
    'github',
    scriptedPlatform('github', () => ({ requests, nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic: 'all', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId, 30_000)
  await service.placeRequests()
})

const says = (same: unknown): ModelBehaviour => answersWith({ content: JSON.stringify({ same }) })
const judge = (config: Partial<JudgingConfig> = {}) =>
  createPairJudging({
    database: service.database,
    clock: { now: () => now },
    log: { warn: (fields) => void logged.push(fields), error: (fields) => void logged.push(fields) },
    config: {
      model: { baseUrl: fake.baseUrl, apiKey: 'sk-secret', name: 'small-model', timeoutMs: 30_000, maxTokens: 100 },
      perDay: 0,
      pairsPerDay: 100,
      excludedPlatforms: [],
      ...config,
    },
  }).run()

interface Asked {
  wishes: { title: string }[]
  judgedSame: boolean | null
}
const asked = async () =>
  ((await service.client.get('/api/v1/suggestions/wishes')).body.data.results as Asked[]).map(
    ({ wishes, judgedSame }) => [wishes[0]!.title.split(' ')[0], judgedSame],
  )
const setSimilarity = (similarity: number) =>
  sql`update wish_suggestions set similarity = ${similarity}`.execute(service.database)

describe('a pair that may be the same', () => {
  it('is sent as data, the most votes times similarity first, and what the model says is shown', async () => {
    fake.behave(says(false))
    await judge()
    const sent = fake.calls.map(({ body }) => JSON.parse(body.messages[1]!.content))
    expect(sent[0].one.title).toMatch(/^Dark mode/)
    expect(sent[0].other).toEqual({
      platform: 'github',
      product: 'acme/app',
      title: expect.stringMatching(/^Dark mode/),
      text: expect.stringContaining('White hurts'),
    })
    expect(sent[1].one.title).toMatch(/^Export/)
    expect(await asked()).toEqual([
      ['Dark', false],
      ['Export', false],
    ])
    // Nothing is asked twice.
    await judge()
    expect(fake.calls).toHaveLength(2)
  })

  it('is joined for all where the model says so and the texts are alike enough, and parted again by the operator', async () => {
    fake.behave(says(true))
    await setSimilarity(agreeingSimilarity)
    await judge({ pairsPerDay: 1 })
    expect(await asked()).toEqual([['Export', null]])
    const admin = service.clientFor(service.adminKey)
    const [merge] = (await admin.get('/api/admin/corrections/wishes')).body.data.results
    expect(merge).toMatchObject({ kind: 'merge', madeBy: 'model', request: { title: 'Dark mode for the terminal' } })
    const isMarked = async () => (await service.client.get(`/api/v1/wishes/${merge.wishId}`)).body.data.isMergedByModel
    expect(await isMarked()).toBe(true)
    await admin.send('DELETE', `/api/admin/corrections/wishes/${merge.correctionId}`)
    expect(await isMarked()).toBe(false)
    expect(await asked()).toEqual([
      ['Dark', true],
      ['Export', null],
    ])
    await setSimilarity(agreeingSimilarity * 0.99)
    now = new Date('2026-06-02T12:00:00Z')
    await judge({ pairsPerDay: 1 })
    expect(await asked()).toEqual([
      ['Dark', true],
      ['Export', true],
    ])
  })

  it('is not sent nor counted while the operator skips it', async () => {
    const admin = service.clientFor(service.adminKey)
    const [first] = (await admin.get('/api/admin/suggestions/wishes')).body.data.results
    const given = await admin.post(`/api/admin/suggestions/wishes/${first.suggestionId}`, { answer: 'skip' })
    fake.behave(says(false))
    await judge({ pairsPerDay: 1 })
    expect(fake.calls).toHaveLength(1)
    await admin.send('DELETE', `/api/admin/corrections/wishes/${given.body.data.correctionId}`)
    expect(await asked()).toEqual([
      ['Dark', null],
      ['Export', false],
    ])
  })

  it('is sent within the maximum of a day, by one of several processes, and not of excluded platforms', async () => {
    fake.behave(says(false))
    await judge({ excludedPlatforms: ['github'] })
    expect(fake.calls).toHaveLength(0)
    await Promise.all([judge({ pairsPerDay: 1 }), judge({ pairsPerDay: 1 }), judge({ pairsPerDay: 1 })])
    expect(fake.calls).toHaveLength(1)
  })

  it.each<[string, ModelBehaviour]>([
    ['another form', says('yes')],
    ['text', answersWith({ content: 'They are the same.' })],
    ['a failure', sends(500, 'oops')],
  ])('stays as it is after %s, and is asked again an hour later', async (_of, behaviour) => {
    fake.behave(behaviour)
    await judge()
    expect((await asked()).map(([, judged]) => judged)).toEqual([null, null])
    expect(logged.length).toBeGreaterThan(0)
    fake.behave(says(false))
    const before = fake.calls.length
    now = new Date(now.getTime() + 61 * 60_000)
    await judge()
    expect(fake.calls.length - before).toBe(2)
  })
})
