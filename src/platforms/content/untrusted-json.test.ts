import { describe, expect, it } from 'vitest'
import { asDate, asEpochSeconds, asId, asInteger, asName, asPage, asWebUrl, foundRequest } from './fields.ts'
import { readItems } from './items.ts'

describe('reading untrusted JSON', () => {
  it('accepts only http and https links', () => {
    for (const url of ['https://a.example/x?y#z', 'http://a.example', 'https://a.example/ä'])
      expect(asWebUrl(url)).toBe(url)
    for (const url of [
      'javascript:alert(1)',
      '//a.example',
      'https://',
      'https://a b',
      'https://a\0',
      'https://a/\ud800',
      '',
      null,
      7,
      `https://a/${'x'.repeat(2_000)}`,
    ]) {
      expect(asWebUrl(url)).toBeNull()
    }
  })

  it('accepts ids that are numbers or visible ASCII', () => {
    expect([asId(7), asId('7'), asId('t3_x')]).toEqual(['7', '7', 't3_x'])
    for (const id of [null, undefined, '', 'a b', 'a\0', 1.5, 2 ** 60, {}, 'x'.repeat(201)]) expect(asId(id)).toBeNull()
  })

  it('keeps numbers whole and inside four bytes', () => {
    expect([asInteger(3.9), asInteger(-2), asInteger(1e300)]).toEqual([3, -2, 2 ** 31 - 1])
    for (const value of ['3', null, Number.NaN, Number.POSITIVE_INFINITY]) expect(asInteger(value)).toBeNull()
  })

  it('reads moments as UTC and refuses those that no database holds', () => {
    expect(asDate('2020-01-02T03:04:05Z')?.toISOString()).toBe('2020-01-02T03:04:05.000Z')
    expect(asDate('2020-01-02T03:04:05.678901')?.toISOString()).toBe('2020-01-02T03:04:05.678Z')
    expect(asDate('2020-01-02T03:04:05+02:00')?.toISOString()).toBe('2020-01-02T01:04:05.000Z')
    expect(asEpochSeconds(1_500_000_000.5)?.getTime()).toBe(1_500_000_000_500)
    const noDays = [
      '2026-02-30',
      '2026-04-31T23:00:00-05:00',
      'Feb 29, 2026 UTC',
      '2/30/2026 UTC',
      '30 Feb 2026 10:00 GMT',
    ]
    for (const value of noDays) expect(asDate(value), value).toBeNull()
    for (const value of ['2028-02-29', 'Jan 31, 2026 UTC', 'Sat, 31 Jan 2026 23:30:00 -0500', '2026-01-02T03:29:00Z'])
      expect(asDate(value), value).not.toBeNull()
    for (const value of ['soon', '', null, '+123456-01-01T00:00:00Z']) expect(asDate(value)).toBeNull()
    for (const value of ['1', null, 1e15, -1e12, Number.NaN]) expect(asEpochSeconds(value)).toBeNull()
  })

  it('cleans names, and an empty one is none', () => {
    expect(asName(' a\0\nb ')).toBe('a b')
    expect([asName(''), asName(' \0'), asName(7)]).toEqual([null, null, null])
  })

  it('starts at the first page when a cursor has another form', () => {
    expect(asPage({ page: 3 }, 1)).toBe(3)
    for (const cursor of [null, {}, { page: 0 }, { page: '3' }, { page: 1.5 }, [], 'x'])
      expect(asPage(cursor, 1)).toBe(1)
  })

  it('uses the first sentence as the title of a request without one', () => {
    const request = foundRequest({
      sourceId: '1',
      sourceUrl: 'https://a.example',
      title: '',
      description: 'Do it. Now.',
    })
    expect(request).toMatchObject({ title: 'Do it.', votes: 0, tags: [], license: null })
  })
})

describe('the items of a page', () => {
  it('reads the first thousand items of a page, fewer of long texts, and counts the others', async () => {
    const reading = (description: string) => () =>
      foundRequest({ sourceId: '1', sourceUrl: '', title: 't', description })
    const short = await readItems(Array(1_500).fill({}), reading(''))
    expect([short.requests.length, short.discarded]).toEqual([1_000, { beyondLimit: 500 }])
    const long = await readItems(Array(200).fill({}), reading('please '.repeat(3_000)))
    expect([long.requests.length, long.discarded]).toEqual([96, { beyondLimit: 104 }])
  })

  it('counts what it leaves out, by reason', async () => {
    const wish = (title: string) => foundRequest({ sourceId: '1', sourceUrl: '', title, description: '' })
    const results = [wish('t'), wish(''), 'reply', 'removed', 'reply', 'notPublic', null] as const
    const { requests, discarded } = await readItems(
      results.map((_, index) => ({ index })),
      ({ index }) => results[index as number]!,
    )
    expect([requests.length, discarded]).toEqual([1, { removed: 1, noText: 1, reply: 2, notPublic: 1 }])
  })

  it('leaves out unreadable items, and other work runs between two items', async () => {
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    const spin = () => {
      const before = performance.now()
      while (performance.now() - before < 5);
    }
    const { requests } = await readItems([{ id: 1 }, null, 'x', [], { id: 2 }, ...Array(10).fill({})], (fields) => {
      spin()
      return fields.id
        ? foundRequest({ sourceId: String(fields.id), sourceUrl: '', title: 't', description: '' })
        : null
    })
    clearInterval(counting)
    expect(requests.map((request) => request.sourceId)).toEqual(['1', '2'])
    expect(turns).toBeGreaterThan(5)
  })
})
