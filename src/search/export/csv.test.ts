import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvHeader, type ExportedRequest, toCsvRecord, withoutFormula } from './csv.ts'

// Holds (Search, lists and export): no exported text becomes a formula in a spreadsheet

const request: ExportedRequest = {
  _id: 'id',
  title: 'A title',
  description: '',
  votes: -3,
  tags: [],
  commentCount: null,
  stars: null,
  sourcePlatform: 'github',
  sourceUrl: 'https://example.org',
  topic: 'topic',
  topics: ['topic'],
  authorName: null,
  authorHandle: null,
  authorProfileUrl: null,
  license: 'CC BY-SA 4.0',
  originalCreatedAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  confidence: 0.9,
  likelihood: 'likely',
  corrected: false,
  status: null,
  statusChangedAt: null,
  statusObserved: false,
  excerpt: false,
  sourceName: null,
  product: null,
  wish: { wishId: 'wish', requestCount: 3, votes: 12, own: null },
  publicPages: 'texts',
  cursor: 'cursor',
}

/** A reader of RFC 4180 as its grammar has it: records of fields; null for a field without quotes that is empty. */
function parseCsv(text: string): (string | null)[][] {
  const records: (string | null)[][] = []
  let rest = text
  while (rest !== '') {
    const record: (string | null)[] = []
    for (let end = ','; end === ','; ) {
      const [whole, inQuotes, plain, after] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest)!
      record.push(inQuotes === undefined ? plain || null : inQuotes.replaceAll('""', '"'))
      rest = rest.slice(whole.length)
      end = after!
    }
    records.push(record)
  }
  return records
}

describe('a CSV record', () => {
  it('has a column for each field of a record, and three for its wish', () => {
    const { wish: _, ...others } = request
    const columns = [...Object.keys(others), 'wishId', 'wishRequestCount', 'wishVotes']
    expect(csvHeader.trimEnd().split(',').sort()).toEqual(columns.sort())
  })

  it('leaves the columns of the wish empty for a request that has none', () => {
    expect(toCsvRecord(request)).toContain(',"wish",3,12,,"texts","cursor"')
    expect(toCsvRecord({ ...request, wish: null })).toContain(',,,,,"texts","cursor"')
  })

  it('has a field for each column, and parses back to its texts, whatever they hold', () => {
    const columns = csvHeader.trimEnd().split(',')
    const texts = fc.string({
      unit: fc.oneof(fc.constantFrom(...'",\r\n\t\'=+-@＝'), fc.string({ minLength: 1, maxLength: 1, unit: 'binary' })),
    })
    fc.assert(
      fc.property(texts, texts, fc.option(texts), fc.array(texts), (title, description, authorName, tags) => {
        const [record, ...more] = parseCsv(toCsvRecord({ ...request, title, description, authorName, tags }))
        expect([record?.length, more]).toEqual([columns.length, []])
        const field = (name: string) => record?.[columns.indexOf(name)] ?? null
        const plain = (text: string | null) => (text?.startsWith("'") ? text.slice(1) : text)
        expect([plain(field('title')), plain(field('description')), plain(field('authorName'))]).toEqual([
          title,
          description,
          authorName,
        ])
        expect(JSON.parse(field('tags') ?? '')).toEqual(tags)
        expect([field('votes'), field('license'), field('commentCount')]).toEqual(['-3', 'CC BY-SA 4.0', null])
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '  =1',
    '\u00a0=1',
    '\u200b=1',
    '\ufeff=1',
    '＝1',
    '＋1',
    '－1',
    '＠a',
    "=cmd|'/c calc'!A0",
    '"=1',
    "'=1",
    '\0=1',
  ])('makes %j a text, not a formula', (text) => {
    if (text.startsWith('"')) expect(toCsvRecord({ ...request, title: text })).toContain(',"""=1",')
    else expect(withoutFormula(text)).toBe(`'${text}`)
  })

  it.each(['a=1', 'Dark mode', '[1]', '日本語', '1-2', 'ﬁ'])('leaves %j as it is', (text) => {
    expect(withoutFormula(text)).toBe(text)
  })
})
