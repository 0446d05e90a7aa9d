import { describe, expect, it } from 'vitest'
import { json, prepareContract, unknownId } from './testing.ts'

// Bad query strings and cursors, each with the path of the error in the answer.

const contract = prepareContract(12)

describe('GET /api/v1/requests', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['topic=a', 'topic'],
    ['topic=a%00b', 'topic'],
    ['tag=', 'tag.0'],
    ['tag=a&tag=', 'tag.1'],
    ['minVotes=x', 'minVotes'],
    ['minVotes=1.5', 'minVotes'],
    ['minVotes=99999999999', 'minVotes'],
    ['since=yesterday', 'since'],
    ['since=2026-13-01', 'since'],
    ['until=2026-02-30', 'until'],
    ['until=2026-01-01T24:61:00Z', 'until'],
    ['until=2026-01-01T10:00', 'until'],
    ['platforms=myspace', 'platforms'],
    ['platforms=github,myspace', 'platforms'],
    ['platforms=', 'platforms'],
    ['sortBy=best', 'sortBy'],
    ['source=realtime', 'topic'],
    ['cursor=nonsense', 'cursor'],
    [`cursor=${Buffer.from('["votes",1,"x"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from(`["new","1; drop table requests","${unknownId}"]`).toString('base64url')}`, 'cursor'],
    ['platform=github', 'platform'],
    [`cursor=${Buffer.from('["new",1,"x"]').toString('base64url')}`, 'cursor'],
  ])('refuses ?%s: 400, and says where', async (query, place) => {
    const answer = await contract.service.client.get(`/api/v1/requests?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(place)
  })
})

describe('a moment at the ends of the calendar', () => {
  it.each([
    '0000-01-01',
    '0001-01-01T00:00:00+23:59',
    '9999-12-31',
    '9999-12-31T23:59:00-23:59',
    '9999-12-31T23:59:59.999999999Z',
  ])('is answered: %s', async (moment) => {
    for (const name of ['since', 'until']) {
      for (const path of ['requests', 'requests/export']) {
        const answer = await contract.service.client.get(
          `/api/v1/${path}?sortBy=votes&${name}=${encodeURIComponent(moment)}`,
        )
        expect([path, name, answer.status]).toEqual([path, name, 200])
      }
    }
  })
})

describe('a forged cursor', () => {
  it.each([
    ['votes', Number.MAX_SAFE_INTEGER],
    ['votes', Number.MIN_SAFE_INTEGER],
    ['new', Number.MAX_SAFE_INTEGER],
    ['new', Number.MIN_SAFE_INTEGER],
  ])('is answered, sorted by %s at %d', async (sortBy, key) => {
    const cursor = Buffer.from(JSON.stringify([sortBy, key, unknownId])).toString('base64url')
    const answer = await contract.service.client.get(`/api/v1/requests?sortBy=${sortBy}&cursor=${cursor}`)
    expect([200, 400]).toContain(answer.status)
  })
})

describe('a query string where none belongs', () => {
  it.each(['POST /api/v1/scrape?depth=40', 'POST /api/v1/requests/search?limit=1'])('%s: 400', async (call) => {
    const [method = '', path = ''] = call.split(' ')
    const options = { headers: json, body: '{"topic":"dark mode","query":"a"}' }
    const answer = await contract.service.client.send(method, path, options)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('GET /api/v1/usage', () => {
  it.each([
    ['?days=0', 'days'],
    ['?days=91', 'days'],
    ['?days=1.5', 'days'],
    ['?days=week', 'days'],
    ['?days=', 'days'],
    ['?day=7', 'day'],
    ['/entries?limit=0', 'limit'],
    ['/entries?limit=101', 'limit'],
    ['/entries?cursor=nonsense', 'cursor'],
    [`/entries?cursor=${Buffer.from('["entries","1"]').toString('base64url')}`, 'cursor'],
    [`/entries?cursor=${Buffer.from('["entries",1e300]').toString('base64url')}`, 'cursor'],
    [`/entries?cursor=${Buffer.from('["new",1]').toString('base64url')}`, 'cursor'],
    ['/entries?offset=1', 'offset'],
  ])('refuses %s: 400, and says where', async (query, place) => {
    const answer = await contract.service.client.get(`/api/v1/usage${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(place)
  })
})

describe('the query string of an operator or of keys', () => {
  it.each([
    ['/api/admin/accounts?deleted=perhaps', 'admin', 'deleted'],
    ['/api/admin/accounts?delete=true', 'admin', 'delete'],
    ['/api/v1/keys?all=true', 'account', 'all'],
    ['/api/admin/backup?format=zip', 'admin', 'format'],
    [`/api/admin/accounts/${unknownId}/keys?all=true`, 'admin', 'all'],
    [`/api/admin/accounts/${unknownId}/links?all=true`, 'admin', 'all'],
    [`/api/admin/accounts/${unknownId}/usage?days=91`, 'admin', 'days'],
    [`/api/admin/accounts/${unknownId}/usage?day=1`, 'admin', 'day'],
    ['/api/admin/platforms?on=true', 'admin', 'on'],
  ] as const)('refuses %s: 400, and says where', async (path, key, place) => {
    const answer = await contract.clientOf(key).get(path)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(place)
  })
})
