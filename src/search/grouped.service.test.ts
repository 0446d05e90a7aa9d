import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBm25 } from '../../test/database.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { changeRequests } from '../../test/stored-requests.ts'
import { makeWish } from '../../test/stored-wish.ts'

// Holds (Dashboard): a search grouped by wish shows each wish once, with its number of matching requests

let service: TestService
/** The ids of the requests: 0 to 119 are about apples, the first 40 of them in ten wishes of four, each with one about pears. */
const ids = Array.from({ length: 130 }, () => crypto.randomUUID())
const wishIds: string[] = []

beforeAll(async () => {
  service = await startTestService()
  const { database } = service
  await changeRequests(
    database,
    sql`
    insert into requests (confidence, id, platform, source_id, title, description, votes, tags, source_url, topic,
      original_created_at, created_at, updated_at, standing)
    select 1, id, case when n % 2 = 0 then 'github' else 'hackernews' end, n, case when n < 120 then 'Apple ' else 'Pear ' end || n, '',
      case when n < 120 then n else 1000 end, '{}', 'https://example.org', 'fruit',
      timestamptz '2026-01-01' + n * interval '1 day', now(), now(), case when n in (118, 119) then 1 else 2 end
    from (select id, position::int - 1 as n from unnest(${ids}::uuid[]) with ordinality as one (id, position)) as row`,
  )
  await changeRequests(
    database,
    sql`
    insert into request_texts (request_id, text)
    select id, lower(title) || case when title = 'Apple 117' then ' ripe' else '' end from requests`,
  )
  for (let at = 0; at < 10; at++) {
    wishIds.push(await makeWish(database, [...ids.slice(at * 4, at * 4 + 4), ids[120 + at]!]))
  }
})
afterAll(() => service.stop())

type Wish = {
  wishId: string | null
  votes: number
  hasAllWords: boolean
  firstAskedAt: string
  bestMatch: { _id: string }
}
const search = async (options: object) => (await service.client.search('apple', { groupBy: 'wish', ...options })).body
const wishesOf = ({ data }: { data: { results: Wish[] } }) => data.results

