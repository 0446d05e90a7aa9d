import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answersWith, type FakeModel, sends, startFakeModel } from '../../../../test/fake-model/fake-model.ts'
import { foundRequest } from '../../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../../test/service.ts'
import { purgeRequests } from '../../../requests/purge/purge.ts'
import { storeRequests } from '../../shares/testing.ts'
import { briefFormats } from '../files.ts'
import type { Brief } from '../schemas.ts'
import type { Sentence } from './check.ts'

// Holds (Search, lists and export): a brief has a model's sentences that it proves, counts the others, and needs no model

let service: TestService
let fake: FakeModel
const now = new Date('2026-06-01T12:00:00.000Z')
beforeAll(async () => {
  fake = await startFakeModel()
  service = await startTestService({
    clock: { now: () => now },
    environment: { AI_BASE_URL: fake.baseUrl, AI_MODEL: 'fake', AI_JUDGED_EXCLUDED_PLATFORMS: 'lemmy' },
  })
})
beforeEach(async () => {
  await service.reset()
  fake.calls.length = 0
  await storeRequests(service, [
    foundRequest('1', { title: 'Dark mode', description: 'Please add a dark mode to the editor.', votes: 30 }),
    foundRequest('2', {
      title: 'Offline sync',
      description: 'It would be great to sync my notes offline.',
      votes: 12,
      authorHandle: 'bob',
      authorName: 'Bob',
    }),
  ])
  await storeRequests(
    service,
    [foundRequest('3', { title: 'Never sent', description: 'Please never send this text to anybody.', votes: 5 })],
    { platform: 'lemmy' },
  )
})
afterAll(async () => {
  await service.stop()
  await fake.stop()
})

const right: Sentence[] = [
  { text: 'Dark mode has 30 votes from one request.', wishes: ['1'], quotes: [] },
  { text: 'bob asked: “It would be great to sync my notes offline.”', wishes: ['2'], quotes: ['2a'] },
]
const wrong: Sentence[] = [
  { text: 'Dark mode has 31 votes.', wishes: ['1'], quotes: [] },
  { text: 'ada asked: “It would be great to sync my notes offline.”', wishes: ['2'], quotes: ['2a'] },
  { text: 'Everybody wants it <b>now</b>.', wishes: ['1'], quotes: [] },
  { text: 'Never sent is wanted.', wishes: ['3'], quotes: [] },
]
const says = (sentences: unknown) => fake.behave(answersWith({ content: JSON.stringify({ sentences }) }))

async function make(body: object = {}): Promise<Brief> {
  const made = await service.client.post('/api/v1/briefs', { topic: 'dark mode', ...body })
  expect(made.status, made.text).toBe(200)
  return (await service.client.get(`/api/v1/briefs/${made.body.data.briefId}`)).body.data
}

describe('the prose of a brief', () => {
  it('has what the brief proves, and says how much it does not', async () => {
    says([right[0], ...wrong, right[1]])
    const { briefId, document } = await make({ question: 'What first?' })
    expect(document.prose).toEqual({ sentences: right, removed: wrong.length })
    for (const format of briefFormats) {
      const { text } = await service.client.get(`/api/v1/briefs/${briefId}/file?format=${format}`)
      expect(text).toContain('Dark mode has 30 votes from one request.')
      expect(text).not.toMatch(/31 votes|Everybody/)
      expect(text).toMatch(format === 'json' ? /"removed": 4/ : /4 sentences of the model are not here/)
      expect((await service.client.post('/api/v1/briefs/verify', { file: text })).body.data.verdict).toBe('intact')
    }
    const [{ body }] = fake.calls as [(typeof fake.calls)[0]]
    const data = JSON.parse(body.messages[1]!.content)
    expect([data.question, data.wishes.length, data.wishes[0].quotes[0].id]).toEqual(['What first?', 2, '1a'])
    expect(JSON.stringify(body)).not.toMatch(/never send/i)
  })

  it('goes with the requests whose words carry it', async () => {
    says(right)
    const { briefId } = await make()
    await purgeRequests(service.database, { author: 'bob', suppress: true, dryRun: false, now })
    const { document, removed } = (await service.client.get(`/api/v1/briefs/${briefId}`)).body.data as Brief
    expect([document.prose, removed]).toEqual([{ sentences: [right[0], null], removed: 0 }, 2])
    expect(JSON.stringify(document)).not.toMatch(/bob|offline/i)
  })

  it.each([
    ['an error', sends(500, '{}')],
    ['another form', answersWith({ content: '{"sentences": [{"text": 1}]}' })],
    ['no JSON', answersWith({ content: 'People want dark mode.' })],
  ])('is missing where the model answers with %s', async (_what, behaviour) => {
    fake.behave(behaviour)
    const { document } = await make()
    expect([document.prose, document.wishes.length]).toEqual([null, 3])
  })

  it('is not asked for where the caller does not want it', async () => {
    expect((await make({ prose: false })).document.prose).toBeNull()
    expect(fake.calls).toEqual([])
  })
})
