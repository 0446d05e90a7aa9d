import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

it('a key that is revoked with all that it made leaves nothing that it makes at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const { keyId, apiKey } = (await service.client.post('/api/v1/keys', { name: 'maker' })).body.data
    const maker = service.clientFor(apiKey)
    const making = Array.from({ length: 8 }, (_, index) => [
      maker.post('/api/v1/feeds', { kind: 'topic', topic: `topic ${index}` }),
      maker.post('/api/v1/keys', { name: `child ${index}` }),
    ]).flat()
    const revoked = service.client.send('DELETE', `/api/v1/keys/${keyId}?withMade=true`)
    const answers = await Promise.all([...making, revoked])
    expect(answers.map(({ status }) => status).filter((status) => ![200, 401].includes(status))).toEqual([])
    const { body } = await service.client.get(`/api/v1/keys/${keyId}/made`)
    expect(body.data).toMatchObject({ keys: [], feeds: [] })
  }
})
