import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unknownId } from '../../../test/contract/testing.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { joinWish } from '../../../test/stored-wish.ts'
import { unlimited } from '../../../test/unlimited.ts'
import { openBrowser } from '../../accounts/sessions/testing.ts'
import { guardLimits } from '../../http/rate-limits/rate-limits.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { shareLimits } from './read-routes.ts'
import { maxDays, maxShares } from './shares.ts'
import { idOf, makeShare, openShare, storeRequests } from './testing.ts'

// Holds (Data): pages without a key and briefs show no imported feedback, not even counts
// Holds (HTTP and secrets): a share's address is in no table or log, and every invalid one gives the same 404

const publicUrl = 'https://wishes.example.org'
const dayMs = 24 * 60 * 60_000
const logged: string[] = []
const statements: string[] = []
let service: TestService
let wishId: string
let now = new Date('2026-06-01T12:00:00.000Z')
const later = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}
beforeAll(async () => {
  const { pino } = await import('pino')
  service = await startTestService({
    environment: { PUBLIC_URL: publicUrl },
    clock: { now: () => now },
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    onStatement: (statement) => void statements.push(statement),
    requestLimits: { ...unlimited, ...guardLimits },
  })
})
beforeEach(async () => {
  await service.reset()
  // Later in each test: the limits of addresses are those of a minute.
  later(3_600_000)
  await storeRequests(service, [foundRequest('1', { title: 'Dark mode' })])
  wishId = await idOf(service, '1')
})
afterAll(() => service.stop())

const make = (body: object = { wishId }, client = service.client) => makeShare(client, body)
const open = (url: string) => openShare(service, url)
const listed = async (client = service.client) => (await client.get('/api/v1/shares')).body.data.results

it('nothing that was imported is on a page or in a brief, nor is it counted there', async () => {
  const file = 'id,title,votes,author\nown-1,Dark mode for Zelda,4711,Zelda\nown-2,Secret of Zelda,4712,Zelda\n'
  const imported = await service.client.send('POST', '/api/v1/feedback/imports?name=board&areRequests=true', {
    headers: { 'content-type': 'text/csv' },
    body: file,
  })
  expect(imported.status, imported.text).toBe(200)
  const { rows } = await sql<{ id: string; title: string }>`
    select id, title from requests where platform = 'import' order by title`.execute(service.database)
  const [joined, alone] = rows.map(({ id }) => id)
  await joinWish(service.database, wishId, [wishId, joined!])
  const read = await service.client.get(`/api/v1/wishes/${wishId}`)
  expect(read.body.data).toMatchObject({
    title: 'Dark mode',
    requestCount: 1,
    platforms: ['github', 'import'],
    own: { asks: 1, votes: 4711, voices: 1 },
  })
  const { body } = await service.client.get(`/api/v1/wishes/${alone}`)
  expect(body.data).toMatchObject({
    title: 'Secret of Zelda',
    ...{ requestCount: 0, votes: 0, voices: 0, platforms: ['import'], timeline: [], votesByPlatform: [] },
    own: { asks: 1, votes: 4712, voices: 1 },
  })
  expect((await service.client.post('/api/v1/shares', { wishId: alone })).status).toBe(400)
  const brief = await service.client.post('/api/v1/briefs', { filters: { minVotes: 0 } })
  expect(brief.status, brief.text).toBe(200)
  const { briefId } = brief.body.data
  const shared = [{ wishId }, { topic: 'dark mode' }, { view: {} }, { view: { query: 'mode' } }, { briefId }]
  const texts = [brief.text]
  for (const what of shared) {
    const { status, text } = await open((await make(what)).url)
    expect([status, text.includes('Dark mode')], JSON.stringify(what)).toEqual([200, true])
    texts.push(text)
  }
  for (const text of texts) expect(text).not.toMatch(/Zelda|471[12]|4[.,]71[12]|import/i)
})

