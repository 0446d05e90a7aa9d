import { describe, expect, it } from 'vitest'
import { requestRecord, usage } from './fake-service-testing.ts'
import { formatResults, type Layout } from './search.ts'
import { toArguments, toBody } from './search-options.ts'

const now = new Date('2026-04-02T00:00:00.000Z')

const plainMeta = {
  originalQuery: 'dark mode',
  understood: { words: ['dark', 'mode'], phrases: [], excluded: [], alternatives: [], unknown: [] as string[] },
  cachedResults: 0,
  expanded: false,
  maybeResults: 0,
  total: 100,
  totalIsExact: true,
}

function format(
  results: ReturnType<typeof requestRecord>[],
  layout: Partial<Layout> = {},
  flags = {},
  meta = {},
): string[] {
  const data = { results, hasMore: false, limitReached: false, ...flags }
  return formatResults(
    { data, meta: { ...plainMeta, ...meta }, usage },
    { query: 'dark mode', columns: 80, now, ...layout },
  )
}

describe('results of a search', () => {
  it('are a number and title, then votes, platform, age and address, then the first line of the description', () => {
    expect(format([requestRecord()])).toEqual([
      '  1. Dark mode',
      '     12 votes · github · 3 months ago · https://github.com/acme/app/issues/1',
      '     Please.',
      '',
      'Result 1; there are no more.',
    ])
  })

  it('say how many have all words, where others have only some', () => {
    const lines = (total: number) => format([requestRecord(), requestRecord()], {}, {}, { total, totalIsExact: true })
    expect(lines(2).slice(-2)).toEqual(['', 'Results 1 to 2; there are no more.'])
    expect(lines(1).at(-2)).toBe('1 stored request has all of the words; the others have some.')
    expect(lines(0).at(-2)).toBe('No stored request has all of the words; these have some.')
  })

  it('show the status, and mark what may be none', () => {
    const results = [
      requestRecord({ status: 'in_progress' }),
      requestRecord({ likelihood: 'maybe', originalCreatedAt: null }),
      requestRecord({ likelihood: 'unlikely', status: 'closed', originalCreatedAt: null }),
    ]
    expect(format(results).filter((line) => line.includes(' · '))).toEqual([
      '     12 votes · github · 3 months ago · in progress · https://github.com/acme/app/issues/1',
      '     12 votes · github · may be a request · https://github.com/acme/app/issues/1',
      '     12 votes · github · closed · probably no request · https://github.com/acme/app/issues/1',
    ])
  })

  it('say how many more may be requests, and how to get them', () => {
    expect(format([requestRecord()], { repeated: '--topic=a ' }, {}, { maybeResults: 8 }).at(-1)).toBe(
      "8 more may be requests: wishwell search --topic=a --include=maybe 'dark mode'",
    )
    expect(format([], {}, {}, { maybeResults: 1 }).at(-1)).toBe(
      "1 more may be a request: wishwell search --include=maybe 'dark mode'",
    )
  })

  it('say how many requests and votes their wish has, where it has several', () => {
    const wish = { wishId: 'wish-1', requestCount: 3, votes: 1_040, own: null }
    expect(format([requestRecord({ wish, stars: 1, originalCreatedAt: null })])[1]).toBe(
      '     12 votes, 1 of 5 stars · github · one of 3 requests for the same, 1,040 votes · https://github.com/acme/app/issues/1',
    )
  })

  it('are wishes with --group-by: the numbers of all their requests, how many match, and the best match', () => {
    const wish = {
      wishId: 'wish-1',
      title: 'A dark theme',
      requestCount: 3,
      votes: 1_040,
      own: null,
      platforms: ['github' as const, 'lemmy' as const],
      product: 'acme/app',
      status: 'in_progress' as const,
      firstAskedAt: '2026-01-01T00:00:00.000Z',
      lastAskedAt: '2026-03-02T00:00:00.000Z',
      hasAllWords: true,
      matching: 2,
      bestMatch: requestRecord({ stars: 2 }),
    }
    const data = { results: [wish], hasMore: true, limitReached: false }
    const answer = { data, meta: plainMeta, usage }
    expect(formatResults(answer, { query: 'dark mode', columns: 80, now, repeated: '--group-by wish ' })).toEqual([
      '  1. A dark theme',
      '     1,040 votes, one with 2 of 5 stars · 3 requests, 2 match · github, lemmy · in progress · first asked 3 months ago · wish-1',
      '     Dark mode · https://github.com/acme/app/issues/1',
      '',
      "Result 1; there are more: wishwell search --group-by wish --offset 1 'dark mode'",
    ])
  })

  it('leave out unknown fields', () => {
    expect(format([requestRecord({ originalCreatedAt: null, description: '' })]).slice(0, 3)).toEqual([
      '  1. Dark mode',
      '     12 votes · github · https://github.com/acme/app/issues/1',
      '',
    ])
  })

  it('are shortened to the terminal, except for the address', () => {
    const sourceUrl = `https://github.com/${'x'.repeat(60)}`
    const [title, facts, description] = format(
      [requestRecord({ sourceUrl, title: 'title '.repeat(20), description: '界'.repeat(50) })],
      {
        columns: 30,
      },
    )
    expect(title).toBe('  1. title title title title…')
    expect(facts).toContain(sourceUrl)
    expect(description).toBe(`     ${'界'.repeat(12)}…`)
  })

  it('hold no character that a terminal would obey', () => {
    const evil = 'a\x1b]0;owned\x07\x1b[2Jb\x9b31m\u202ec'
    const lines = format([requestRecord({ title: evil, description: evil, sourceUrl: evil, sourcePlatform: evil })])
    expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(lines[0]).toBe('  1. abc')
  })

  it('say how to get more, with the same limit', () => {
    const results = [requestRecord(), requestRecord()]
    expect(format(results, {}, { hasMore: true }).at(-1)).toBe(
      "Results 1 to 2; there are more: wishwell search --offset 2 'dark mode'",
    )
    expect(format(results, { limit: 2, offset: 4, query: '-x' }, { hasMore: true }).at(-1)).toBe(
      'Results 5 to 6; there are more: wishwell search --limit 2 --offset 6 -- -x',
    )
  })

  it('say that the cap is reached', () => {
    expect(format([requestRecord()], { offset: 99 }, { limitReached: true }).at(-1)).toMatch(
      /^Result 100\. More match, but/,
    )
  })
})

