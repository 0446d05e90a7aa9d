import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { prepareLiveService } from '../collecting/live/testing.ts'

// Holds (Credits and limits): the operator's plans, prices and packs decide what is charged, granted, refused and shown

const pageDirectory = mkdtempSync(join(tmpdir(), 'wishwell-pricing-'))
writeFileSync(join(pageDirectory, 'index.html'), '<!doctype html><head><title>built</title></head><body></body>')
afterAll(() => rmSync(pageDirectory, { recursive: true }))

const live = prepareLiveService({
  pageDirectory,
  environment: {
    PRICING:
      '{"plans":{"free":{"creditsPerMonth":7}},"prices":{"expand":3,"realtime":2},"packs":{"starter":{"credits":11,"priceUsd":4.5}}}',
  },
})

describe('the pricing of an operator', () => {
  it('is charged, granted and refused by', async () => {
    const { accountId, client } = await live.service.createAccount('free')
    const credits = async () => (await client.get('/api/v1/usage')).body.data.credits
    expect(await credits()).toMatchObject({ used: 0, limit: 7, remaining: 7 })
    expect((await live.expand('dark mode', {}, client)).body.usage.credits).toEqual({ used: 3, limit: 7, remaining: 4 })
    expect((await live.realtime('night light', '', client)).body.usage.credits).toMatchObject({ used: 5 })
    const refused = await live.expand('offline sync', {}, client)
    expect([refused.status, refused.body.error.message]).toEqual([
      429,
      expect.stringMatching(/^Credit limit exceeded \(5\/7\)\. Resets on \d{4}-\d\d-01\.$/),
    ])
    const granted = await live.service
      .clientFor(live.service.adminKey)
      .post(`/api/admin/accounts/${accountId}/packs`, { pack: 'starter' })
    expect(granted.body.data).toEqual({ paygBalance: 11 })
    expect((await live.expand('offline sync', {}, client)).status).toBe(200)
    const { body } = await client.post('/api/v1/watches', { topic: 'dark mode', platforms: ['github'], depth: 2 })
    expect(body.data.monthlyCredits).toBe(7)
  })

  it('is what the API document and the page show', async () => {
    const read = (path: string) => live.service.clientFor(null).send('GET', path, { headers: { accept: 'text/html' } })
    const document = (await read('/openapi.json')).text
    for (const text of [
      'Collect related topics live; 3 credits',
      'It costs 2 credits, given',
      'starter (11 credits, $4.50)',
    ])
      expect(document).toContain(text)
    const [, shown = ''] = /<meta name="pricing" content="([^"]+)">\n<\/head>/.exec((await read('/')).text) ?? []
    expect(JSON.parse(shown.replaceAll('&quot;', '"'))).toEqual(live.service.config.pricing)
  })
})
