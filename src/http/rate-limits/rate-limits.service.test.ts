import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../../test/client.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { createAuthentication } from '../../accounts/authentication.ts'
import { defaultPricing } from '../../accounts/plans.ts'
import { requestLimitsOf } from '../../accounts/settings.ts'
import type { ServiceError } from '../errors.ts'
import { createSlidingLog } from './limiter.ts'
import { createRateLimits } from './rate-limits.ts'
import { testClock } from './testing.ts'

const requestLimits = requestLimitsOf(defaultPricing)

// Takes seconds: each setting of proxies needs a service of its own, and limits are reached by real calls.

const clock = testClock()
const json = { 'content-type': 'application/json' }
const unknownJob = '/api/v1/scrape/00000000-0000-4000-8000-000000000000'

let service: TestService
beforeAll(async () => {
  // Fewer polls than the product allows, or the test would be long; every other figure is the product's.
  service = await startTestService({ clock, requestLimits: { ...requestLimits, polls: 30 } })
})
afterEach(async () => {
  // Whatever a test used up is free again, in the memory of the service too.
  clock.ms += 120_000
  await service.reset()
})
afterAll(() => service.stop())

const limitsOf = ({ headers }: Answer) => ({
  policy: headers.get('ratelimit-policy'),
  limit: headers.get('ratelimit'),
  retryAfter: headers.get('retry-after'),
})
const setTier = (accountId: string, tier: string) =>
  service.clientFor(service.adminKey).send('PATCH', `/api/admin/accounts/${accountId}`, {
    headers: json,
    body: JSON.stringify({ tier }),
  })
const tooMany = (what: string, wait: string) => ({
  error: {
    code: 'RATE_LIMITED',
    message: `Rate limit exceeded (${what} per minute). Try again in ${wait}.`,
    reason: 'rate',
  },
})

describe("an account's calls", () => {
  it.each([
    ['free', 20],
    ['pro', 120],
    ['max', 240],
  ] as const)(
    'are limited by the plan %s to %i a minute, and every answer states what is left',
    async (tier, limit) => {
      const { client } = await service.createAccount(tier)
      for (let call = 1; call <= limit; call++) {
        const answer = await client.search('a')
        expect(answer.status).toBe(200)
        expect(limitsOf(answer)).toEqual({
          policy: `"default";q=${limit};w=60`,
          limit: `"default";r=${limit - call};t=60`,
          retryAfter: null,
        })
      }
      clock.ms += 53_500
      const refused = await client.search('a')
      expect(refused.status).toBe(429)
      expect(refused.body).toEqual(tooMany(`${limit} requests`, '7 seconds'))
      expect(limitsOf(refused)).toEqual({
        policy: `"default";q=${limit};w=60`,
        limit: '"default";r=0;t=7',
        retryAfter: '7',
      })
      clock.ms += 6_000
      expect((await client.search('a')).body).toEqual(tooMany(`${limit} requests`, '1 second'))
      clock.ms += 500
      expect((await client.search('a')).status).toBe(200)
    },
  )

  it('are refused before they are read, and count also when they fail', async () => {
    const { client } = await service.createAccount('free')
    const bad = () => client.send('POST', '/api/v1/scrape', { headers: json, body: '{' })
    const calls = [bad, () => client.get('/api/v1/requests?limit=x'), () => client.search(''), () => client.search('a')]
    const statuses: number[] = []
    for (let call = 0; call < 20; call++) statuses.push((await calls[call % 4]?.())?.status ?? 0)
    expect(statuses).toEqual(Array.from({ length: 5 }, () => [400, 400, 400, 200]).flat())
    expect((await bad()).status).toBe(429)
  })

  it('do not count towards the limit of another account', async () => {
    const [first, second] = [await service.createAccount('free'), await service.createAccount('free')]
    for (let call = 0; call < 21; call++) await first.client.search('a')
    expect((await first.client.search('a')).status).toBe(429)
    expect((await second.client.search('a')).headers.get('ratelimit')).toBe('"default";r=19;t=60')
  })

  it('share one limit over all keys of the account', async () => {
    const { accountId, client } = await service.createAccount('free')
    const { body } = await service
      .clientFor(service.adminKey)
      .post(`/api/admin/accounts/${accountId}/keys`, { name: 'second' })
    for (let call = 0; call < 20; call++) await client.search('a')
    expect((await service.clientFor(body.data.apiKey).search('a')).status).toBe(429)
  })

  it('follow a new plan at once, up and down', async () => {
    const { accountId, client } = await service.createAccount('free')
    for (let call = 0; call < 20; call++) await client.search('a')
    expect((await client.search('a')).status).toBe(429)
    await setTier(accountId, 'pro')
    const answer = await client.search('a')
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, '"default";r=99;t=60'])
    await setTier(accountId, 'free')
    expect((await client.search('a')).body).toEqual(tooMany('20 requests', '60 seconds'))
  })
})

