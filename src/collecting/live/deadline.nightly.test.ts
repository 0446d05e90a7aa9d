import { describe, expect, it } from 'vitest'
import { PlannedWaitError } from '../../platforms/platform.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { createGate, pageOf, prepareLiveService } from './testing.ts'

// Holds (Live calls): a live call responds by its deadline, whatever its platforms do

const live = prepareLiveService({ environment: { LIVE_DEADLINE_SECONDS: '1' } })

describe('a live call whose platforms are slow', () => {
  it('answers at the deadline with the pages that were stored; the rest is stored in the background', async () => {
    const gate = createGate()
    live.scripts.github = async (_call, request) => {
      await gate.passed
      return pageOf('github')(request)
    }
    const { status, body } = await live.expand('dark mode')
    expect(status).toBe(200)
    expect(body.meta.errors.filter(({ platform }: { platform: string }) => platform === 'github')).toEqual([
      expect.objectContaining({ topic: 'dark mode', code: 'timeout' }),
    ])
    expect(body.data.results.filter(({ sourcePlatform }: RequestRecord) => sourcePlatform === 'github')).toEqual([])
    expect(body.meta.scrapingTimeMs).toBeGreaterThanOrEqual(990)
    gate.open()
    await live.settle()
    const later = await live.expand('dark mode')
    expect(later.body.meta).toMatchObject({ topicsSkipped: 1, errors: [], cachedResults: 4 })
  })

  it('pays nothing when no page was stored by the deadline', async () => {
    const gate = createGate()
    for (const name of ['github', 'hackernews'] as const) {
      live.scripts[name] = async (_call, request) => {
        await gate.passed
        return pageOf(name)(request)
      }
    }
    const { body } = await live.realtime('dark mode')
    expect(body.meta.errors).toHaveLength(2)
    expect([body.usage.credits.used, body.data.results]).toEqual([0, []])
    gate.open()
  })

  it('collects the query alone when the expansion is too slow', async () => {
    live.beforeExpansion = (signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const { status, body } = await live.expand('dark mode')
    expect([status, body.meta.expandedTopics]).toEqual([200, ['dark mode']])
    await live.settle()
    expect(live.github.calls.map(({ topic }) => topic)).toEqual(['dark mode'])
  })

  it('has its full time after it waited for a failed call with the same key', async () => {
    const gate = createGate()
    const body = JSON.stringify({ query: 'dark mode', expand: true, platforms: ['github'] })
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' }
    const send = () => live.service.client.send('POST', '/api/v1/requests/search', { headers, body })
    live.beforeExpansion = async () => {
      await gate.passed
      throw new Error('the expansion failed')
    }
    const answers = [send()]
    await expect.poll(() => live.expansions, { timeout: 30_000 }).toBe(1)
    answers.push(send())
    const since = Date.now()
    await expect.poll(() => Date.now() - since, { timeout: 30_000 }).toBeGreaterThan(1_100)
    live.beforeExpansion = async () => {}
    gate.open()
    const [first, second] = await Promise.all(answers)
    expect([first?.status, second?.status]).toEqual([500, 200])
    expect(second?.body.meta.expandedTopics).toEqual(['dark mode'])
    await live.settle()
    expect(live.github.calls.map(({ topic }) => topic)).toEqual(['dark mode'])
  })

  it('does not wait for a platform whose next call is after the deadline', async () => {
    const retryAt = new Date(Date.now() + 20_000)
    let refusals = 0
    live.scripts.github = (_call, request) => {
      refusals += 1
      if (refusals === 1) throw new PlannedWaitError('rate_limited', 'github is called later.', retryAt)
      return pageOf('github')(request)
    }
    const { body } = await live.expand('dark mode', { platforms: ['github'] })
    expect(body.meta).toMatchObject({ topicsScraped: 0, errors: [{ platform: 'github', code: 'rate_limited' }] })
    expect(body.meta.errors[0]).toMatchObject({
      message: 'GitHub is waiting for its rate limit; its results will be in later searches.',
      resumesAt: retryAt.toISOString(),
    })
    // Else the end of the test would wait for it.
    await live.service.database
      .updateTable('scrape_tasks')
      .set({ state: 'skipped', completed_at: new Date(), waiting_until: null })
      .where('state', 'in', ['pending', 'running'])
      .execute()
  })
})
