import { describe, expect, it } from 'vitest'
import { createGate, pageOf, prepareLiveService } from './testing.ts'

// Holds (Live calls): equal live calls fetch each topic once per platform, and each costs at most one credit

const live = prepareLiveService()

/** Holds back the answers of the platforms until the gate opens. */
function holdPlatforms() {
  const gate = createGate()
  for (const name of ['github', 'hackernews'] as const) {
    live.scripts[name] = async (_call, request) => {
      await gate.passed
      return pageOf(name)(request)
    }
  }
  return gate
}
const openCalls = () => live.service.database.selectFrom('live_calls').selectAll().execute()

describe('equal calls at the same moment', () => {
  it('share their collections: 20 calls fetch one page of a topic from each platform, and each call pays for itself', async () => {
    live.related = ['night light']
    const gate = holdPlatforms()
    const answers = Array.from({ length: 20 }, () => live.expand('dark mode'))
    await expect.poll(openCalls, { timeout: 30_000 }).toHaveLength(20)
    await expect.poll(() => live.github.calls.length, { timeout: 30_000 }).toBe(2)
    gate.open()
    const bodies = (await Promise.all(answers)).map(({ status, body }) => ({ status, ...body }))
    for (const platform of [live.github, live.hackernews]) {
      expect(platform.calls.map(({ topic }) => topic).sort()).toEqual(['dark mode', 'night light'])
    }
    for (const { status, data, meta } of bodies) {
      expect([status, data.results.length, meta.errors]).toEqual([200, 8, []])
    }
    // A call that began when all was fresh pays nothing; a call that waited for a page pays one credit.
    const waited = bodies.filter(({ meta }) => meta.topicsScraped > 0).length
    expect(await live.used()).toBe(waited)
    expect(waited).toBeGreaterThan(0)
  })

  it('join collections under way next to fresh topics', async () => {
    await live.expand('dark mode', { platforms: ['github'] })
    const gate = holdPlatforms()
    const [first, second] = [live.expand('dark mode'), live.realtime('dark mode')]
    await expect.poll(openCalls, { timeout: 30_000 }).toHaveLength(2)
    await expect.poll(() => live.hackernews.calls.length, { timeout: 30_000 }).toBe(1)
    gate.open()
    const answers = await Promise.all([first, second])
    expect([live.github.calls.length, live.hackernews.calls.length]).toEqual([1, 1])
    for (const { body } of answers) expect(body.data.results).toHaveLength(4)
  })

  it('of several accounts share their collections, and each account pays for itself', async () => {
    const other = await live.service.createAccount('pro')
    const gate = holdPlatforms()
    const answers = [live.expand('dark mode'), live.expand('dark mode', {}, other.client)]
    const begun = () => live.service.database.selectFrom('live_calls').select('account_id').distinct().execute()
    await expect.poll(begun, { timeout: 30_000 }).toHaveLength(2)
    const joined = () => live.github.calls.length
    await expect.poll(joined, { timeout: 30_000 }).toBe(1)
    gate.open()
    await Promise.all(answers)
    expect(joined()).toBe(1)
  })
})

describe('the slots for live calls', () => {
  it('are 20 an account and 30 in a process; a refused call costs nothing', async () => {
    const other = await live.service.createAccount()
    const gate = holdPlatforms()
    const held = Array.from({ length: 20 }, () => live.expand('dark mode'))
    await expect.poll(openCalls, { timeout: 30_000 }).toHaveLength(20)
    const tooMany = await live.expand('dark mode')
    expect([tooMany.status, tooMany.body.error.reason, tooMany.headers.get('retry-after')]).toEqual([429, 'rate', '15'])
    const others = Array.from({ length: 10 }, () => live.expand('dark mode', {}, other.client))
    await expect.poll(openCalls, { timeout: 30_000 }).toHaveLength(30)
    expect((await live.expand('dark mode', {}, other.client)).status).toBe(503)
    gate.open()
    const statuses = (await Promise.all([...held, ...others])).map(({ status }) => status)
    expect(statuses).toEqual(Array(30).fill(200))
    // A slot is free again after the answer.
    expect((await live.expand('dark mode')).status).toBe(200)
  })
})
