import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/service.ts'
import { changeRequests, linkToTopics } from '../../../test/stored-requests.ts'

// Holds (Search, lists and export): an export equals its list or search, is complete or visibly broken, and can resume

// Takes seconds: 6,000 requests are exported, more than the buffers between service and reader hold.

const size = 6_000
let service: TestService

/** Long enough that the whole is far more than sockets and buffers hold. */
const description = 'A long text. '.repeat(300)

beforeAll(async () => {
  service = await startTestService()
  await sql`insert into topics (key, name, created_at) values ('all', 'All', now())`.execute(service.database)
  await changeRequests(
    service.database,
    sql`
    insert into requests
      (confidence, platform, source_id, title, description, votes, tags, source_url, topic, author_name, license,
       original_created_at, created_at, updated_at)
    select 1, 'stackexchange', n, '=Request ' || n, ${description}, n % 50, array['tag' || n % 3], 'https://example.org/' || n, 'All',
      'Ada', 'CC BY-SA 4.0', timestamptz '2026-01-01' + n / 5 * interval '1 minute', now(), now()
    from generate_series(1, ${sql.lit(size)}) as n`,
  )
  const { rows } = await sql<{ id: string }>`select id from requests`.execute(service.database)
  await linkToTopics(service.database, new Map(rows.map(({ id }) => [id, 'all'])))
})
afterAll(() => service.stop())

const path = (query: string) => `/api/v1/requests/export?${query}`
const open = (query: string, signal?: AbortSignal) =>
  fetch(`${service.url}${path(query)}`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
    ...(signal ? { signal } : {}),
  })
const lines = (text: string) => text.split('\n').filter((line) => line !== '')
const parse = (text: string) => lines(text).map((line) => JSON.parse(line))

describe('an export', () => {
  it('is every request of the list, in its order, with author, licence and cursor', async () => {
    const answer = await open('sortBy=votes')
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const records = parse(await answer.text())
    expect(new Set(records.map(({ _id }) => _id)).size).toBe(size)
    const votes = records.map((record) => record.votes)
    expect(votes).toEqual([...votes].sort((a, b) => b - a))
    expect(records[0]).toMatchObject({
      authorName: 'Ada',
      license: 'CC BY-SA 4.0',
      topics: ['All'],
      cursor: expect.any(String),
    })
  })

  it('continues after any record with its cursor, and has the filters of the list', async () => {
    const filters = 'topic=all&tag=tag1&minVotes=25'
    const whole = parse(await (await open(filters)).text())
    expect(whole).toHaveLength(size / 6)
    for (const at of [0, 199, 200, 500, whole.length - 1]) {
      const rest = parse(await (await open(`${filters}&cursor=${whole[at].cursor}`)).text())
      expect(rest.map(({ _id }) => _id)).toEqual(whole.slice(at + 1).map(({ _id }) => _id))
    }
  })

  it('as CSV has one header, a byte order mark only with bom, and no formula', async () => {
    const filters = 'format=csv&tag=tag2&minVotes=49'
    // `text()` would take the mark away.
    const text = Buffer.from(await (await open(`${filters}&bom=true`)).arrayBuffer()).toString()
    expect(text.startsWith('\ufeff_id,title,')).toBe(true)
    expect(text).toContain('"\'=Request ')
    const rows = text.trimEnd().split('\r\n')
    expect(rows).toHaveLength(size / 150 + 1)
    const cursor = rows[5]?.split(',').at(-1)?.replaceAll('"', '')
    const rest = await (await open(`${filters}&cursor=${cursor}`)).text()
    expect(rest.trimEnd().split('\r\n')).toEqual(rows.slice(6))
  })

  it('needs a key, and refuses what a list refuses before it begins', async () => {
    expect((await service.clientFor(null).get(path(''))).status).toBe(401)
    for (const query of [
      'format=xml',
      'cursor=x',
      'platforms=none',
      'since=yesterday',
      'limit=3',
      `jobId=${crypto.randomUUID()}`,
    ]) {
      expect([400, 404], query).toContain((await service.client.get(path(query))).status)
    }
  })

  it('reads no further than its reader, and breaks its connection when the service stops', async () => {
    const answer = await open('')
    const reader = answer.body!.getReader()
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader.read()).value, { stream: true })
    // Nothing is taken while the service stops: a quick reader could have the whole before its export is broken off.
    await service.restart()
    await expect(
      (async () => {
        for (;;) {
          const { value, done } = await reader.read()
          if (done) return 'ended as if it were whole'
          text += decoder.decode(value, { stream: true })
        }
      })(),
    ).rejects.toThrow()
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const received = parse(whole)
    // It was not read into memory while nobody took it.
    expect(received.length).toBeLessThan(size)
    const rest = parse(await (await open(`cursor=${received.at(-1).cursor}`)).text())
    expect(new Set([...received, ...rest].map(({ _id }) => _id)).size).toBe(size)
    expect(received.length + rest.length).toBe(size)
  })

  it('is refused while the account has the maximum open, and frees its slot when its reader goes', async () => {
    const readers = Array.from({ length: 3 }, () => new AbortController())
    const answers = await Promise.all(readers.map(({ signal }) => open('', signal)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const refused = await open('')
    const body = (await refused.json()) as { error: { reason: string } }
    expect([refused.status, body.error.reason]).toEqual([429, 'rate'])
    expect(refused.headers.get('retry-after')).not.toBeNull()
    const { client } = await service.createAccount()
    expect((await client.get(path('format=csv&tag=tag1&minVotes=49'))).status).toBe(200)
    for (const reader of readers) reader.abort()
    await expect
      .poll(async () => (await service.client.get(path('format=csv&tag=none'))).status, { timeout: 30_000 })
      .toBe(200)
  })
})

