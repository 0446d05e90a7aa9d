import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { openTestSearchIndex } from '../../test/search.ts'
import { changeRequests } from '../../test/stored-requests.ts'
import { requestStatuses } from '../database/column-types.ts'
import {
  bestMatchScore,
  bestMatchScoreIn,
  type Match,
  matchColumns,
  orderByBestMatch,
  reorderedMatches,
  tuning,
} from './best-match.ts'
import type { SearchIndex } from './search-index.ts'
import { findIds, store } from './testing.ts'

// Holds (Search, lists and export): votes, confidence and age never move a result past a clearly better match, and pages of this order fit together

const today = new Date('2026-03-01')
const matches = fc
  .array(
    fc.record({
      id: fc.uuid(),
      // Many of about the same score, which is where the order changes.
      score: fc.double({ min: 8, max: 12, noNaN: true }),
      votes: fc.oneof(fc.integer({ min: -5, max: 50 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      postedAt: fc.date({ min: new Date('0001-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
      // As the column stores it.
      confidence: fc.float({ min: 0, max: 1, noNaN: true }),
      status: fc.constantFrom(null, ...requestStatuses),
    }),
    { maxLength: 150, size: 'max' },
  )
  .map((found) => found.toSorted((a, b) => b.score - a.score))

const plain: Match = { score: 10, votes: 0, postedAt: new Date('2020-01-01'), confidence: 0.9, status: 'open' }
const order = (...found: Match[]) => orderByBestMatch(found, today)

describe('the order by best match', () => {
  test('never passes a match that is better by more than the band', () => {
    fc.assert(
      fc.property(matches, (found) => {
        const ordered = orderByBestMatch(found, today)
        let worst = Number.POSITIVE_INFINITY
        for (const { score } of ordered) {
          // `worst` is the worst score before this one.
          expect(score).toBeLessThanOrEqual(worst * (1 + tuning.band) + 1e-9)
          worst = Math.min(worst, score)
        }
      }),
    )
  })

  test('has each match once, and changes nothing after the best 100 by words', () => {
    fc.assert(
      fc.property(matches, (found) => {
        const ordered = orderByBestMatch(found, today)
        expect(new Set(ordered)).toEqual(new Set(found))
        expect(ordered.slice(reorderedMatches)).toEqual(found.slice(reorderedMatches))
      }),
    )
  })

  test('is that of the words where votes, age and confidence are equal', () => {
    fc.assert(
      fc.property(matches, (found) => {
        const equal = found.map(({ score }, place) => ({ ...plain, score, place }))
        expect(orderByBestMatch(equal, today)).toEqual(equal)
      }),
    )
  })

  test('of equal matches, puts the one first that has more votes, is more certainly a request, or is newer', () => {
    for (const better of [{ votes: 40 }, { confidence: 1 }, { postedAt: new Date('2025-01-01') }]) {
      expect(order(plain, { ...plain, ...better })[0]).toMatchObject(better)
    }
  })

  test('puts what is settled after equal matches, and after those with somewhat fewer votes', () => {
    for (const status of ['completed', 'declined', 'duplicate', 'closed'] as const) {
      expect(order({ ...plain, status }, plain)[0]).toMatchObject({ status: 'open' })
      expect(order({ ...plain, status, votes: 100 }, { ...plain, votes: 30 })[0]).toMatchObject({ votes: 30 })
      expect(order({ ...plain, status, votes: 900 }, plain)[0]).toMatchObject({ votes: 900 })
    }
  })

  test('lets many votes win against a slightly better match without votes, and not against a clearly better one', () => {
    const wanted = { ...plain, votes: 400 }
    expect(order({ ...plain, score: 10.8 }, wanted)[0]).toBe(wanted)
    expect(order({ ...plain, score: 12.1 }, wanted)[1]).toBe(wanted)
  })

  test('negative votes and a time to come are no errors', () => {
    const odd = { ...plain, votes: -7, postedAt: new Date('2031-01-01') }
    expect(bestMatchScore(odd, today)).toBeLessThanOrEqual(10 * (1 + tuning.band))
    expect(bestMatchScore(odd, today)).toBeGreaterThanOrEqual(10)
  })
})

describe('in the database', () => {
  let opened: TestDatabase
  let index: SearchIndex
  beforeAll(async () => {
    opened = await openTestDatabase()
    index = await openTestSearchIndex(opened.database)
  })
  beforeEach(() => opened.reset())
  afterAll(() => opened.close())

  const text = 'dark mode'
  const row = { text, platform: 'github', topic: 'topic' }
  const findPage = (offset: number, limit: number, more: object = {}) =>
    findIds(index, opened.database, { query: text, offset, limit, ...more })
  const setVotes = (id: string, votes: number) =>
    changeRequests(opened.database, sql`update requests set votes = ${votes} where id = ${id}`)

  test('a match has the same score as in the process', async () => {
    const [found = []] = fc.sample(
      matches.filter(({ length }) => length > 100),
      1,
    )
    const given = JSON.stringify(found.map((match, place) => ({ ...match, place })))
    const columns = {
      ...matchColumns,
      postedAt: sql`"postedAt"`,
    }
    const { rows } = await sql<{ place: number; score: number }>`
      select place, ${bestMatchScoreIn(columns, sql`${today.toISOString()}::timestamptz`)} as score
      from jsonb_to_recordset(${given}::jsonb)
        as given (place integer, score float8, votes integer, "postedAt" timestamptz, confidence float8, status text)`.execute(
      opened.database,
    )
    expect(rows).toHaveLength(found.length)
    for (const { place, score } of rows) expect(score).toBeCloseTo(bestMatchScore(found[place]!, today), 9)
  })

  test('a search puts the wanted one of equal matches first, and a clearly better match before it', async () => {
    const ids = await store(opened.database, [
      ...Array.from({ length: 50 }, () => row),
      { ...row, text: 'dark mode dark mode dark mode dark mode, again in dark mode' },
      ...Array.from({ length: 50 }, (_, number) => ({
        ...row,
        text: `number ${number} of others that say much besides`,
      })),
      { ...row, text: `dark ${'and many other words besides '.repeat(9)}` },
    ])
    await setVotes(ids[37]!, 300)
    await setVotes(ids.at(-1)!, 1_000_000)
    const found = await findPage(0, 100)
    expect(found.ids.indexOf(ids[37]!)).toBeLessThan(2)
    expect(found.ids.at(-1)).toBe(ids.at(-1))
    // The one with a million votes has one of the words only, so it follows those that have both.
    const byVotes = (await findPage(0, 100, { sortBy: 'votes' })).ids
    expect([byVotes[0], byVotes.at(-1)]).toEqual([ids[37], ids.at(-1)])
  })

  test('a text that a source repeats has one place of a page, its best', async () => {
    const ids = await store(opened.database, [
      ...Array.from({ length: 5 }, () => row),
      ...Array.from({ length: 5 }, () => ({ ...row, text: 'dark mode in the editor of code' })),
      ...Array.from({ length: 3 }, () => ({ ...row, text: 'dark' })),
    ])
    const title = (some: readonly string[], name: string | null) =>
      changeRequests(
        opened.database,
        sql`update requests set source_name = ${name}, title = id::text where id = any(${some}::uuid[])`,
      )
    const repeated = ids.slice(0, 5)
    await title(ids.slice(5), 'acme/app')
    await changeRequests(
      opened.database,
      sql`update requests set source_name = 'acme/app', title = 'Dark Mode', votes = case when id = ${ids[2]} then 9 else 0 end
        where id = any(${repeated}::uuid[])`,
    )
    const found = (await findPage(0, 13)).ids
    expect(found[0]).toBe(ids[2])
    // Those with all words come before what has one, whatever they repeat.
    expect(new Set(found.slice(1, 6))).toEqual(new Set(ids.slice(5, 10)))
    expect(new Set(found.slice(6, 10))).toEqual(new Set(repeated.filter((id) => id !== ids[2])))
    const paged = await Promise.all([0, 4, 8, 12].map((offset) => findPage(offset, 4)))
    expect(paged.flatMap((page) => page.ids)).toEqual(found)
    const first = async () => new Set((await findPage(0, 5)).ids)
    // Another text under the same title is no repetition, nor is a title of no source.
    await changeRequests(
      opened.database,
      sql`update requests set description = id::text where id = any(${repeated}::uuid[])`,
    )
    expect(await first()).toEqual(new Set(repeated))
    await changeRequests(opened.database, sql`update requests set description = ''`)
    await title(repeated, null)
    expect(await first()).toEqual(new Set(repeated))
  })

  // Hidden matches make the ranking deeper for some pages only.
  test.each([0, 0.3, 0.7])('pages fit together where a share of %d of the matches is hidden', async (hidden) => {
    const fill = (number: number) => Array.from({ length: number % 30 }, (_, place) => `word${place}`).join(' ')
    const ids = await store(
      opened.database,
      Array.from({ length: 1_300 }, (_, number) => ({ ...row, text: `dark mode ${fill(number)}` })),
    )
    await changeRequests(
      opened.database,
      sql`update requests set standing = case when position < ${hidden}::float8 * 10 then 0 else 2 end,
        votes = (position * 37 + length) % 900
      from (select id as known, ordinality % 10 as position, ordinality % 101 as length
        from unnest(${ids}::uuid[]) with ordinality as given (id, ordinality)) as given
      where id = known`,
    )
    await sql`analyze`.execute(opened.database)
    const whole = (await findPage(0, 100)).ids
    expect(whole).toHaveLength(100)
    const paged: string[] = []
    for (let offset = 0; offset < 100; offset += 9)
      paged.push(...(await findPage(offset, Math.min(9, 100 - offset))).ids)
    expect(paged).toEqual(whole)
  })
})
