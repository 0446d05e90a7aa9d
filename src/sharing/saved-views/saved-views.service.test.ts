import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unknownId } from '../../../test/contract/testing.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { maxSavedViews } from './saved-views.ts'

// Holds (Search, lists and export): a saved view is private to its account, uniquely named and readable

let service: TestService
let now = new Date('2026-06-01T12:00:00.000Z')
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } })
})
beforeEach(() => service.reset())
afterAll(() => service.stop())

const view = { query: 'dark mode', filters: { platforms: ['github'], minVotes: 3 }, sortBy: 'votes' }

const make = async (body: object, client = service.client) => {
  const answer = await client.post('/api/v1/views', body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data as { viewId: string; name: string }
}
const change = (viewId: string, body: object, client = service.client) =>
  client.send('PATCH', `/api/v1/views/${viewId}`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const remove = (viewId: string, client = service.client) => client.send('DELETE', `/api/v1/views/${viewId}`)
const listed = async (client = service.client) => (await client.get('/api/v1/views')).body.data.results

describe('the saved views of an account', () => {
  it('are listed as they were saved, renamed, changed and deleted', async () => {
    const made = await make({ name: ' Dark <b>&amp;</b> ', view })
    now = new Date(now.getTime() + 1)
    const weekly = await make({
      name: 'This week',
      view: { filters: { mark: 'planned', starred: true } },
      periodDays: 7,
    })
    const [createdAt, updatedAt] = [new Date(now.getTime() - 1).toISOString(), now.toISOString()]
    expect(await listed()).toEqual([
      { ...made, name: 'Dark <b>&amp;</b>', view, periodDays: null, createdAt, updatedAt: createdAt },
      {
        ...weekly,
        view: { filters: { mark: 'planned', starred: true } },
        periodDays: 7,
        createdAt: updatedAt,
        updatedAt,
      },
    ])
    now = new Date(now.getTime() + 1)
    const renamed = await change(made.viewId.toUpperCase(), { name: 'Dark' })
    expect(renamed.body.data).toMatchObject({ viewId: made.viewId, name: 'Dark', view, updatedAt: now.toISOString() })
    const shorter = await change(weekly.viewId, { view: { filters: { since: '2026-05-01' } }, periodDays: null })
    expect(shorter.body.data).toMatchObject({
      name: 'This week',
      periodDays: null,
      view: { filters: { since: '2026-05-01' } },
    })
    expect((await remove(made.viewId)).body).toEqual({ data: { viewId: made.viewId } })
    expect(await listed()).toEqual([shorter.body.data])
    expect((await remove(made.viewId)).status).toBe(404)
  })

  it('are its own: those of another account do not exist, and end with it', async () => {
    const other = await service.createAccount()
    const [own, others] = [await make({ name: 'Dark', view }), await make({ name: 'Dark', view }, other.client)]
    for (const id of [own.viewId, unknownId, 'nonsense']) {
      expect((await change(id, { name: 'Mine' }, other.client)).status).toBe(404)
      expect((await remove(id, other.client)).status).toBe(404)
    }
    expect(await listed(other.client)).toMatchObject([others])
    await service.clientFor(service.adminKey).send('DELETE', `/api/admin/accounts/${other.accountId}`)
    const { rows } = await sql`select id, name from saved_views`.execute(service.database)
    expect(rows).toEqual([{ id: own.viewId, name: 'Dark' }])
  })

  it('have each a name of its own, also where two are made at once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => service.client.post('/api/v1/views', { name: 'Dark', view })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const other = await make({ name: 'dark', view })
    const refused = await change(other.viewId, { name: 'Dark' })
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
    expect((await change(other.viewId, { name: 'dark', view: {} })).status).toBe(200)
  })

  it(`are ${maxSavedViews} at most`, async () => {
    await make({ name: 'view 1', view })
    await sql`insert into saved_views select gen_random_uuid(), account_id, 'view ' || n, view, period_days, created_at, updated_at
      from saved_views, generate_series(2, ${maxSavedViews - 1}) as n`.execute(service.database)
    const answers = await Promise.all(
      ['one', 'more'].map((name) => service.client.post('/api/v1/views', { name, view })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await listed()).toHaveLength(20)
    expect((await service.client.get('/api/v1/views?limit=100')).body.data.results).toHaveLength(maxSavedViews)
  })

  it.each([
    [{ view: {} }, 'name'],
    [{ name: ' ', view: {} }, 'name'],
    [{ name: 'x'.repeat(81), view: {} }, 'name'],
    [{ name: 'a' }, 'view'],
    [{ name: 'a', view: { query: '-dark' } }, 'query'],
    [{ name: 'a', view: { sortBy: 'relevance' } }, 'view.sortBy'],
    [{ name: 'a', view: { filters: { include: 'all' } } }, 'include'],
    [{ name: 'a', view: {}, periodDays: 0 }, 'periodDays'],
    [{ name: 'a', view: { filters: { since: '2026-05-01' } }, periodDays: 7 }, 'periodDays'],
  ])('are refused for %j', async (body, field) => {
    const answer = await service.client.post('/api/v1/views', body)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)])
  })

  it('cannot become what could not be made', async () => {
    const { viewId } = await make({ name: 'Dark', view: {}, periodDays: 7 })
    for (const body of [{}, { name: '' }, { view: { query: '-dark' } }, { view: { filters: { until: '2026-05-01' } } }])
      expect((await change(viewId, body)).status, JSON.stringify(body)).toBe(400)
    expect(await listed()).toMatchObject([{ name: 'Dark', view: {}, periodDays: 7 }])
  })
})
