import { extractFromJson } from '@extractus/feed-extractor'
import { sql } from 'kysely'
import Parser from 'rss-parser'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { deleteExpiredRequests } from '../../requests/store/delete.ts'
import { endedRun, makeWatch, storeFound } from '../../watches/news/testing.ts'
import { feedLimits } from './read-routes.ts'

// Holds (Watches, news and channels): a purge or hidden text changes a feed's ETag at once; its address is in no table or log

const publicUrl = 'https://wishes.example.org'
const logged: string[] = []
let service: TestService
let now = new Date('2026-06-01T12:00:00.300Z')
beforeAll(async () => {
  const { pino } = await import('pino')
  service = await startTestService({
    environment: { PUBLIC_URL: publicUrl },
    clock: { now: () => now },
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
  })
})
beforeEach(async () => {
  await service.reset()
  // Later in each test: the limits of addresses are those of a minute.
  now = new Date(now.getTime() + 3_600_000)
})
afterAll(() => service.stop())

const store = (requests: FoundRequest[]) => storeFound(service.database, { requests, now, jobId: null })
const make = async (body: object) => {
  const answer = await service.client.post('/api/v1/feeds', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.data as { feedId: string; url: string; jsonUrl: string; name: string }
}
const read = (address: string, headers: Record<string, string> = {}) =>
  fetch(address.replace(publicUrl, service.url), { headers })
const accountId = async () =>
  (await service.database.selectFrom('accounts').select('id').orderBy('created_at', 'desc').executeTakeFirstOrThrow())
    .id
const idOf = async (sourceId: string) =>
  (
    await service.database
      .selectFrom('requests')
      .select('id')
      .where('source_id', '=', sourceId)
      .executeTakeFirstOrThrow()
  ).id
const parseAtom = async (response: Response) =>
  new Parser({ customFields: { item: ['published', 'updated'] } }).parseString(await response.text())
const entryTitles = async (address: string) => (await parseAtom(await read(address))).items.map(({ title }) => title)

const hostile = '<b>bold</b> & "quoted" ]]> <![CDATA[ <script>alert(1)</script>'

describe('a feed of a topic', () => {
  it('is valid Atom by the required elements of RFC 4287, and another parser reads the same texts', async () => {
    await store([
      foundRequest('1', {
        title: hostile,
        description: `${hostile}\u0001\n\nsecond`,
        authorName: 'A & <B>',
        status: 'planned',
        tags: ['ui"<'],
      }),
      foundRequest('2', {
        title: 'Newer',
        stars: 3,
        originalCreatedAt: new Date('2026-05-02T03:04:05Z'),
        sourceUrl: 'javascript:alert(1)',
      }),
    ])
    const { url } = await make({ kind: 'topic', topic: 'Dark  Mode', name: 'Dark & "mode"' })
    expect(url).toMatch(/^https:\/\/wishes\.example\.org\/feeds\/[\w-]{43}\.atom$/)
    const response = await read(url)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/atom+xml; charset=utf-8',
      'cache-control': 'private, no-cache',
      'x-robots-tag': expect.stringContaining('noindex'),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    const xml = await response.text()
    const [head, ...entries] = xml.split('<entry>')
    expect(entries[0]).toContain('1 vote, 3 of 5 stars · github')
    // RFC 4287, 4.1.1: exactly one id, title and updated; a link to itself; an author.
    expect(head).toContain('<feed xmlns="http://www.w3.org/2005/Atom">')
    for (const element of ['id', 'title', 'updated', 'author'])
      expect(head!.split(new RegExp(`<${element}[ >]`))).toHaveLength(2)
    expect(head).toMatch(
      new RegExp(`<link href="${url.replaceAll('.', '\\.')}" rel="self" type="application/atom\\+xml"/>`),
    )
    expect(entries).toHaveLength(2)
    // 4.1.2: the same of each entry, and a link to the alternate.
    for (const entry of entries) {
      for (const element of ['id', 'title', 'updated', 'published', 'author', 'content']) {
        expect(entry.split(new RegExp(`<${element}[ >]`)), element).toHaveLength(2)
      }
      expect(entry).toMatch(/<id>tag:wishes\.example\.org,2026:request\/[0-9a-f]{64}<\/id>/)
      expect(entry).toMatch(/rel="alternate"/)
      for (const [, date] of entry.matchAll(/<(?:updated|published)>([^<]+)</g))
        expect(new Date(date!).toISOString()).toBe(date)
    }
    const feed = await new Parser({ customFields: { item: ['published', 'author'] } }).parseString(xml)
    expect(feed.title).toBe('Dark & "mode"')
    expect(feed.items.map(({ title, link, author, published }) => ({ title, link, author, published }))).toEqual([
      {
        title: 'Newer',
        link: `${publicUrl}/wishes/${await idOf('2')}`,
        author: 'Ada Lovelace',
        published: '2026-05-02T03:04:05.000Z',
      },
      {
        title: hostile,
        link: `${publicUrl}/wishes/${await idOf('1')}`,
        author: 'A & <B>',
        published: '2026-01-02T03:04:05.000Z',
      },
    ])
    expect(feed.items[1]!.content).toBe(`1 vote · github · planned\n\n${hostile}\n\nsecond`)
    expect(xml).not.toContain('javascript:')
  })

  it('is valid JSON Feed 1.1, and another parser reads the same texts', async () => {
    await store([foundRequest('1', { title: hostile, description: hostile, tags: ['ui'] })])
    const { jsonUrl } = await make({ kind: 'topic', topic: 'dark mode' })
    const response = await read(jsonUrl)
    expect(response.headers.get('content-type')).toBe('application/feed+json; charset=utf-8')
    const feed = (await response.json()) as { items: { url: string }[] }
    expect(feed).toEqual({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'dark mode',
      home_page_url: `${publicUrl}/topics/one?topic=dark+mode`,
      feed_url: jsonUrl,
      items: [
        {
          id: expect.stringMatching(/^tag:wishes\.example\.org,2026:request\/[0-9a-f]{64}$/),
          url: `${publicUrl}/wishes/${await idOf('1')}`,
          external_url: 'https://example.org/1',
          title: hostile,
          content_text: `1 vote · github\n\n${hostile}`,
          date_published: '2026-01-02T03:04:05.000Z',
          date_modified: '2026-01-02T03:04:05.000Z',
          authors: [{ name: 'Ada Lovelace' }],
          tags: ['ui'],
        },
      ],
    })
    const read1 = extractFromJson(JSON.stringify(feed), { descriptionMaxLen: 0, useISODateFormat: true }) as {
      title: string
      entries: { link: string; published: string }[]
    }
    expect(read1.title).toBe('dark mode')
    expect(read1.entries).toMatchObject([{ link: feed.items[0]!.url, published: '2026-01-02T03:04:05.000Z' }])
  })

  it('is valid without any request, and has at most 50, the newest', async () => {
    const { url } = await make({ kind: 'topic', topic: 'dark mode' })
    expect((await parseAtom(await read(url))).items).toEqual([])
    const requests = Array.from({ length: 60 }, (_, day) =>
      foundRequest(`${day}`, { originalCreatedAt: new Date(Date.UTC(2026, 2, day)) }),
    )
    await store(requests)
    const titles = await entryTitles(url)
    expect(titles).toHaveLength(50)
    expect(titles[0]).toBe('Request 59')
  })

  it('keeps the ids of its entries when requests expire and come back, so none is new to a reader', async () => {
    await store([foundRequest('1')])
    const { jsonUrl } = await make({ kind: 'topic', topic: 'dark mode' })
    const ids = async () =>
      ((await (await read(jsonUrl)).json()) as { items: { id: string }[] }).items.map(({ id }) => id)
    const before = await ids()
    const old = await idOf('1')
    await deleteExpiredRequests(service.database, new Map([['github', 1]]), new Date(now.getTime() + 9e8))
    expect(await ids()).toEqual([])
    await store([foundRequest('1')])
    expect(await idOf('1')).not.toBe(old)
    expect(await ids()).toEqual(before)
  })
})

describe('a conditional request', () => {
  it('gets 304 while nothing changes, by the tag or by the date, in either format', async () => {
    await store([foundRequest('1')])
    const { url, jsonUrl } = await make({ kind: 'topic', topic: 'dark mode' })
    for (const address of [url, jsonUrl]) {
      const first = await read(address)
      const etag = first.headers.get('etag')!
      const modified = first.headers.get('last-modified')!
      for (const tag of [etag, `W/${etag}`, etag.replace(/"$/, '-gzip"'), `"other", ${etag}`, '*']) {
        const again = await read(address, { 'if-none-match': tag })
        expect(again.status).toBe(304)
        expect(await again.text()).toBe('')
        expect(again.headers.get('etag')).toBe(etag)
      }
      expect((await read(address, { 'if-modified-since': `${modified}; length=123` })).status).toBe(304)
      // A tag counts before a date.
      expect((await read(address, { 'if-none-match': '"other"', 'if-modified-since': modified })).status).toBe(200)
      expect((await read(address, { 'if-modified-since': 'nonsense' })).status).toBe(200)
    }
    expect((await read(url)).headers.get('etag')).not.toBe((await read(jsonUrl)).headers.get('etag'))
  })

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['purged', (id) => purgeRequests(service.database, { id, suppress: false, dryRun: false, now })],
    [
      'hidden by the account',
      (id) => service.client.post('/api/v1/corrections/requests', { requestId: id, isRequest: false }),
    ],
    ['changed', () => store([foundRequest('1', { title: 'Another' })])],
  ])('gets the feed at once when a text was %s in the same second, by tag and by date', async (_what, change) => {
    await store([foundRequest('1'), foundRequest('2')])
    const { url } = await make({ kind: 'topic', topic: 'dark mode' })
    const first = await read(url)
    await change(await idOf('1'))
    expect((await read(url, { 'if-modified-since': first.headers.get('last-modified')! })).status).toBe(200)
    const second = await read(url, { 'if-none-match': first.headers.get('etag')! })
    expect(second.status).toBe(200)
    expect(await second.text()).not.toContain('Request 1')
    // It says nothing of a moment in the future.
    expect(second.headers.get('last-modified')).toBeNull()
    now = new Date(now.getTime() + 2_000)
    const third = await read(url)
    expect(Date.parse(third.headers.get('last-modified')!)).toBeGreaterThan(
      Date.parse(first.headers.get('last-modified')!),
    )
  })
})

describe('a feed of a watch', () => {
  it('has its news, each item once for a report, and reading it is a look', async () => {
    const watch = await makeWatch(service.database, { accountId: await accountId() })
    await endedRun(service.database, watch, {
      requests: [foundRequest('a', { votes: 3, status: 'open' }), foundRequest('b', { status: 'open' })],
      now,
    })
    await service.reportNews()
    const { url, name } = await make({ kind: 'watch', watchId: watch.watchId })
    expect(name).toBe('Dark <mode>')
    expect(await entryTitles(url)).toEqual(['New: Request a', 'New: Request b'])
    // Longer after the last look than one is noted again.
    now = new Date(now.getTime() + 25 * 3600_000)
    await endedRun(service.database, watch, { requests: [foundRequest('a', { votes: 5, status: 'completed' })], now })
    await service.reportNews()
    expect(await entryTitles(url)).toEqual([
      '+2 votes: Request a',
      'Completed: Request a',
      'New: Request a',
      'New: Request b',
    ])
    const { items } = (await (await read(url.replace('.atom', '.json'))).json()) as { items: { id: string }[] }
    expect(new Set(items.map(({ id }) => id)).size).toBe(4)
    expect(items[0]).toMatchObject({ date_published: now.toISOString(), url: `${publicUrl}/wishes/${await idOf('a')}` })
    const looked = service.database.selectFrom('watches').select('last_looked_at')
    await expect.poll(() => looked.executeTakeFirstOrThrow()).toEqual({ last_looked_at: now })
    await purgeRequests(service.database, { id: await idOf('a'), suppress: false, dryRun: false, now })
    expect(await entryTitles(url)).toEqual(['New: Request b'])
  })

  it('says that its topic rises, before the wishes of the report', async () => {
    const watch = await makeWatch(service.database, { accountId: await accountId() })
    await endedRun(service.database, watch, { requests: [foundRequest('a')], now })
    await service.reportNews()
    const topicRise = JSON.stringify({ voices: 21, expected: 1.23, chance: 0.0001 })
    await sql`update news_reports set topic_rise = ${topicRise}::jsonb`.execute(service.database)
    const { url } = await make({ kind: 'watch', watchId: watch.watchId })
    const rises = '21 people in seven days, 1.2 expected'
    expect(await entryTitles(url)).toEqual([`Rising, ${rises}: dark mode`, 'New: Request a'])
    const { items } = (await (await read(url.replace('.atom', '.json'))).json()) as { items: object[] }
    expect(items[0]).toMatchObject({
      content_text: `More people than usual ask about dark mode: ${rises}.`,
      url: `${publicUrl}/watches/${watch.watchId}`,
    })
  })
})

describe('a feed of a search', () => {
  it('has what the search finds with its filters, the newest first, and spends nothing', async () => {
    await store([
      foundRequest('1', { title: 'Palette of colours', votes: 9 }),
      foundRequest('2', { title: 'Palette again', votes: 9, originalCreatedAt: new Date('2026-05-01T00:00:00Z') }),
      foundRequest('3', { title: 'Palette with few votes', votes: 1 }),
      foundRequest('4', { title: 'Something else', votes: 9 }),
    ])
    const { url } = await make({ kind: 'search', query: 'palette', filters: { minVotes: 5 } })
    expect(await entryTitles(url)).toEqual(['Palette again', 'Palette of colours'])
    const feed = await parseAtom(await read(url))
    expect(feed.link).toBe(`${publicUrl}/?q=palette`)
    expect(await service.database.selectFrom('credit_entries').select('id').execute()).toEqual([])
  })
})

describe('the address of a feed', () => {
  it('opens only its own feed, until it is revoked; nothing that is stored or logged opens it', async () => {
    await store([foundRequest('1')])
    const { feedId, url } = await make({ kind: 'topic', topic: 'dark mode' })
    expect((await read(url)).status).toBe(200)
    const secret = /feeds\/([\w-]+)\./.exec(url)![1]!
    const { rows } = await sql<{ stored: string }>`select to_jsonb(feeds)::text as stored from feeds`.execute(
      service.database,
    )
    expect(rows[0]!.stored).not.toContain(secret)
    expect(logged.join('')).toContain('/feeds/…')
    expect(logged.join('')).not.toContain(secret)
    const { body } = await service.client.get('/api/v1/feeds')
    expect(body.data.results).toMatchObject([
      { feedId, kind: 'topic', topic: 'dark mode', hint: secret.slice(0, 4), lastReadAt: now.toISOString() },
    ])
    expect(JSON.stringify(body)).not.toContain(secret)
    const other = await service.createAccount()
    expect((await other.client.send('DELETE', `/api/v1/feeds/${feedId}`)).status).toBe(404)
    expect((await service.client.send('DELETE', `/api/v1/feeds/${feedId}`)).status).toBe(200)
    const gone = await read(url)
    expect(gone.status).toBe(404)
    expect((await service.client.send('DELETE', `/api/v1/feeds/${feedId}`)).status).toBe(404)
  })

  it.each([
    'x.atom',
    `${'a'.repeat(43)}.atom`,
    `${'a'.repeat(43)}.xml`,
    `${'a'.repeat(43)}`,
    '..%2f..%2fetc.atom',
    `${'ä'.repeat(43)}.json`,
  ])('that is wrong, like %s, is a 404', async (file) =>
    expect((await read(`${publicUrl}/feeds/${file}`)).status).toBe(404),
  )

  it('is read so many times in a minute, and no more; the account has its own limits', async () => {
    const { url } = await make({ kind: 'topic', topic: 'dark mode' })
    for (let time = 0; time < feedLimits.ofFeed; time++) expect((await read(url)).status).toBe(200)
    const refused = await read(url)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await service.client.get('/api/v1/feeds')).status).toBe(200)
    now = new Date(now.getTime() + 61_000)
    expect((await read(url)).status).toBe(200)
  })

  it('of a deleted account opens nothing', async () => {
    const { accountId: id, client } = await service.createAccount()
    const { url } = (await client.post('/api/v1/feeds', { kind: 'topic', topic: 'dark mode' })).body.data
    expect((await read(url)).status).toBe(200)
    await service.clientFor(service.adminKey).send('DELETE', `/api/admin/accounts/${id}`)
    expect((await read(url)).status).toBe(404)
  })
})

it.each([
  [{ kind: 'topic' }, 'topic'],
  [{ kind: 'topic', topic: 'dark mode', query: 'x' }, 'query'],
  [{ kind: 'search', query: '-dark' }, 'query'],
  [{ kind: 'search', query: 'dark', filters: { since: 'tomorrow' } }, 'since'],
  [{ kind: 'topic', topic: 'dark mode', filters: { topic: 'other' } }, 'topic'],
  [{ kind: 'watch', watchId: 'x', filters: {} }, 'filters'],
  [{ kind: 'rss', topic: 'dark mode' }, 'kind'],
])('a feed of %j is refused', async (body, field) => {
  const answer = await service.client.post('/api/v1/feeds', body)
  expect(answer.status).toBe(400)
  expect(JSON.stringify(answer.body)).toContain(field)
})

it("another account's watch has no feed", async () => {
  const watch = await makeWatch(service.database)
  expect((await service.client.post('/api/v1/feeds', { kind: 'watch', watchId: watch.watchId })).status).toBe(404)
  expect((await service.client.get(`/api/v1/news?watchId=${watch.watchId}`)).status).toBe(404)
  expect((await service.client.post('/api/v1/news/read', { watchId: watch.watchId })).status).toBe(404)
})
