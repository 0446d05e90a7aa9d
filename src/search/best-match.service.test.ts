import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { openTestSearchIndex } from '../../test/search.ts'
import { changeRequests } from '../../test/stored-requests.ts'
import { normaliseText } from '../runtime/text/normalise.ts'
import { reorderedMatches } from './best-match.ts'
import { hitsFrom, type SearchEngine } from './engine.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'
import { findIds, store } from './testing.ts'

// Holds (Search, lists and export): the exact title comes first, then votes among scores within a tenth; no clearly better result is passed, and pages are consistent

interface Match {
  id: string
  score: number
  votes: number
  status: 'open' | 'declined' | null
  title: string
}

/** The rule, written a second time: a tier begins with the best that is left. @param found in the order of their scores */
function inOrder(found: readonly Match[]): Match[] {
  const wanted = ({ votes, status }: Match) => (status === 'declined' ? votes / 2 : votes)
  const isExact = ({ title }: Match) => Number(title.startsWith('Please'))
  const ordered: Match[] = []
  let left = found.slice(0, reorderedMatches)
  while (left.length > 0) {
    const floor = left[0]!.score * 0.9
    // An exact title is in the first tier, whatever its score.
    const isFirst = ordered.length === 0
    const isIn = (one: Match) => one.score >= floor || (isFirst && isExact(one) === 1)
    const tier = left.filter(isIn)
    ordered.push(...tier.sort((a, b) => isExact(b) - isExact(a) || wanted(b) - wanted(a) || b.score - a.score))
    left = left.filter((one) => !isIn(one))
  }
  return [...ordered, ...found.slice(reorderedMatches)]
}

describe('the order by best match', () => {
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

  describe('with scores of any kind', () => {
    const titles = ['Please add a dark mode', 'Dark mode for charts']
    const some = fc.record({
      // Many of about the same score, which is where the order changes; none twice, so that there is one order.
      score: fc.uniqueArray(fc.double({ min: 8, max: 12, noNaN: true }), { minLength: 120, maxLength: 120 }),
      votes: fc.array(fc.oneof(fc.integer({ min: -5, max: 50 }), fc.integer({ min: 0, max: 2 ** 31 - 1 })), {
        minLength: 120,
        maxLength: 120,
      }),
      exact: fc.array(fc.boolean(), { minLength: 120, maxLength: 120 }),
      settled: fc.array(fc.boolean(), { minLength: 120, maxLength: 120 }),
      size: fc.integer({ min: 1, max: 40 }),
    })

    test('the order is that of the rule, and its pages fit together', async () => {
      const ids = await store(
        opened.database,
        Array.from({ length: 120 }, () => row),
      )
      await fc.assert(
        fc.asyncProperty(some, async ({ score, votes, exact, settled, size }) => {
          const found: Match[] = score
            .toSorted((a, b) => b - a)
            .map((one, at) => ({
              id: ids[at]!,
              score: one,
              votes: votes[at]!,
              status: settled[at] ? 'declined' : 'open',
              title: titles[exact[at] ? 0 : 1]!,
            }))
          await changeRequests(
            opened.database,
            sql`update requests set votes = given.votes, status = given.status, title = given.title
              from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as given (id uuid, votes integer, status text, title text)
              where requests.id = given.id`,
          )
          await sql`update request_texts set text = lower(title) || ${' \n dark mode'} from requests where id = request_id`.execute(
            opened.database,
          )
          const hits = found.map(({ id, score: one }) => ({ id, score: one, hasAll: true }))
          const best: SearchEngine['best'] = async (_executor, _query, max) => hitsFrom(hits.slice(0, max))
          const scripted = createSearchIndex({ kind: 'bm25', best } as SearchEngine)
          const whole = (await findIds(scripted, opened.database, { query: text })).ids
          expect(whole).toEqual(
            inOrder(found)
              .slice(0, 100)
              .map(({ id }) => id),
          )
          const paged: string[] = []
          for (let offset = 0; offset < 100; offset += size)
            paged.push(
              ...(
                await findIds(scripted, opened.database, { query: text, offset, limit: Math.min(size, 100 - offset) })
              ).ids,
            )
          expect(paged).toEqual(whole)
        }),
        { numRuns: 12 },
      )
    })
  })

  test.each([
    ['dark mode', 'Please add a dark mode'],
    ['dark mode', '[FR] Dark-mode support'],
    ['dark mode', 'Feature request: darkMode'],
    ['dark modes', 'Add support for a dark mode, please!'],
    ['csv export', 'It would be nice to have an export as CSV'],
    ['support tickets', 'Support tickets'],
    ['night mode', 'Would love to see a dark theme'],
  ])(
    'the title that says nothing but the query is first, as typed whatever its score: %s, %s',
    async (query, exact) => {
      const asked = normaliseText(exact)
      const longer = `${asked} beside charts`
      const ids = await store(
        opened.database,
        [asked, ...Array<string>(3).fill(longer)].map((title) => ({ ...row, text: `${title} \n ${query} ${title}` })),
      )
      await changeRequests(
        opened.database,
        sql`update requests set title = case when id = ${ids[0]} then ${exact} else ${`${exact} beside charts`} end, votes = case when id = ${ids[0]} then 0 else 90 end`,
      )
      const hits = hitsFrom(
        ids.map((id, at) => ({ id, score: at > 0 ? 10 - at / 100 : query === 'night mode' ? 9.2 : 3, hasAll: true })),
      )
      const scripted = createSearchIndex({ kind: 'bm25', best: async () => hits } as unknown as SearchEngine)
      expect((await findIds(scripted, opened.database, { query })).ids[0]).toBe(ids[0])
    },
  )

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
