import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { openTestSearchIndex } from '../../test/search.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { FoundRequest, Platform } from '../platforms/platform.ts'
import { exportSearch } from './export/export.ts'

// Holds (Search, lists and export): a pasted title finds what has its words; deliberate phrases and exclusions decide alone
// Holds (Search, lists and export): abbreviations, synonyms and joined or split words find each other, and the answer says so
// Holds (Search, lists and export): misspelt words are corrected visibly, but never quoted words, syntax or repeated words

const platforms = new Map<PlatformName, Platform>()
let service: TestService

const request = (title: string, more: Partial<FoundRequest> = {}) =>
  foundRequest(title, { title, description: '', authorName: null, authorHandle: null, tags: [], ...more })

async function collect(topic: string, requests: FoundRequest[]): Promise<void> {
  platforms.set(
    'github',
    scriptedPlatform('github', () => ({ requests, nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic, platforms: ['github'] })
  await service.client.waitForJob(body.data.jobId, 60_000)
}

const search = async (query: string, more: Record<string, unknown> = {}) => {
  const { status, body } = await service.client.search(query, { limit: 100, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
interface Result {
  title: string
  matchedBy?: string
}
const titles = async (query: string, more: Record<string, unknown> = {}): Promise<string[]> =>
  (await search(query, more)).data.results.map(({ title }: Result) => title)

const many = (count: number, of: (number: number) => FoundRequest) => Array.from({ length: count }, (_, n) => of(n))

beforeAll(async () => {
  service = await startTestService({ platforms })
  await collect('everything', [
    request('Race detector in go test', { votes: 3 }),
    request('go test is slow'),
    request('Menu entry copy as markdown', { votes: 1 }),
    request('Copy the menu', { votes: 9 }),
    request('Menu with an icon', { votes: 5 }),
    request('The menu on reddit', { votes: 7 }),
    ...many(120, (n) => request(`Dark mode ${n}`)),
    request('Dark mode on reddit'),
    request('A drakkar in the harbour'),
    request('Offline mode'),
    request('The dargestellt of someone'),
    request('Dank cellars'),
  ])
  await service.runMaintenance()
})
afterAll(() => service.stop())

describe('words that mean the same', () => {
  beforeAll(async () => {
    await collect('meanings', [
      request('Enable 2FA'),
      request('Two-factor authentication for guests'),
      request('A factor of two'),
      request('Zebrastripes in the table'),
      request('Zebra stripes, please'),
      request('More zebra stripes', { votes: 2 }),
      request('Give every zebra its stripes back'),
      request('Moonlight theme'),
      request('Docs of the plugin'),
      ...many(9, (n) => request(`Documentation of part ${n} of the plugin`)),
      request('Release v2.1 of the reader'),
      request('Release v2.7 of the reader'),
      request('The light of a moon'),
      ...many(7, (n) => request(`Purchase the item ${n}`)),
      request('The purchse of last year'),
    ])
    await service.runMaintenance()
  })

  it.each([
    ['2fa', ['Enable 2FA', 'Two-factor authentication for guests'], '2fa', 'abbreviation'],
    ['2FA for guests', ['Two-factor authentication for guests'], '2fa', 'abbreviation'],
    [
      'two factor authentication',
      ['Two-factor authentication for guests', 'Enable 2FA'],
      'two factor authentication',
      'abbreviation',
    ],
    [
      'zebrastripes',
      ['Zebrastripes in the table', 'More zebra stripes', 'Zebra stripes, please'],
      'zebrastripes',
      'spelling',
    ],
    ['moon light', ['The light of a moon', 'Moonlight theme'], 'moon light', 'spelling'],
    ['night mode 7', ['Dark mode 7'], 'night mode', 'synonym'],
  ])(
    'are found by each other, the words as typed first, counted and marked: %s',
    async (query, wanted, words, kind) => {
      const { data, meta } = await search(query, { total: true })
      expect(data.results.slice(0, meta.total).map(({ title }: Result) => title)).toEqual(wanted)
      expect(meta.understood.alternatives).toMatchObject([{ words, kind }])
      expect(meta.understood.corrected).toBeUndefined()
    },
  )

  it('are found by each other in every order, and with filters', async () => {
    for (const sortBy of ['relevance', 'votes', 'new']) {
      for (const filters of [{}, { topic: 'meanings' }]) {
        const { meta, data } = await search('2fa', { sortBy, filters, total: true, prefix: true })
        const found = data.results.map(({ title }: Result) => title)
        expect([meta.total, found.toSorted()]).toEqual([2, ['Enable 2FA', 'Two-factor authentication for guests']])
      }
    }
  })

  it('come after the word as it was typed, however rare they are', async () => {
    const found = await titles('documentation plugin')
    expect(found).toHaveLength(10)
    expect(found[9]).toBe('Docs of the plugin')
    expect((await titles('docs plugin'))[0]).toBe('Docs of the plugin')
  })

  it('are left alone in quotes and exclusions', async () => {
    expect(await titles('"2fa"')).toEqual(['Enable 2FA'])
    expect(await titles('guests -"2fa"')).toEqual(['Two-factor authentication for guests'])
  })

  it('are not a part of them', async () => {
    expect(await titles('2fa')).not.toContain('A factor of two')
    expect(await titles('zebrastripes')).not.toContain('Give every zebra its stripes back')
  })

  it.each([
    ['وضع داكن', ['وضع', 'داكن']],
    ['Benachrichtigungen ausschalten', ['benachrichtigungen', 'ausschalten']],
    ['dark Erscheinungsbild', ['erscheinungsbild']],
    ['dark constructor', ['constructor']],
    ['dark mode', []],
  ])('words that nothing has are named, as they may be of another language: %s', async (query, unknown) => {
    expect((await search(query)).meta.understood.unknown).toEqual(unknown)
  })

  it('a version is no other one', async () => {
    expect(await titles('v2.1')).toEqual(['Release v2.1 of the reader'])
  })

  it('a long word that one text misspells is a slip beside a more frequent one', async () => {
    expect((await search('purchse')).meta.understood.corrected).toBeUndefined()
    await collect(
      'more purchases',
      many(4, (n) => request(`Purchase another item ${n}`)),
    )
    await service.runMaintenance()
    expect((await search('purchse')).meta.understood.corrected).toBe('purchase')
  })
})

describe('a pasted title', () => {
  it('with a minus finds what has its words', async () => {
    const { data, meta } = await search('go test: -race fails')
    expect(data.results[0].title).toBe('Race detector in go test')
    expect(meta.understood).toEqual({
      words: ['go', 'test', 'race', 'fails'],
      phrases: [],
      excluded: [],
      alternatives: [],
      unknown: ['fails'],
    })
  })

  it('with quotes finds the phrase first, and then what has its words, marked', async () => {
    const { data, meta } = await search('add "copy as" to menu')
    expect(meta.understood).toEqual({
      words: ['copy', 'menu'],
      phrases: ['copy as'],
      excluded: [],
      alternatives: [],
      unknown: [],
    })
    const found = data.results.map(({ title, matchedBy }: Result) => [title, matchedBy])
    expect(found[0]).toEqual(['Menu entry copy as markdown', undefined])
    expect(found.slice(1).toSorted()).toEqual([
      ['Copy the menu', 'words'],
      ['Menu with an icon', 'words'],
      ['The menu on reddit', 'words'],
    ])
    expect(data).toMatchObject({ hasMore: false, limitReached: false })
  })

  it('is filled up to the same list whatever its pages, in every order and with every filter', async () => {
    for (const sortBy of ['relevance', 'votes', 'new']) {
      for (const filters of [{}, { minVotes: 1 }, { topic: 'everything' }]) {
        const whole = await titles('add "copy as" to menu', { sortBy, filters })
        expect(whole).toHaveLength(4)
        const pages: string[] = []
        for (let offset = 0; offset < 5; offset++) {
          const { data } = await search('add "copy as" to menu', { sortBy, filters, offset, limit: 1 })
          expect(data.hasMore).toBe(offset < 3)
          pages.push(...data.results.map(({ title }: Result) => title))
        }
        expect(pages).toEqual(whole)
      }
    }
    expect(await titles('add "copy as" to menu', { sortBy: 'votes' })).toEqual([
      'Menu entry copy as markdown',
      'Copy the menu',
      'The menu on reddit',
      'Menu with an icon',
    ])
  })

  it('that reads like one is ranked by its words alone, also in pages, and marked', async () => {
    const query = 'Context menu: "copy as", please'
    const { data, meta } = await search(query)
    expect(meta.understood.phrases).toEqual(['copy as'])
    const whole = data.results.map(({ title }: Result) => title)
    expect(whole).toEqual(await titles('context menu copy as please'))
    const marked = data.results.filter(({ matchedBy }: Result) => matchedBy === 'words')
    expect(whole.filter((title: string) => !marked.some((one: Result) => one.title === title))).toEqual([
      'Menu entry copy as markdown',
    ])
    const second = await search(query, { offset: 1, limit: 2 })
    expect(second.data.results).toEqual(data.results.slice(1, 3))
  })

  it('is exported as far as it matches with all words, as its total says', async () => {
    const records = []
    const { texts, inPart } = await exportSearch(
      { searchIndex: await openTestSearchIndex(service.database), database: service.database },
      { query: 'print "copy as" menu', prefix: false, filters: {}, sortBy: 'votes', format: 'jsonl', bom: false },
    )
    for await (const text of texts) {
      records.push(
        ...text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).title),
      )
    }
    const all = await titles('print "copy as" menu', { sortBy: 'votes' })
    expect([all.slice(0, records.length), inPart]).toEqual([records, { total: 1, totalIsExact: true }])
  })
})

describe('deliberate phrases and exclusions', () => {
  it('decide alone', async () => {
    expect(await titles('"copy as"')).toEqual(['Menu entry copy as markdown'])
    expect(await titles('"copy the" "the menu"')).toEqual(['Copy the menu'])
    expect(await titles('"as copy"')).toEqual([])
    const { data, meta } = await search('menu -reddit')
    expect(data.results.map(({ title }: Result) => title).toSorted()).toEqual([
      'Copy the menu',
      'Menu entry copy as markdown',
      'Menu with an icon',
    ])
    expect(meta.understood).toEqual({
      words: ['menu'],
      phrases: [],
      excluded: ['reddit'],
      alternatives: [],
      unknown: expect.anything(),
    })
  })

  it('hold for what fills up', async () => {
    const found = await titles('add "copy as" to menu -reddit')
    expect(found[0]).toBe('Menu entry copy as markdown')
    expect(found).not.toContain('The menu on reddit')
    expect(found).toHaveLength(3)
  })

  it('are not filled up where ten results have the phrase', async () => {
    const { data } = await search('"dark mode" offline')
    expect(data.results.every(({ matchedBy }: Result) => matchedBy === undefined)).toBe(true)
    expect(await titles('offline "dark mode"', { limit: 1 })).toHaveLength(1)
    expect((await titles('"dark mode" -reddit')).some((title) => title.includes('reddit'))).toBe(false)
  })
})

describe('a misspelt word', () => {
  it.each([
    ['drak mode', 'dark mode'],
    ['ofline mdoe', 'offline mode'],
    ['Drak mode, please', 'dark mode, please'],
    ['drak mode -reddit', 'dark mode -reddit'],
    ['drak "dark mode"', 'dark "dark mode"'],
    ['markdwon mode', 'markdown mode'],
    ['markdwonn mode', 'markdown mode'],
  ])('is corrected on its own: %s', async (query, corrected) => {
    const { data, meta } = await search(query)
    expect([meta.originalQuery, meta.understood.corrected]).toEqual([query, corrected])
    expect(data.results).toEqual((await search(corrected)).data.results)
  })

  it('is searched as it is in quotes', async () => {
    const { data, meta } = await search('"drak" mode')
    expect(meta.understood.corrected).toBeUndefined()
    expect(data.results[0].matchedBy).toBe('words')
  })

  it.each([
    // A field, a path, an address, a name, an option, a number.
    ...['author:drak mode', 'mode/drak', '@drak mode', 'drakMode mode', 'mode --drak', 'drak2 mode', 'drak.js mode'],
    // Typed twice, or eighty times.
    ...['drak drak mode', 'mod '.repeat(80).trim(), 'drak '.repeat(80).trim()],
    // What a text has, in this or another form, and what only looks like another word of four letters.
    ...['modes', 'dank mode', 'dargestellt mode', 'darn mode', 'tark mode'],
  ])('is not: %s', async (query) => {
    const { meta } = await search(query)
    expect([meta.understood.corrected, meta.didYouMean]).toEqual([undefined, undefined])
  })

  it('may be the last one only where no word begins so', async () => {
    expect((await search('dark mod', { prefix: true })).meta.understood.corrected).toBeUndefined()
    expect((await search('offline drakk', { prefix: true })).meta.understood.corrected).toBeUndefined()
    expect((await search('dark mdoe', { prefix: true })).meta.understood.corrected).toBe('dark mode')
  })

  it('that few requests have is corrected beside a word that is fifty times as frequent', async () => {
    expect((await search('dakr mode')).meta.understood.corrected).toBe('dark mode')
    await collect('a slip', [request('Dakr sky')])
    await service.runMaintenance()
    expect((await search('dakr mode')).meta.understood.corrected).toBe('dark mode')
    expect(await titles('"dakr"')).toEqual(['Dakr sky'])
    await collect('another slip', [request('Ofline reader')])
    await service.runMaintenance()
    expect((await search('ofline mode')).meta.understood.corrected).toBeUndefined()
  })

  it('is no slip when a request of another class has it, listed for none', async () => {
    await collect('hidden', [request('Dakrmode palette', { confidence: 0 })])
    expect((await search('dakrmode')).meta.understood.corrected).toBeUndefined()
  })
})

// What the collation of Unicode for searching takes for equal, and what people type who lack a key (decision 097).
describe.each([
  ['Übersicht', 'Uebersicht'],
  ['Größe', 'GROESSE'],
  ['København', 'Koebenhavn'],
  ['Straße', 'Strasse'],
  ['cœur', 'coeur'],
  ['ёлка', 'Елка'],
  ['Київ', 'Киів'],
  ['λόγος', 'ΛΟΓΟΣ'],
  ['שָׁלוֹם', 'שלומ'],
  ['می\u200cخواهم', 'می خواهم'],
  ['snake_case', 'snakeCase'],
  ['العربية', 'العـــربيه'],
  ['أحمدُ', 'احمد'],
  ['کتابی', 'كتابي'],
  ['table 1234', 'table ١٢٣۴'],
  ['२.१०', '2.１০'],
])('another spelling: %s, %s', (one, other) => {
  const name = `pair${[...one].map((letter) => letter.codePointAt(0)).join('x')}`
  const both = [`${name} ${one} beta`, `${name} ${other} beta`]
  const quoted = [one, other].map((spelling) => `"${spelling}"`)
  beforeAll(async () => {
    await collect(
      'spellings',
      both.map((title) => request(title)),
    )
    await service.runMaintenance()
  })

  it('is found by either, and marked', async () => {
    for (const query of [one, other]) {
      const { data, meta } = await search(`${name} ${query}`, { highlight: true, total: true })
      const found = data.results.slice(0, 2)
      expect(found.map(({ title }: Result) => title).sort()).toEqual([...both].sort())
      expect([meta.total, meta.understood.corrected]).toEqual([2, undefined])
      for (const { title, highlights } of found) {
        const marked = highlights[0].ranges.map(([start, end]: [number, number]) => title.slice(start, end)).join(' ')
        expect([`${name} ${one}`, `${name} ${other}`]).toContain(marked)
      }
    }
  })

  it('is found and excluded by either as a phrase', async () => {
    for (const phrase of quoted) {
      expect((await titles(phrase)).sort()).toEqual([...both].sort())
      expect((await titles(`"${name} ${phrase.slice(1, -1)} beta"`)).sort()).toEqual([...both].sort())
      expect(await titles(`${name} -${phrase}`)).toEqual([])
    }
  })

  it('is found by the beginning of either', async () => {
    for (const query of [one, other]) {
      const { data, meta } = await search(`${name} ${query.slice(0, -1)}`, { prefix: true, total: true })
      const found = data.results.slice(0, 2).map(({ title }: Result) => title)
      expect([found.sort(), meta.total]).toEqual([[...both].sort(), 2])
    }
  })
})

it('another spelling of what the cache has is not corrected', async () => {
  await collect('one spelling', [request('Ueberblick')])
  await service.runMaintenance()
  const { data, meta } = await search('Überblick')
  expect([data.results[0].title, meta.understood.corrected]).toEqual(['Ueberblick', undefined])
})

it('a frequent word with ue is not searched as if that were ü', async () => {
  await collect('colours', [...many(60, (n) => request(`Blue sky ${n}`)), request('Blu player'), request('Duel')])
  await service.runMaintenance()
  expect(await titles('blue')).not.toContain('Blu player')
  expect(await titles('sky -blue')).toEqual(expect.not.arrayContaining([expect.stringContaining('Blue')]))
})