describe('an export of a search', () => {
  const words = 'query=meadow'
  const search = async (body: object) => {
    const answer = await service.client.post('/api/v1/requests/search', { query: 'meadow', limit: 100, ...body })
    return answer.body.data.results as { _id: string; description: string; votes: number }[]
  }
  const idsOf = (records: { _id: string }[]) => records.map(({ _id }) => _id)
  const exported = async (query: string) => parse(await (await open(query)).text())

  beforeAll(async () => {
    // Shorter ones are better matches; the last of them has as long a text as the others.
    await changeRequests(
      service.database,
      sql`
      update requests set title = 'meadow', votes = n,
        platform = case when n % 3 = 0 then 'github' else 'stackexchange' end
      from generate_series(1, 130) as n where requests.source_id = n::text`,
    )
    await changeRequests(
      service.database,
      sql`
      insert into request_texts (request_id, text)
      select id, 'meadow' || repeat(' filler', votes) from requests where title = 'meadow'`,
    )
  })

  it('has the results of the search with the same filters and order, whole texts, at most 100', async () => {
    const found = await search({})
    expect(found).toHaveLength(100)
    const records = await exported(words)
    expect(idsOf(records)).toEqual(idsOf(found))
    expect(new Set(records.map((record) => record.description))).toEqual(new Set([description]))
    const cases: [string, object][] = [
      ['sortBy=votes', { sortBy: 'votes' }],
      ['sortBy=new', { sortBy: 'new' }],
      ['platforms=github', { filters: { platforms: ['github'] } }],
      ['topic=ALL&tag=tag1&minVotes=20', { filters: { topic: 'all', tags: ['tag1'], minVotes: 20 } }],
      [
        'since=2026-01-01T00:05:00Z&until=2026-01-01T00:10:00Z',
        { filters: { since: '2026-01-01T00:05:00Z', until: '2026-01-01T00:10:00Z' } },
      ],
    ]
    for (const [query, body] of cases) {
      const narrowed = await search(body)
      expect(narrowed.length, query).toBeGreaterThan(0)
      expect(idsOf(await exported(`${words}&${query}`)), query).toEqual(idsOf(narrowed))
    }
    expect(await exported('query=mead')).toEqual([])
    expect(idsOf(await exported('query=mead&prefix=true'))).toEqual(
      idsOf(await search({ query: 'mead', prefix: true })),
    )
  })

  it('continues after any record with its cursor; as CSV it has one header', async () => {
    const whole = await exported(words)
    for (const at of [0, 57, 99]) {
      expect(await exported(`${words}&cursor=${whole[at].cursor}`)).toEqual(whole.slice(at + 1))
    }
    const csv = async (query: string) =>
      (await (await open(`${words}&format=csv${query}`)).text()).trimEnd().split('\r\n')
    const rows = await csv('')
    expect(rows).toHaveLength(101)
    expect(rows[0]).toMatch(/^_id,title,/)
    expect(await csv(`&cursor=${whole[97].cursor}`)).toEqual(rows.slice(99))
  })

  it('refuses what cannot be searched, before it begins', async () => {
    const ofList = (await exported('tag=tag1&minVotes=49'))[0].cursor
    const ofSearch = (await exported(words))[0].cursor
    for (const query of [
      'query=',
      'query=-only',
      'sortBy=relevance',
      'prefix=true',
      `${words}&jobId=${crypto.randomUUID()}`,
      `${words}&cursor=${ofList}`,
      `${words}&sortBy=votes&cursor=${ofSearch}`,
      `cursor=${ofSearch}`,
    ]) {
      expect((await service.client.get(path(query))).status, query).toBe(400)
    }
  })
})