describe('a search that is grouped by wish', () => {
  it('has each wish once, in the numbers of the whole wish, with how many of its requests match', async () => {
    const body = await search({ limit: 100 })
    const results = wishesOf(body)
    // Ten wishes of several, and the 78 other likely requests.
    expect(results).toHaveLength(88)
    expect(new Set(results.map(({ wishId }) => wishId)).size).toBe(88)
    expect(body.meta).toMatchObject({ maybeResults: 2, cachedResults: 88 })
    const one = results.find(({ wishId }) => wishId === wishIds[0])
    expect(one).toMatchObject({
      title: 'Pear 120',
      requestCount: 5,
      votes: 1006,
      platforms: ['github', 'hackernews'],
      firstAskedAt: '2026-01-01T00:00:00.000Z',
      matching: 4,
      bestMatch: { wish: { wishId: wishIds[0], requestCount: 5, votes: 1006 } },
    })
    expect(ids.slice(0, 4)).toContain(one?.bestMatch._id)
  })

  it('has equally good wishes in the order of all their votes, not of those that match', async () => {
    const results = wishesOf(await search({ limit: 100 }))
    expect(results.slice(0, 10).map(({ wishId }) => wishId)).toEqual([...wishIds].reverse())
    const exact = (await service.client.search('apple 7', { groupBy: 'wish', limit: 1 })).body
    expect(wishesOf(exact)[0]).toMatchObject({ wishId: wishIds[1], bestMatch: { _id: ids[7] } })
  })

  it('is ordered by the best match, by the votes of the whole wish, or by when it was first asked for', async () => {
    const { body } = await service.client.search('apple ripe', { groupBy: 'wish' })
    expect(wishesOf(body)[0]?.bestMatch._id).toBe(ids[117])
    expect(wishesOf(body).map(({ hasAllWords }) => hasAllWords)).toEqual([true, ...Array(19).fill(false)])
    const byVotes = wishesOf(await search({ sortBy: 'votes', limit: 100 }))
    expect(byVotes.slice(0, 10).map(({ wishId }) => wishId)).toEqual([...wishIds].reverse())
    expect(byVotes.map(({ votes }) => votes)).toEqual(byVotes.map(({ votes }) => votes).sort((a, b) => b - a))
    const asked = wishesOf(await search({ sortBy: 'new', limit: 100 })).map(({ firstAskedAt }) => firstAskedAt)
    expect(asked).toEqual([...asked].sort().reverse())
  })

  it('has pages that fit together, and filters that leave the numbers of the wish as they are', async () => {
    const whole = wishesOf(await search({ limit: 100 }))
    const paged: Wish[] = []
    for (let offset = 0; ; offset += 30) {
      const body = await search({ limit: 30, offset })
      paged.push(...wishesOf(body))
      if (!body.data.hasMore) break
    }
    expect(paged).toEqual(whole)
    const filtered = wishesOf(await search({ filters: { platforms: ['github'] }, limit: 100 }))
    expect(filtered.find(({ wishId }) => wishId === wishIds[0])).toMatchObject({
      votes: 1006,
      requestCount: 5,
      matching: 2,
    })
  })

  it('has requests that are not likely as themselves, after the others', async () => {
    const results = wishesOf(await search({ include: 'maybe', limit: 100, sortBy: 'votes' }))
    expect(results).toHaveLength(90)
    expect(results.slice(88)).toMatchObject([
      { wishId: null, title: 'Apple 119', requestCount: 1, votes: 119, matching: 1 },
      { wishId: null, title: 'Apple 118' },
    ])
  })

  it('marks the words in the best match', async () => {
    const [first] = wishesOf(await search({ highlight: true, limit: 1 })) as unknown as {
      bestMatch: { highlights: { field: string }[] }
    }[]
    expect(first?.bestMatch.highlights.map(({ field }) => field)).toEqual(['title'])
  })

  it('suggests another query when nothing matches, and is not for an expansion', async () => {
    const { body } = await service.client.search('zzz', { groupBy: 'wish' })
    expect(body.data).toEqual({ results: [], hasMore: false, limitReached: false })
    for (const options of [{ groupBy: 'wish', expand: true }, { groupBy: 'topic' }]) {
      const answer = await service.client.search('apple', options)
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'groupBy'])
    }
  })

  it('counts the members that match, however far behind the best of them', async () => {
    const { database, client } = service
    const plums = Array.from({ length: 500 }, () => crypto.randomUUID())
    await changeRequests(
      database,
      sql`
      insert into requests (confidence, id, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at, standing)
      select 1, id, 'lemmy', position, 'Plum ' || position, '', 1, '{}', 'https://example.org', 'fruit', now(), now(),
        case when position % 50 = 0 then 1 else 2 end
      from unnest(${plums}::uuid[]) with ordinality as one (id, position)`,
    )
    await changeRequests(
      database,
      sql`
      insert into request_texts (request_id, text)
      select id, case when position = 499 then 'damson' else 'plum' end || repeat(' longer', position::int)
      from unnest(${plums}::uuid[]) with ordinality as one (id, position)`,
    )
    // Upkeep does that at some time, and rounds the lengths of the texts: two searches would differ, one before it and one after.
    if (hasBm25) await sql`select bm25_spill_index('request_texts_bm25')`.execute(database)
    // The best, one far behind it, and one that does not match.
    const wishId = await makeWish(database, [plums[1]!, plums[3]!, plums[450]!, plums[498]!])
    const best = (await client.search('plum', { limit: 100 })).body.data.results as { wish: { wishId: string } }[]
    const order = [...new Set(best.map(({ wish }) => wish.wishId))]
    const paged: (Wish & { matching: number })[] = []
    for (const offset of [0, 15, 30, 45, 60, 75]) {
      const { data, meta } = (await client.search('plum', { groupBy: 'wish', limit: 15, offset })).body
      expect(meta.window).toBeUndefined()
      paged.push(...data.results)
    }
    // It has the votes of four.
    expect(paged.map((wish) => wish.wishId)).toEqual([wishId, ...order.filter((one) => one !== wishId)].slice(0, 90))
    expect(paged.find((wish) => wish.wishId === wishId)).toMatchObject({ requestCount: 4, matching: 3 })
  })

  it('looks further where the best 1,000 matches are of few wishes', async () => {
    const { database } = service
    const copies = Array.from({ length: 1_030 }, () => crypto.randomUUID())
    await changeRequests(
      database,
      sql`
      insert into requests (confidence, id, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at, standing)
      select 1, id, 'gitlab', position, 'Cherry', '', 1, '{}', 'https://example.org', 'fruit', now(), now(), 2
      from unnest(${copies}::uuid[]) with ordinality as one (id, position)`,
    )
    await changeRequests(
      database,
      sql`
      insert into request_texts (request_id, text)
      select id, 'cherry' || case when position > 1010 then repeat(' in a longer text', 20) else '' end
      from unnest(${copies}::uuid[]) with ordinality as one (id, position)`,
    )
    const wishId = await makeWish(database, copies.slice(0, 1_010))
    const body = (await service.client.search('cherry', { groupBy: 'wish', limit: 100 })).body
    const results = wishesOf(body)
    expect(results).toHaveLength(21)
    expect(results[0]).toMatchObject({ wishId, matching: 1_010 })
    expect(body.meta.window).toBeUndefined()
  })

  it('stops at the best 100', async () => {
    await changeRequests(
      service.database,
      sql`update request_texts set text = 'apple ' || text where text like 'pear%'`,
    )
    await sql`delete from wishes where id <> ${wishIds[0]}`.execute(service.database)
    const body = await search({ limit: 100 })
    expect([body.data.results.length, body.data.hasMore, body.data.limitReached]).toEqual([100, false, true])
  })
})