describe('the address of a share', () => {
  it('is a token of 128 bits that nothing has that is stored, listed or logged', async () => {
    const { url } = await make()
    expect(url).toMatch(/^https:\/\/wishes\.example\.org\/s\/[\w-]{22}$/)
    expect((await make()).url).not.toBe(url)
    expect((await open(url)).status).toBe(200)
    const token = url.slice(-22)
    const { rows } = await sql<{ stored: string }>`select to_jsonb(shares)::text as stored from shares`.execute(
      service.database,
    )
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(await listed())).not.toContain(token)
    await fetch(`${service.url}/s/${token}/`)
    await fetch(`${service.url}//s//${token}?a=${token}`)
    expect((await fetch(`${service.url}/%73/${token}`)).status).toBe(200)
    expect(logged.join('')).toContain('/s/')
    expect(logged.join('')).not.toContain(token)
  })

  it('that is unknown, expired, revoked or of a purged text is one and the same page', async () => {
    const [expired, revoked, purged] = [await make({ wishId, expiresInDays: 1 }), await make(), await make()]
    expect((await service.client.send('DELETE', `/api/v1/shares/${revoked.shareId}`)).status).toBe(200)
    expect((await open(expired.url)).status).toBe(200)
    later(dayMs)
    const ended = await open(expired.url)
    await purgeRequests(service.database, { id: wishId, suppress: false, dryRun: false, now })
    const answers = [
      ended,
      await open(purged.url),
      await open(revoked.url),
      await open(`${publicUrl}/s/${'A'.repeat(22)}`),
      await open(`${publicUrl}/s/short`),
      await open(`${publicUrl}/s/..%2f..%2fetc`),
    ]
    const same = answers.map(({ status, headers, text }) => ({
      status,
      text,
      headers: Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date')),
    }))
    expect(same[0]!.status).toBe(404)
    for (const answer of same) expect(answer).toEqual(same[0])
  })

  it('opens a page that is stored and indexed nowhere, loads nothing, and tells nobody where it is', async () => {
    const { headers } = await open((await make()).url)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
      ),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    })
    expect(headers.get('set-cookie')).toBeNull()
  })

  it('is read so many times in a minute, and wrong ones as wrong keys are', async () => {
    const { url } = await make()
    for (let time = 0; time < shareLimits.ofOne; time++) expect((await open(url)).status).toBe(200)
    const refused = await open(url)
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Too many tries')])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    later(61_000)
    expect((await open(url)).status).toBe(200)
    const statuses: number[] = []
    for (let time = 0; time < 61; time++) statuses.push((await open(`${publicUrl}/s/${'A'.repeat(22)}`)).status)
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 404), 429])
    expect((await open(url)).status).toBe(200)
  })

  it('that is right writes once a day when it was opened', async () => {
    const { url } = await make()
    const writes = async () => {
      statements.length = 0
      await open(url)
      // Requests that were just stored are counted and placed meanwhile, by statements on other tables.
      return statements.filter((statement) => /^\s*(insert|update|delete)\b.*\bshares\b/is.test(statement)).length
    }
    expect((await listed())[0].lastOpenedOn).toBeNull()
    expect([await writes(), await writes()]).toEqual([1, 0])
    expect((await listed())[0].lastOpenedOn).toBe(now.toISOString().slice(0, 10))
    later(dayMs)
    expect([await writes(), await writes()]).toEqual([1, 0])
  })
})

