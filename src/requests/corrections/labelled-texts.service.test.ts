import { afterAll, beforeAll, expect, it } from 'vitest'
import { foundRequest, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService, testAdminKey } from '../../../test/service.ts'

// Takes seconds: every correction is a call of its own.

const size = 130
let service: TestService

beforeAll(async () => {
  const requests = Array.from({ length: size }, (_, index) =>
    foundRequest(`${index}`, { title: `Wish ${index}`, description: 'Two\u2028lines\nof "text"', tags: ['idea'] }),
  )
  service = await startTestService({
    platforms: platformMap(scriptedPlatform('github', () => ({ requests, nextCursor: null }))),
  })
  const { body } = await service.client.scrape({ topic: 'wishes', platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId)
})
afterAll(() => service.stop())

const admin = () => service.clientFor(testAdminKey)
const exported = async () => {
  const response = await fetch(`${service.url}/api/admin/corrections/requests/export`, {
    headers: { authorization: `Bearer ${testAdminKey}` },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  const lines = (await response.text()).split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line))
}

it('an export has every correction whose request is stored, in the same order each time', async () => {
  expect(await exported()).toEqual([])
  const stored = await service.database.selectFrom('requests').select(['id', 'title']).orderBy('title').execute()
  for (const { id } of stored) {
    await service.client.post('/api/v1/corrections/requests', { requestId: id, isRequest: false })
  }
  const [first, second] = stored as [{ id: string; title: string }, { id: string; title: string }]
  await admin().post('/api/admin/corrections/requests', { requestId: first.id, isRequest: true })
  await service.database.deleteFrom('requests').where('id', '=', second.id).execute()

  const lines = await exported()
  expect(lines).toHaveLength(size)
  expect(lines.filter(({ title }) => title === first.title)).toEqual([
    expect.objectContaining({ label: false, by: 'account' }),
    {
      title: first.title,
      description: 'Two\u2028lines\nof "text"',
      platform: 'github',
      tags: ['idea'],
      label: true,
      by: 'operator',
      confidence: expect.toSatisfy((value) => value >= 0 && value <= 1),
    },
  ])
  expect(new Set(lines.map(({ title, by }) => `${title} ${by}`)).size).toBe(size)
  expect(lines.some(({ title }) => title === second.title)).toBe(false)
  expect(await exported()).toEqual(lines)
})

it('an export is for the operator alone', async () => {
  expect((await service.client.get('/api/admin/corrections/requests/export')).status).toBe(401)
})