describe('calls with a key that only sends feedback', () => {
  it('take nothing from the calls of their account, whatever they call', async () => {
    const { client } = await service.createAccount('free')
    const { body } = await client.post('/api/v1/keys', { name: 'form', feedbackOnly: true })
    const form = service.clientFor(body.data.apiKey)
    for (let call = 1; call <= 60; call++) expect((await form.get('/api/v1/requests')).status).toBe(403)
    const refused = await form.post('/api/v1/feedback', { text: 'Please add a dark theme' })
    expect(refused.body).toEqual(tooMany('60 calls with keys for feedback', '60 seconds'))
    expect(limitsOf(await client.get('/api/v1/usage')).limit).toContain('r=18')
  })
})

describe('polls of a job', () => {
  it('do not count towards the plan, and have a limit of their own', async () => {
    expect(requestLimits.polls).toBe(600)
    const { client } = await service.createAccount('free')
    for (let poll = 0; poll < 30; poll++) expect((await client.get(unknownJob)).status).toBe(404)
    expect((await client.search('a')).headers.get('ratelimit')).toBe('"default";r=19;t=60')
    const refused = await client.get(unknownJob)
    expect([refused.status, refused.body]).toEqual([429, tooMany('30 polls', '60 seconds')])
    expect(limitsOf(refused)).toEqual({ policy: '"polls";q=30;w=60', limit: '"polls";r=0;t=60', retryAfter: '60' })
    expect((await client.search('a')).status).toBe(200)
  })
})

describe('calls without a valid key', () => {
  it('are limited by their address, and never block a valid key', async () => {
    const [keyless, guesser] = [service.clientFor(null), service.clientFor(`ww_live_${'a'.repeat(32)}`)]
    for (let call = 0; call < 30; call++) {
      expect((await keyless.search('a')).status).toBe(401)
      expect((await guesser.send('DELETE', '/api/admin/keys/x')).status).toBe(401)
    }
    clock.ms += 1_000
    for (const answer of [await guesser.search('a'), await keyless.get('/api/admin/accounts')]) {
      expect(answer.status).toBe(429)
      expect(answer.body).toEqual(tooMany('60 requests without a valid API key', '59 seconds'))
      expect(limitsOf(answer).retryAfter).toBe('59')
    }
    expect((await service.client.search('a')).status).toBe(200)
    expect((await service.clientFor(service.adminKey).get('/api/admin/accounts')).status).toBe(200)
    clock.ms += 59_000
    expect((await keyless.search('a')).status).toBe(401)
  })

  it('count also when the caller disconnects before the key was looked up', async () => {
    const rateLimits = createRateLimits({ clock, limiter: createSlidingLog({ clock }), limits: requestLimits })
    const { database, adminKey } = service
    const { requireAccount } = createAuthentication({ database, clock, adminKey, readAccessToken: null, rateLimits })
    const reply = { header: () => {} } as unknown as FastifyReply
    const call = () => {
      const request = { headers: { authorization: `Bearer ww_live_${'a'.repeat(32)}` }, ip: '203.0.113.9' }
      const refused = requireAccount(request as FastifyRequest, reply).catch((error: ServiceError) => error.code)
      Object.assign(request, { ip: undefined })
      return refused
    }
    for (let count = 0; count < 60; count++) expect(await call()).toBe('UNAUTHORIZED')
    expect(await call()).toBe('RATE_LIMITED')
  })

  it('count for the address of the connection, also with a forged X-Forwarded-For', async () => {
    const from = (address: string) =>
      service.clientFor(null).send('GET', '/api/v1/requests', { headers: { 'x-forwarded-for': address } })
    for (let call = 0; call < 60; call++) await from(`203.0.113.${call}`)
    expect((await from('203.0.113.99')).status).toBe(429)
  })
})

describe('the admin', () => {
  it('has no limit', async () => {
    const admin = service.clientFor(service.adminKey)
    for (let call = 0; call < 300; call++) {
      const answer = await admin.get('/api/admin/accounts')
      expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, null])
    }
  })
})

describe.each([
  ['127.0.0.1', '198.51.100.1'],
  ['10.0.0.0/8, 127.0.0.1', '198.51.100.1, 10.1.2.3'],
  ['1', '198.51.100.1'],
  ['2', '198.51.100.1, 10.1.2.3'],
])('behind the trusted proxies %s', (trusted, forwarded) => {
  it('calls without a key are counted by the address that the trusted proxies forward', async () => {
    await service.restart({ TRUST_PROXY: trusted })
    const from = (header: string) =>
      service.clientFor(null).send('GET', '/api/v1/requests', { headers: { 'x-forwarded-for': header } })
    for (let call = 0; call < 60; call++) await from(forwarded)
    // Any caller can forge the addresses further left in the header.
    expect((await from(`203.0.113.7, ${forwarded}`)).status).toBe(429)
    expect((await from(forwarded.replace('198.51.100.1', '198.51.100.2'))).status).toBe(401)
  })
})