describe('the shares of an account', () => {
  it('say what they show, who made them and when they end', async () => {
    const { body: key } = await service.client.post('/api/v1/keys', {
      ...{ name: 'team', expiresAt: new Date(now.getTime() + 5 * dayMs).toISOString() },
    })
    const team = service.clientFor(key.data.apiKey)
    const link = (await team.post('/api/v1/links', { personName: 'Ada' })).body.data.url
    const ada = openBrowser(() => service.url)
    await ada.signIn({ link: new URL(link).hash.slice(1) })
    const view = { query: 'dark', sortBy: 'new', filters: { minVotes: 1 } }
    const byAda = await ada.call('POST', '/api/v1/shares', { body: { view, title: 'Ours' } })
    expect(byAda.status, byAda.text).toBe(200)
    later(1)
    await make({ wishId, withNotes: true })
    later(1)
    await make({ topic: 'dark mode', expiresInDays: 2 })
    const inDays = (days: number) => new Date(now.getTime() + days * dayMs).toISOString()
    const shown = {
      title: null,
      wishId: null,
      wishTitle: null,
      topic: null,
      view: null,
      briefId: null,
      withNotes: false,
    }
    expect(await listed()).toMatchObject([
      {
        ...{ ...shown, title: 'Ours', view, personName: 'Ada', madeBy: key.data.keyId },
        expiresAt: key.data.expiresAt,
      },
      { ...shown, wishId, wishTitle: 'Dark mode', withNotes: true, personName: null, madeBy: expect.any(String) },
      { ...shown, topic: 'dark mode', expiresAt: inDays(2), createdAt: now.toISOString() },
    ])
    const first = (await service.client.get('/api/v1/shares?limit=2')).body.data
    expect([first.results.length, first.hasMore]).toEqual([2, true])
    const second = (await service.client.get(`/api/v1/shares?limit=2&cursor=${first.cursor}`)).body.data
    expect([second.results.length, second.hasMore, second.cursor]).toEqual([1, false, null])
    const made = (await service.client.get(`/api/v1/keys/${key.data.keyId}/made`)).body.data
    expect(made.shares).toEqual([{ shareId: byAda.body.data.shareId, name: 'Ours' }])
    await service.client.send('DELETE', `/api/v1/keys/${key.data.keyId}?withMade=true`)
    expect((await open(byAda.body.data.url)).status).toBe(404)
  })

  it('are its own, and end with it', async () => {
    const other = await service.createAccount()
    const [own, others] = [await make(), await make({ wishId }, other.client)]
    expect(await listed(other.client)).toMatchObject([{ shareId: others.shareId }])
    for (const id of [own.shareId, unknownId, 'nonsense'])
      expect((await other.client.send('DELETE', `/api/v1/shares/${id}`)).status).toBe(404)
    await service.clientFor(service.adminKey).send('DELETE', `/api/admin/accounts/${other.accountId}`)
    expect([(await open(own.url)).status, (await open(others.url)).status]).toEqual([200, 404])
    expect(await service.database.selectFrom('shares').select('id').execute()).toEqual([{ id: own.shareId }])
  })

  it(`are ${maxShares} at most, without those that have expired, which are deleted`, async () => {
    await make({ wishId, expiresInDays: 1 })
    await sql`insert into shares select gen_random_uuid(), account_id, wish_id, topic, view, brief_id, title, with_notes, n::text, hint, created_at,
      made_by, person_name, expires_at + interval '9 days', last_opened_at from shares, generate_series(2, ${maxShares}) as n`.execute(
      service.database,
    )
    const refused = await service.client.post('/api/v1/shares', { wishId })
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
    later(dayMs)
    await make()
    await service.runMaintenance()
    const { rows } = await sql<{ shares: number }>`select count(*)::integer as shares from shares`.execute(
      service.database,
    )
    expect(rows).toEqual([{ shares: maxShares }])
  })

  it.each([
    [{}, 'exactly one'],
    [{ wishId: unknownId, topic: 'dark mode' }, 'exactly one'],
    [{ briefId: unknownId, topic: 'dark mode' }, 'exactly one'],
    [{ topic: 'dark mode', expiresInDays: maxDays + 1 }, 'expiresInDays'],
    [{ topic: 'dark mode', expiresInDays: 0 }, 'expiresInDays'],
    [{ topic: 'dark mode', token: 'a' }, 'token'],
    [{ view: { query: '-dark' } }, 'query'],
    [{ view: { sortBy: 'relevance' } }, 'view.sortBy'],
    [{ view: { query: 'dark', sortBy: 'growing' } }, 'view.sortBy'],
    [{ view: { query: 'dark', filters: { starred: true } } }, 'view.filters'],
    [{ view: { filters: { include: 'all' } } }, 'include'],
    [{ view: { filters: { since: 'tomorrow' } } }, 'since'],
  ])('are refused for %j', async (body, field) => {
    const answer = await service.client.post('/api/v1/shares', body)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)])
  })

  it.each([
    { wishId: unknownId },
    { wishId: 'nonsense' },
    { topic: 'unheard of' },
    { briefId: unknownId },
    { briefId: 'nonsense' },
  ])('are not of %j', async (body) => {
    expect((await service.client.post('/api/v1/shares', body)).status).toBe(404)
  })
})
