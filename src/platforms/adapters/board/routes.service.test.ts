import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeBoard } from '../../../../simulator/platforms/board.ts'
import { simulate } from '../../../../simulator/testing.ts'
import { startTestService, type TestService } from '../../../../test/service.ts'

// Holds (Platforms): a trial of a board shows what would be stored, and stores nothing

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

it('a description is tried by the operator alone, with what is doubtful of it', async () => {
  const simulator = await simulate({ size: 30 })
  const description = describeBoard(simulator.urls.board, { statuses: { shipped: 'completed' } })
  const admin = service.clientFor(service.adminKey)
  const body = {
    description: description.replace('"status":"$.status"', '"status":"$.title"'),
    secret: 'key',
    topic: 'dark mode',
  }
  expect((await service.client.post('/api/admin/boards/try', body)).status).toBe(401)
  const { status, body: answer, text } = await admin.post('/api/admin/boards/try', body)
  expect(status, text).toBe(200)
  const { data } = answer
  expect(data).toMatchObject({ name: 'meadow', error: null, pages: [{ items: 20, hasNext: true }, { hasNext: false }] })
  expect(data.requests).toHaveLength(20)
  expect(data.fields.find(({ field }: { field: string }) => field === 'votes').found).toBe(data.items)
  expect(data.notes.join('\n')).toMatch(/are about "dark mode"[\s\S]*statuses: nothing is known of/)
  expect(simulator.requests).toHaveLength(2)
  expect(await service.database.selectFrom('requests').select('id').execute()).toEqual([])
})

it('a wrong description, and a board that refuses, say what to do', async () => {
  const simulator = await simulate()
  const admin = service.clientFor(service.adminKey)
  const ask = (body: object) => admin.post('/api/admin/boards/try', body)
  const wrong = await ask({ description: describeBoard(simulator.urls.board, { items: '$..ideas' }), secret: 'key' })
  expect([wrong.status, wrong.body.error.details[0].message]).toEqual([400, expect.stringContaining('".." is not')])
  simulator.setFault('board', 'unauthorized')
  const refused = await ask({ description: describeBoard(simulator.urls.board), secret: 'key-of-mine' })
  expect(refused.body.data).toMatchObject({ pages: [], items: 0, error: expect.any(String) })
  expect(refused.text).not.toContain('key-of-mine')
})
