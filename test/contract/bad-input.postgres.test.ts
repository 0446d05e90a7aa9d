import { describe, expect, it } from 'vitest'
import { testAdminKey } from '../service.ts'
import { json, type Key, prepareContract, unknownId } from './testing.ts'

// Holds (HTTP and secrets): bad input gets a clear 4xx on every route

// Bad bodies of every route, each with the path of the error in the answer.

const contract = prepareContract(18)
const scrapeJobs = async () => (await contract.service.database.selectFrom('scrape_jobs').select('id').execute()).length

type Case = [what: string, body: unknown, path: string]
const tables: { method: string; path: string; key: Key; cases: Case[] }[] = [
  {
    method: 'POST',
    path: '/api/v1/scrape',
    key: 'account',
    cases: [
      ['no topic', { depth: 1 }, 'topic'],
      ['topic null', { topic: null }, 'topic'],
      ['topic a number', { topic: 12 }, 'topic'],
      ['topic of 1 character', { topic: 'a' }, 'topic'],
      ['topic of 1 character after trimming', { topic: '   a   ' }, 'topic'],
      ['topic of white space', { topic: ' \t\n ' }, 'topic'],
      ['topic of 101 characters', { topic: 'é'.repeat(101) }, 'topic'],
      ['topic of punctuation only', { topic: '!! ??' }, 'topic'],
      ['topic with NUL', { topic: 'dark\0mode' }, 'topic'],
      ['topic with a lone surrogate', { topic: 'dark \ud800' }, 'topic'],
      ['platforms a string', { topic: 'dark mode', platforms: 'github' }, 'platforms'],
      ['platforms empty', { topic: 'dark mode', platforms: [] }, 'platforms'],
      ['platforms with an unknown name', { topic: 'dark mode', platforms: ['github', 'myspace'] }, 'platforms.1'],
      ['platforms with a number', { topic: 'dark mode', platforms: [1] }, 'platforms.0'],
      ['platforms in capitals', { topic: 'dark mode', platforms: ['GitHub'] }, 'platforms.0'],
      ['101 platforms', { topic: 'dark mode', platforms: Array(101).fill('github') }, 'platforms'],
      ['depth 0', { topic: 'dark mode', depth: 0 }, 'depth'],
      ['depth 41', { topic: 'dark mode', depth: 41 }, 'depth'],
      ['depth -1', { topic: 'dark mode', depth: -1 }, 'depth'],
      ['depth 1.5', { topic: 'dark mode', depth: 1.5 }, 'depth'],
      ['depth a string', { topic: 'dark mode', depth: '1' }, 'depth'],
      ['depth null', { topic: 'dark mode', depth: null }, 'depth'],
      ['depth huge', { topic: 'dark mode', depth: 1e308 }, 'depth'],
      ['maxCredits 0', { topic: 'dark mode', maxCredits: 0 }, 'maxCredits'],
      ['maxCredits 1.5', { topic: 'dark mode', maxCredits: 1.5 }, 'maxCredits'],
      ['maxCredits a string', { topic: 'dark mode', maxCredits: '10' }, 'maxCredits'],
      ['maxCredits null', { topic: 'dark mode', maxCredits: null }, 'maxCredits'],
      ['a job dearer than maxCredits', { topic: 'dark mode', depth: 2, maxCredits: 5 }, 'maxCredits'],
    ],
  },
  {
    method: 'POST',
    path: '/api/v1/requests/search',
    key: 'account',
    cases: [
      ['no query', { limit: 1 }, 'query'],
      ['query empty', { query: '' }, 'query'],
      ['query of white space', { query: '   ' }, 'query'],
      ['query a list', { query: ['a'] }, 'query'],
      ['query of 501 characters', { query: 'x'.repeat(501) }, 'query'],
      ['query of 10,000 characters', { query: 'x '.repeat(5_000) }, 'query'],
      ['query with NUL', { query: 'a\0b' }, 'query'],
      ['limit 0', { query: 'a', limit: 0 }, 'limit'],
      ['limit 101', { query: 'a', limit: 101 }, 'limit'],
      ['limit a string', { query: 'a', limit: '20' }, 'limit'],
      ['offset -1', { query: 'a', offset: -1 }, 'offset'],
      ['offset 100', { query: 'a', offset: 100 }, 'offset'],
      ['expand a string', { query: 'a', expand: 'true' }, 'expand'],
      ['platforms unknown', { query: 'a', platforms: ['myspace'] }, 'platforms.0'],
    ],
  },
  {
    method: 'POST',
    path: '/api/admin/accounts',
    key: 'admin',
    cases: [
      ['no name', { tier: 'free' }, 'name'],
      ['name empty', { name: ' ', tier: 'free' }, 'name'],
      ['name of 101 characters', { name: 'x'.repeat(101), tier: 'free' }, 'name'],
      ['no tier', { name: 'a' }, 'tier'],
      ['tier unknown', { name: 'a', tier: 'gold' }, 'tier'],
    ],
  },
  {
    method: 'PATCH',
    path: `/api/admin/accounts/${unknownId}`,
    key: 'admin',
    cases: [
      ['tier unknown', { tier: 'Free' }, 'tier'],
      ['tier null', { tier: null }, 'tier'],
      ['paygMonthlyCap -1', { paygMonthlyCap: -1 }, 'paygMonthlyCap'],
      ['paygMonthlyCap 1.5', { paygMonthlyCap: 1.5 }, 'paygMonthlyCap'],
      ['paygMonthlyCap a string', { paygMonthlyCap: '100' }, 'paygMonthlyCap'],
      ['paygMonthlyCap huge', { tier: 'pro', paygMonthlyCap: 2 ** 31 }, 'paygMonthlyCap'],
    ],
  },
  {
    method: 'POST',
    path: `/api/admin/accounts/${unknownId}/packs`,
    key: 'admin',
    cases: [
      ['pack unknown', { pack: 'huge' }, 'pack'],
      ['pack in capitals', { pack: 'Starter' }, 'pack'],
      ['pack a number', { pack: 1300 }, 'pack'],
      ['credits instead of a pack', { pack: 'starter', credits: 1 }, 'credits'],
    ],
  },
  {
    method: 'POST',
    path: `/api/admin/accounts/${unknownId}/keys`,
    key: 'admin',
    cases: [['name a number', { name: 1 }, 'name']],
  },
  {
    method: 'POST',
    path: '/api/v1/keys',
    key: 'account',
    cases: [
      ['no name', { apiKey: `ww_live_${'a'.repeat(32)}` }, 'name'],
      ['name of white space', { name: ' \t' }, 'name'],
      ['name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
      ['name with NUL', { name: 'a\0' }, 'name'],
    ],
  },
  {
    method: 'POST',
    path: '/api/admin/purge',
    key: 'admin',
    cases: [
      ['nothing to go by', {}, ''],
      ['nothing but how', { dryRun: true, suppress: true }, ''],
      ['an unknown platform', { platform: 'myspace' }, 'platform'],
      ['a list of platforms', { platform: ['github'] }, 'platform'],
      ['olderThanDays 0', { olderThanDays: 0 }, 'olderThanDays'],
      ['olderThanDays 1.5', { olderThanDays: 1.5 }, 'olderThanDays'],
      ['olderThanDays huge', { olderThanDays: 1e9 }, 'olderThanDays'],
      ['olderThanDays a string', { olderThanDays: '30' }, 'olderThanDays'],
      ['id empty', { id: ' ' }, 'id'],
      ["a platform's own id without the platform", { id: '123' }, 'platform'],
      ['url no web address', { url: 'github.com/acme' }, 'url'],
      ['url of another scheme', { url: 'javascript:alert(1)' }, 'url'],
      ['url too long', { url: `https://x.example/${'x'.repeat(2_000)}` }, 'url'],
      ['author empty', { author: '' }, 'author'],
      ['author nothing but an @', { author: ' @ ' }, 'author'],
      ['author too long', { author: 'x'.repeat(501) }, 'author'],
      ['author with NUL', { author: 'a\0' }, 'author'],
      ['author with a lone surrogate', { author: '\ud800' }, 'author'],
      ['author and url', { author: 'ada', url: 'https://x.example' }, 'author'],
      ['id and an age', { id: unknownId, olderThanDays: 3 }, 'id'],
      ['dryRun a string', { author: 'ada', dryRun: 'true' }, 'dryRun'],
      ['suppress null', { author: 'ada', suppress: null }, 'suppress'],
      ['a misspelt selector beside a good one', { platform: 'github', autor: 'ada' }, 'autor'],
    ],
  },
  {
    method: 'POST',
    path: '/api/admin/suppressions/lift',
    key: 'admin',
    cases: [
      ['nothing to go by', {}, ''],
      ['a platform alone', { platform: 'github' }, ''],
      ['an id without its platform', { id: '123' }, 'platform'],
      ['url no web address', { url: 'x' }, 'url'],
      ['two at once', { purgeId: unknownId, author: 'ada' }, 'author'],
    ],
  },
]

describe('POST /api/session', () => {
  const signIn = (text: string, headers: Record<string, string> = json) =>
    contract.service.clientFor(null).send('POST', '/api/session', { headers, body: text })
  it.each([
    ['nothing in it', {}, ''],
    ['two ways at once', { apiKey: 'a', link: 'a' }, ''],
    ['a key that is no text', { apiKey: 1 }, 'apiKey'],
    ['an empty key', { apiKey: '' }, 'apiKey'],
    ['a key of 501 characters', { apiKey: 'x'.repeat(501) }, 'apiKey'],
    ['a link null', { link: null }, 'link'],
    ['a link with NUL', { link: 'a\0' }, 'link'],
    ['an unknown field', { apiKey: 'a', remember: true }, ''],
    ['an unknown field alone', { token: 'a' }, 'token'],
  ])('refuses %s: 400, and says where', async (_what, body, place) => {
    const answer = await signIn(JSON.stringify(body))
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.body.error.details.map((detail: { path: string }) => detail.path)).toContain(place)
    expect(answer.headers.get('set-cookie')).toBeNull()
  })
  it.each(['', '{', '[]', 'null', '"a"'])('refuses the body %j: 400', async (text) => {
    expect((await signIn(text)).status).toBe(400)
  })
  it('refuses what a form of another site could send: 415', async () => {
    const answer = await signIn('{"apiKey":"a"}', { 'content-type': 'text/plain' })
    expect([answer.status, answer.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })
})

describe('POST /api/admin/accounts/{accountId}/links', () => {
  it.each(['{"validForDays":30}', '[]', '"a"'])('refuses the body %s: 400', async (body) => {
    const path = `/api/admin/accounts/${unknownId}/links`
    const answer = await contract.service.clientFor(testAdminKey).send('POST', path, { headers: json, body })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('GET /api/admin/jobs', () => {
  it.each([
    ['?status=done', 'status'],
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?cursor=nonsense', 'cursor'],
    [`?cursor=${Buffer.from(`["jobs","1","${unknownId}"]`).toString('base64url')}`, 'cursor'],
    ['?account=a', 'account'],
  ])('refuses %s: 400, and says where', async (query, place) => {
    const answer = await contract.service.clientFor(testAdminKey).get(`/api/admin/jobs${query}`)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, place])
  })
})

describe.each(tables)('$method $path', ({ method, path, key, cases }) => {
  it.each(cases)('refuses %s: 400, and says where', async (_what, body, place) => {
    const before = await scrapeJobs()
    const answer = await contract.clientOf(key).send(method, path, { headers: json, body: JSON.stringify(body) })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('INVALID_REQUEST')
    expect(answer.body.error.details[0].path).toBe(place)
    expect(await scrapeJobs()).toBe(before)
  })
})
