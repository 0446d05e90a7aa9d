import { describe, expect, it } from 'vitest'
import { prepareLiveService } from '../collecting/live/testing.ts'

// Holds (Credits and limits): with METERING=off no credit moves and no call fails for lack of credits

const live = prepareLiveService({ environment: { PRICING: '{"plans":{"free":{"creditsPerMonth":2}}}' } })

/** Everything of the ledger but reservations, which say who began what. */
async function movements() {
  const { database } = live.service
  const [entries, balances, spenders] = await Promise.all([
    database.selectFrom('credit_entries').selectAll().orderBy('id').execute(),
    database
      .selectFrom('credit_balances')
      .select(['account_id', 'pool_held', 'pool_settled', 'payg_balance', 'payg_held', 'payg_month_used'])
      .orderBy('account_id')
      .execute(),
    database.selectFrom('spender_months').selectAll().orderBy('spender_id').execute(),
  ])
  return { entries, balances, spenders }
}

describe('METERING=off', () => {
  it('lets an account whose credits are used up collect, search live and watch, and moves no credit', async () => {
    const { client } = await live.service.createAccount('free')
    await live.expand('dark mode', {}, client)
    await live.realtime('night light', '', client)
    expect((await live.expand('offline sync', {}, client)).status).toBe(429)
    await live.service.restart({ METERING: 'off' })
    const before = await movements()

    const started = await client.post('/api/v1/scrape', {
      topic: 'dark mode',
      platforms: ['github', 'hackernews'],
      depth: 3,
      maxCredits: 1,
    })
    expect([started.status, started.body.data.depth]).toEqual([200, 3])
    const { credits } = started.body.usage
    expect(credits.remaining).toBe(credits.limit - credits.used)
    await live.settle()
    const job = await client.get(`/api/v1/scrape/${started.body.data.jobId}`)
    expect(job.body.data).toMatchObject({ status: 'completed', credits: { held: 0, settled: 0 } })
    expect(job.body.data.startedBy.keyId).not.toBeNull()

    const searched = await live.expand('offline sync', {}, client)
    expect([searched.status, searched.body.meta.topicsScraped, searched.body.usage.credits]).toEqual([200, 1, credits])
    expect((await live.realtime('kanban', '', client)).body.usage.credits).toEqual(credits)

    const watch = await client.post('/api/v1/watches', {
      topic: 'vim keys',
      platforms: ['github'],
      depth: 40,
      monthlyCredits: 1,
    })
    expect([watch.status, watch.body.data.preview.month.maxCredits]).toEqual([200, 0])
    const run = await client.post(`/api/v1/watches/${watch.body.data.watchId}/run`, {})
    expect([run.status, run.body.usage.credits]).toEqual([200, credits])
    await live.settle()
    expect(await movements()).toEqual(before)

    const other = await live.service.createAccount('free')
    await live.expand('spell check', {}, other.client)
    const { data } = (await other.client.get('/api/v1/usage')).body
    expect(data.credits).toMatchObject({ used: 0, held: 0, remaining: data.credits.limit })
    expect(data.credits.limit).toBeGreaterThan(1_000_000)
  })

  it('is followed by the ledger as it was', async () => {
    await live.service.restart({ METERING: 'off' })
    const { client } = await live.service.createAccount('free')
    await live.expand('dark mode', {}, client)
    await live.service.restart({ METERING: 'on' })
    const { body } = await live.realtime('night light', '', client)
    expect(body.usage.credits).toEqual({ used: 1, limit: 2, remaining: 1 })
  })
})