describe('a search without results', () => {
  it('says how to collect requests', () => {
    expect(format([])).toEqual([
      'No stored request matches "dark mode".',
      "Collect it from the platforms first (costs credits): wishwell scrape 'dark mode'",
    ])
  })

  it('says first that the results are those of corrected words', () => {
    expect(format([requestRecord()], {}, {}, { didYouMean: 'offline mode' })[0]).toBe(
      'Results for "offline mode", since almost nothing has "dark mode":',
    )
  })

  it('says which other words were searched', () => {
    const alternatives = [{ words: '2fa', others: ['two factor', '2 factor'], kind: 'abbreviation' }]
    const understood = { ...plainMeta.understood, alternatives }
    expect(format([requestRecord()], {}, {}, { understood })).toContain(
      'Also searched for "2fa": "two factor", "2 factor".',
    )
  })

  it('says which words nothing has, and that the language may be another one', () => {
    const unknown = (words: string[]) => ({ understood: { ...plainMeta.understood, unknown: words } })
    expect(format([requestRecord()], {}, {}, unknown(['dark']))).toContain('No stored request has "dark".')
    expect(format([], {}, {}, unknown(['dark', 'mode']))).toContain(
      'No stored request has "dark", "mode". Are the stored requests in another language?',
    )
  })

  it('suggests the corrected query', () => {
    expect(format([], {}, {}, { didYouMean: 'dark mode' })[1]).toBe("Did you mean: wishwell search 'dark mode'")
  })

  it('says that the results ended before the offset', () => {
    expect(format([], { offset: 40 })).toEqual(['No results for "dark mode" after the first 40.'])
  })
})

describe('the options of a search', () => {
  const options = { include: 'maybe' as const, status: ['planned' as const, 'completed' as const], prefix: false }

  it('send the class and the statuses as filters', () => {
    expect(toBody(options, false)).toEqual({ filters: { include: 'maybe', status: ['planned', 'completed'] } })
  })

  it('are repeated in the command that shows the next page', () => {
    expect(toArguments(options)).toBe("--status='planned,completed' --include=maybe ")
  })
})
