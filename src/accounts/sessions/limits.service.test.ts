import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/service.ts'
import { generateApiKey } from '../api-key.ts'
import { openBrowser } from './testing.ts'

let service: TestService
let now = new Date('2026-11-21T12:00:00.000Z')
beforeAll(async () => {
  service = await startTestService({
    clock: { now: () => now },
    environment: { TRUST_PROXY: '127.0.0.1' },
    requestLimits: { ofTier: () => 5, polls: 8, page: 6, feedback: 6, withoutKey: 4, files: 1_000_000 },
  })
})
afterAll(() => service.stop())
const browser = () => openBrowser(() => service.url)
const nextMinute = () => {
  now = new Date(now.getTime() + 61_000)
}

describe('attempts to sign in', () => {
  it('are counted by address like wrong keys, and never lock out a right key', async () => {
    const attempts = [{ apiKey: generateApiKey() }, { link: 'A'.repeat(43) }, { apiKey: 'x' }, { link: 'nonsense' }]
    for (const body of attempts) expect((await browser().signIn(body)).status).toBe(401)
    const refused = await browser().signIn({ link: 'A'.repeat(43) })
    expect([refused.status, refused.body.error.reason]).toEqual([429, 'rate'])
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    const stale = { cookie: `ww_session=${'A'.repeat(43)}` }
    expect((await service.clientFor(null).send('GET', '/api/session', { headers: stale })).status).toBe(429)
    expect((await service.clientFor(null).get('/api/session')).status).toBe(401)
    expect((await browser().signIn({ apiKey: service.apiKey })).status).toBe(200)
    const elsewhere = { 'x-forwarded-for': '203.0.113.7' }
    const other = await browser().call('POST', '/api/session', { body: { apiKey: 'x' }, headers: elsewhere })
    expect(other.status).toBe(401)
    nextMinute()
  })

  it('with the right key count towards the limit of the plan, calls by session towards one of their own', async () => {
    const opened = browser()
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await opened.signIn({ apiKey: service.apiKey })).status).toBe(200)
    }
    expect((await opened.signIn({ apiKey: service.apiKey })).status).toBe(429)
    for (let call = 0; call < 6; call++) expect((await opened.call('GET', '/api/v1/requests')).status).toBe(200)
    const refused = await opened.call('GET', '/api/v1/requests')
    expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, '"page";q=6;w=60'])
    expect((await opened.call('GET', '/api/session')).status).toBe(200)
    nextMinute()
  })
})

describe('behind https', () => {
  it('the cookie is only sent over https, as the trusted proxy says', async () => {
    const headers = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'wishes.example',
      origin: 'https://wishes.example',
    }
    const answer = await browser().call('POST', '/api/session', { body: { apiKey: service.apiKey }, headers })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toContain('; Secure')
    const [account] = (await service.clientFor(service.adminKey).get('/api/admin/accounts')).body.data.results
    const link = await service
      .clientFor(service.adminKey)
      .send('POST', `/api/admin/accounts/${account.accountId}/links`, { headers })
    // A header may say anything: links begin with PUBLIC_URL, or where the service listens.
    expect(link.body.data.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#[\w-]{43}$/)
  })
})
