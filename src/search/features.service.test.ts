import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { FoundRequest, Platform } from '../platforms/platform.ts'
import { countTexts } from '../requests/words/uncounted-texts.ts'

const platforms = new Map<PlatformName, Platform>()
let service: TestService

async function collect(platform: PlatformName, topic: string, requests: FoundRequest[]): Promise<void> {
  platforms.set(
    platform,
    scriptedPlatform(platform, () => ({ requests, nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic, platforms: [platform] })
  await service.client.waitForJob(body.data.jobId, 60_000)
  // Beginnings and suggestions need the counts of words, which are made in the background.
  await countTexts(service.database)
}

beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterAll(() => service.stop())

const nobody = { authorName: null, authorHandle: null, tags: [] }
const search = async (query: string, more: Record<string, unknown> = {}) => {
  const { status, body } = await service.client.search(query, { limit: 100, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const titles = async (query: string, more: Record<string, unknown> = {}): Promise<string[]> =>
  (await search(query, more)).data.results.map((result: { title: string }) => result.title)

describe('a long query', () => {
  const common = Array.from({ length: 20 }, (_, number) => `usual${number}word`)
  beforeAll(async () => {
    const crowd = Array.from({ length: 130 }, (_, number) =>
      foundRequest(`c${number}`, { ...nobody, title: `Crowd ${number}`, description: common.join(' ') }),
    )
    const few = [
      foundRequest('rare', { ...nobody, title: 'The rare one', description: 'scarceword' }),
      foundRequest('other', { ...nobody, title: 'Another', description: 'seldomword' }),
    ]
    await collect('github', 'long queries', [...crowd, ...few])
  })

  // `ts_rank` does not count how rare a word is.
  it('finds what has its rare words first, wherever they stand in it', async () => {
    for (const query of [`${common.join(' ')} scarceword`, `scarceword ${common.join(' ')}`]) {
      const { data } = await search(query)
      expect([data.results[0].title, data.results.length, data.limitReached]).toEqual(['The rare one', 100, true])
    }
  })

  it('finds everything of a small topic or tag that has any of its words, also the frequent ones', async () => {
    const usual = common.map((_, number) => `often${number}word`)
    const crowd = Array.from({ length: 1_100 }, (_, number) =>
      foundRequest(`o${number}`, { ...nobody, title: `Often ${number}`, description: usual.slice(0, 18).join(' ') }),
    )
    const small = Array.from({ length: 5 }, (_, number) =>
      foundRequest(`s${number}`, { ...nobody, title: `Small ${number}`, description: usual[17]!, tags: ['small'] }),
    )
    await collect('github', 'many of them', crowd)
    await collect('hackernews', 'few of them', small)
    for (const filters of [{ topic: 'few of them' }, { tags: ['small'] }]) {
      expect(await titles(usual.slice(0, 18).join(' '), { filters })).toHaveLength(5)
    }
  })

  it('finds everything that has any of its words when few requests do', async () => {
    const nonsense = Array.from({ length: 20 }, (_, number) => `nonsense${number}word`).join(' ')
    expect((await titles(`${nonsense} scarceword seldomword`)).sort()).toEqual(['Another', 'The rare one'])
    const { data } = await search(`${nonsense} ${common[0]}`, { limit: 20 })
    expect([data.results.length, data.hasMore]).toEqual([20, true])
  })
})

describe('filters and orders', () => {
  const day = (number: number) => new Date(Date.UTC(2026, 1, number))
  beforeAll(async () => {
    const lamps = [1, 2, 3, 4].map((number) =>
      foundRequest(`l${number}`, {
        ...nobody,
        title: `Lamp ${number}`,
        description: 'lamp '.repeat(number),
        votes: 10 - number,
        tags: number % 2 ? ['light', 'Home Office'] : ['light'],
        originalCreatedAt: day(number),
      }),
    )
    await collect('github', 'lamps', lamps)
  })

  it.each([
    [{ filters: { tags: ['light'] } }, 4],
    [{ filters: { tags: ['light', 'Home Office'] } }, 2],
    [{ filters: { tags: ['Light'] } }, 0],
    [{ filters: { minVotes: 8 } }, 2],
    [{ filters: { since: '2026-02-02' } }, 3],
    [{ filters: { since: '2026-02-02T00:00:00.001Z' } }, 2],
    [{ filters: { since: '2026-02-02T01:00:00+02:00' } }, 3],
    [{ filters: { until: '2026-02-03' } }, 2],
    [{ filters: { since: '2026-02-02', until: '2026-02-04', minVotes: 8, platforms: ['github'] } }, 1],
    [{ filters: { since: '0001-01-01', until: '9999-12-31' } }, 4],
    [{ filters: {} }, 4],
  ])('narrow: %j', async (more, count) => {
    const { data, meta } = await search('lamp', more)
    expect(data.results).toHaveLength(count)
    expect(data).toMatchObject({ hasMore: false, limitReached: false })
    expect(meta.window).toBeUndefined()
  })

  it('sort by votes and by date, also over pages', async () => {
    expect(await titles('lamp', { sortBy: 'votes' })).toEqual(['Lamp 1', 'Lamp 2', 'Lamp 3', 'Lamp 4'])
    expect(await titles('lamp', { sortBy: 'new' })).toEqual(['Lamp 4', 'Lamp 3', 'Lamp 2', 'Lamp 1'])
    const page = await search('lamp', { sortBy: 'new', offset: 1, limit: 2 })
    expect(page.data.results.map((result: { title: string }) => result.title)).toEqual(['Lamp 3', 'Lamp 2'])
    expect(page.data.hasMore).toBe(true)
  })

  it.each([
    [{ filters: { tag: ['light'] } }, 'filters.tag'],
    [{ filters: { tags: [] } }, 'filters.tags'],
    [{ filters: { since: 'yesterday' } }, 'filters.since'],
    [{ filters: { until: '2026-02-30' } }, 'filters.until'],
    [{ filters: { until: '2016-12-31T23:59:60Z' } }, 'filters.until'],
    [{ filters: { minVotes: 1.5 } }, 'filters.minVotes'],
    [{ filters: { minVotes: 1e10 } }, 'filters.minVotes'],
    [{ sortBy: 'popular' }, 'sortBy'],
  ])('that are invalid are a 400 that names the field: %j', async (more, path) => {
    const { status, body } = await service.client.search('lamp', more)
    expect([status, body.error.details[0].path]).toEqual([400, path])
  })
})

describe('phrases and exclusions', () => {
  beforeAll(() =>
    collect('github', 'chairs', [
      foundRequest('c1', { ...nobody, title: 'Folding garden chair', description: 'green' }),
      foundRequest('c2', { ...nobody, title: 'Chair for the garden', description: 'It is folding. Red' }),
      foundRequest('c3', { ...nobody, title: 'Chairs', description: 'gardenChair in camel case' }),
    ]),
  )

  it.each([
    ['"garden chair"', ['Chairs', 'Folding garden chair']],
    ['"folding garden"', ['Folding garden chair']],
    // Not from the end of the title into its own beginning or the next field.
    ['"chair folding"', []],
    ['"chair green"', []],
    ['chair -folding', ['Chairs']],
    ['chair -"garden chair"', ['Chair for the garden']],
    ['chair -red -green', ['Chairs']],
    // A name is left out however it is written.
    ['garden "chair" -gardenChair', ['Chair for the garden']],
    ['chair -unheard', ['Chair for the garden', 'Chairs', 'Folding garden chair']],
  ])('decide what is found: %s', async (query, found) => {
    expect((await titles(query)).sort()).toEqual(found)
  })

  it('without a word to search are a 400 that says so', async () => {
    const { status, body } = await service.client.search('-chair -"some words"')
    expect([status, body.error.details[0].path]).toEqual([400, 'query'])
    expect(body.error.message).toContain('has exclusions only')
  })
})

describe('among more than 1,000 matches', () => {
  beforeAll(async () => {
    const pens = Array.from({ length: 1_150 }, (_, number) =>
      foundRequest(`p${number}`, {
        ...nobody,
        // The best matches are the shortest ones.
        title: number < 1_100 ? 'Pen' : 'Pen with a cap',
        description: number < 1_100 ? '' : `and a rare feather ${number} of some kind`,
        votes: number,
        tags: number === 1_149 ? ['rare'] : [],
      }),
    )
    await collect('github', 'pens', pens)
    await collect('github', 'feathers', pens.slice(-3))
  })

  it('are all in order by votes, and meta.total counts them', async () => {
    const byVotes = await search('pen', { sortBy: 'votes', facets: ['platform', 'year', 'tag'] })
    expect(byVotes.meta.window).toBeUndefined()
    expect(byVotes.data).toMatchObject({ hasMore: false, limitReached: true })
    const votes = byVotes.data.results.map((result: { votes: number }) => result.votes)
    expect(votes).toEqual(Array.from({ length: 100 }, (_, index) => 1_149 - index))
    expect(byVotes.meta).toMatchObject({ total: 1_150, totalIsExact: true, facetsAreExact: true })
    expect(byVotes.meta.facets).toMatchObject({
      platform: [{ value: 'github', count: 1_150 }],
      tag: [{ value: 'rare', count: 1 }],
    })
    const { meta, data } = await search('pen', {
      sortBy: 'votes',
      total: true,
      filters: { minVotes: 1_140, tags: ['rare'] },
    })
    expect([data.results.length, meta.total, meta.facets]).toEqual([1, 1, undefined])
  })

  it('a phrase of few requests finds all of them, also those that are not among the best matches', async () => {
    const { data, meta } = await search('pen "feather 1149"', { total: true })
    expect([data.results[0].matchedBy, data.results[1].matchedBy, meta.total]).toEqual([undefined, 'words', 1])
  })

  it('filters and phrases by relevance apply to the best 1,000, and meta.window says so', async () => {
    expect((await search('"pen"')).meta.window).toBe(1_000)
    expect((await search('pen -feather', { filters: { platforms: ['github'] } })).meta.window).toBe(1_000)
    // A full page of the ranking needs no window.
    for (const query of ['pen', 'pen -feather']) expect((await search(query)).meta.window).toBeUndefined()
    expect((await search('feather -"feather 1149"')).meta.window).toBeUndefined()
  })

  it('a selective topic or tag finds all of its matches', async () => {
    const ofTopic = await search('pen', { filters: { topic: 'feathers' }, sortBy: 'votes' })
    expect(ofTopic.data.results.map((result: { votes: number }) => result.votes)).toEqual([1_149, 1_148, 1_147])
    expect(ofTopic.meta.window).toBeUndefined()
    expect((await search('pen', { filters: { tags: ['rare'] } })).data.results).toHaveLength(1)
    expect((await search('pen', { filters: { topic: 'feathers', tags: ['rare'] } })).data.results).toHaveLength(1)
    await collect('github', 'lamps', [foundRequest('lamp', { title: 'A pan below the lamp' })])
    const ofNothing = await search('pen', { filters: { topic: 'lamps' } })
    // The words are known: it is the filter that leaves nothing.
    expect([ofNothing.data.results, ofNothing.meta.didYouMean]).toEqual([[], undefined])
    expect((await search('pen fethers', { filters: { tags: ['rare', 'unheard'] } })).meta.didYouMean).toBeUndefined()
  })
})

describe('by votes or date', () => {
  beforeAll(() =>
    collect('github', 'tents', [
      foundRequest('t1', { ...nobody, title: 'Blue tent', votes: 1 }),
      foundRequest('t2', { ...nobody, title: 'Tent', description: 'It has to be blue', votes: 5 }),
      foundRequest('t3', { ...nobody, title: 'Tent', description: 'of any colour', votes: 900 }),
      foundRequest('t4', { ...nobody, title: 'Blue paddle', votes: 7 }),
    ]),
  )

  it('requests with all words come before those with some of them', async () => {
    const { data, meta } = await search('blue tent', { sortBy: 'votes', total: true })
    expect(data.results.map((result: { votes: number }) => result.votes)).toEqual([5, 1, 900, 7])
    expect([meta.total, meta.totalIsExact]).toEqual([2, true])
  })

  it('pages fit together where the words change from all to some', async () => {
    const pages = []
    for (const offset of [0, 1, 2, 3]) {
      const { data } = await search('blue tent', { sortBy: 'votes', offset, limit: 1 })
      pages.push([data.results[0].votes, data.hasMore])
    }
    expect(pages).toEqual([
      [5, true],
      [1, true],
      [900, true],
      [7, false],
    ])
  })

  it('a query of words that nothing has suggests others, as by relevance', async () => {
    expect((await search('paddel', { sortBy: 'new', total: true })).meta).toMatchObject({
      didYouMean: 'paddle',
      total: 1,
    })
  })

  it('facets of an unknown name are a 400 that names the field', async () => {
    const { status, body } = await service.client.search('tent', { facets: ['colour'] })
    expect([status, body.error.details[0].path]).toEqual([400, 'facets.0'])
  })
})

describe('the last word', () => {
  beforeAll(() =>
    collect('github', 'boats', [
      foundRequest('b1', { ...nobody, title: 'Sailing boat', description: 'Keelboat' }),
      foundRequest('b2', { ...nobody, title: 'Sails', description: 'of hemp' }),
      foundRequest('b3', { ...nobody, title: 'Saildrone', description: 'snake_case and camelCaseWord' }),
    ]),
  )

  it.each([
    ['sai', ['Saildrone', 'Sailing boat', 'Sails']],
    ['saild', ['Saildrone']],
    ['hemp sailb', ['Sails']],
    ['keelb', ['Sailing boat']],
    ['camelcasew', ['Saildrone']],
    ['snakec', ['Saildrone']],
    ['zzz', []],
  ])('may be a beginning: %s', async (query, found) => {
    expect((await titles(query, { prefix: true })).sort()).toEqual(found)
  })

  it('is a whole word without prefix', async () => {
    expect((await search('saild')).meta.understood.corrected).toBe('sails')
    expect(await titles('sai hemp')).toEqual(['Sails'])
  })
})

describe('when nothing matches', () => {
  beforeAll(() =>
    collect('github', 'settings', [
      foundRequest('s1', { ...nobody, title: 'Notification settings', description: 'Export the calendar' }),
      foundRequest('s2', { ...nobody, title: 'Notifications', description: 'Экспорт календаря' }),
    ]),
  )

  it.each([
    ['notificatoin', 'notification'],
    ['calender', 'calendar'],
    ['exprot', 'export'],
    ['how to xeport', 'how to export'],
    ['Notifcatoin setings', 'notification settings'],
    ['settngss', 'settings'],
    ['каленларя', 'календаря'],
  ])('a query of known words is searched instead, and named: %s', async (query, suggested) => {
    const { data, meta } = await search(query)
    expect([meta.understood.corrected, meta.didYouMean]).toEqual([suggested, suggested])
    expect(data.results).toEqual((await search(suggested)).data.results)
    expect(data.results).not.toEqual([])
  })

  it('nothing is suggested when no known word is similar', async () => {
    for (const query of ['qqqqqqqqqqq', '?!', 'q']) {
      const { meta } = await search(query)
      expect([meta.didYouMean, meta.understood.corrected]).toEqual([undefined, undefined])
    }
  })
})

describe('highlights', () => {
  const long = `${'Nothing to see here, 漢字 too. '.repeat(20)}A 🎉 thermostat, thermostats and C++ thermostatic ${'and on. '.repeat(40)}`
  beforeAll(() =>
    collect('github', 'heating', [
      foundRequest('h1', {
        title: 'Thermostats for node.js',
        description: long,
        tags: ['thermostat', 'other'],
        authorName: 'Thermo Stat',
        authorHandle: 'thermostat_fan',
      }),
      foundRequest('h2', {
        ...nobody,
        title: 'ダークモードの検索機能',
        description: 'version v2.10.1 of darkMode_toggle',
      }),
    ]),
  )
  const marked = async (query: string, more = {}) => {
    const { data } = await search(query, { highlight: true, ...more })
    return data.results.flatMap(
      (result: { highlights: { field: string; text: string; ranges: [number, number][] }[] }) =>
        result.highlights.map(({ field, text, ranges }) => [
          field,
          ...ranges.map(([start, end]) => text.slice(start, end)),
        ]),
    )
  }

  it('say where the words are in every field, in the forms that match', async () => {
    expect(await marked('thermostat')).toEqual([
      ['title', 'Thermostats'],
      ['description', 'thermostat', 'thermostats', 'thermostatic'],
      ['tags', 'thermostat'],
      ['author', 'thermostat_fan'],
    ])
    expect(await marked('c++ node.js')).toEqual([
      ['title', 'node', 'js'],
      ['description', 'C++'],
    ])
  })

  it('show the part of a long text that has the words', async () => {
    const { data } = await search('thermostat', { highlight: true })
    const [, { text }] = data.results[0].highlights
    expect(text.length).toBeLessThanOrEqual(300)
    expect(long).toContain(text)
    expect(text.isWellFormed()).toBe(true)
  })

  it.each([
    ['検索', ['title', '検索']],
    ['モード', ['title', 'モード']],
    ['2.10', ['description', 'v2.10.1']],
    ['toggle', ['description', 'darkMode_toggle']],
  ])('of every script and name: %s', async (query, expected) => {
    expect(await marked(query)).toContainEqual(expected)
  })

  it('mark beginnings, and are absent without highlight', async () => {
    expect(await marked('thermos', { prefix: true })).toContainEqual(['tags', 'thermostat'])
    expect((await search('thermostat')).data.results[0]).not.toHaveProperty('highlights')
  })
})

describe('include', () => {
  it('means the same beside the query and in filters, and two different values are refused', async () => {
    const requests = [1, 0.2, 0].map((confidence) =>
      foundRequest(`include ${confidence}`, { ...nobody, title: `Inclusion ${confidence}`, confidence }),
    )
    await collect('github', 'inclusion', requests)
    const classes = async (more: Record<string, unknown>) => (await titles('inclusion', more)).toSorted()
    expect(await classes({})).toEqual(['Inclusion 1'])
    for (const [include, count] of [['maybe', 2] as const, ['all', 3] as const]) {
      expect(await classes({ include })).toHaveLength(count)
      expect(await classes({ filters: { include } })).toHaveLength(count)
      expect(await classes({ include, filters: { include } })).toHaveLength(count)
    }
    const { status, body } = await service.client.search('inclusion', { include: 'all', filters: { include: 'maybe' } })
    expect([status, body.error.details]).toEqual([
      400,
      [{ path: 'include', message: 'is all, but filters.include is maybe' }],
    ])
  })
})
