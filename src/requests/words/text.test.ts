import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fieldBoundary, searchTextLimit, searchTextOf, withoutRepeatedRuns } from './text.ts'

// Holds (Search, lists and export): a text that repeats a sentence gains nothing in search

const request = { title: '', description: '', tags: [], authorName: null, authorHandle: null }
const wordsOf = (text: string) => text.split(/\s+/)

describe('the text of a request', () => {
  test('has the title four times, and tags, author and description', () => {
    const text = searchTextOf({
      title: 'Dark mode!',
      description: 'Please, for C++.',
      tags: ['user-interface', 'C#'],
      authorName: 'José Díaz',
      authorHandle: '@jose_d',
    })
    const fields = [
      ...Array<string>(4).fill('dark mode'),
      'user interface csharp',
      'jose diaz josed jose d',
      'please for cplusplus',
    ]
    expect(text).toBe(fields.join(fieldBoundary))
  })

  test('is empty for a request without words, and has no gaps where something is missing', () => {
    expect(searchTextOf({ ...request, title: '—' })).toBe('')
    expect(searchTextOf({ ...request, title: 'One', description: 'two' })).toBe(
      ['one', 'one', 'one', 'one', 'two'].join(fieldBoundary),
    )
  })

  test('is bounded: a long description loses its end at a word, never the tags or the author', () => {
    const text = searchTextOf({
      title: 'T'.repeat(600_000),
      description: Array.from({ length: 100_000 }, (_, number) => `w${number % 97}x${number % 89}`).join(' '),
      tags: Array<string>(50).fill('tag'),
      authorName: 'Author',
      authorHandle: null,
    })
    expect(text.length).toBeLessThanOrEqual(searchTextLimit)
    expect(text.length).toBeGreaterThan(searchTextLimit - 10)
    expect(wordsOf(text)).toEqual(expect.arrayContaining(['t'.repeat(100), 'tag', 'author', 'w0x0']))
    // No word is cut.
    for (const word of wordsOf(text)) expect(word).toMatch(/^(t{100}|tag|author|w\d+x\d+)$/)
    const last = wordsOf(text).length - wordsOf(text).indexOf('w0x0') - 1
    expect(wordsOf(text).at(-1)).toBe(`w${last % 97}x${last % 89}`)
  })

  test('is bounded also where normalisation makes text longer', () => {
    const text = searchTextOf({ ...request, title: '\ufdfa'.repeat(1_000), description: '\ufdfa'.repeat(50_000) })
    expect(text.length).toBeLessThanOrEqual(searchTextLimit)
  })
})

describe('leaving out what a text repeats', () => {
  const textOf = (description: string, title = 'Export') =>
    searchTextOf({ title, description, tags: [], authorName: null, authorHandle: null })

  const sentences = fc
    .array(fc.constantFrom('dark', 'mode', 'please', 'add', 'C++', 'userId', '2.10'), { minLength: 1, maxLength: 8 })
    .map((words) => words.join(' '))

  test('a text that repeats a sentence is indexed as with one of them', () => {
    fc.assert(
      fc.property(
        sentences,
        fc.integer({ min: 2, max: 60 }),
        fc.constantFrom('. ', '!\n', '\n\n', '? '),
        (one, times, mark) => {
          expect(textOf(Array<string>(times).fill(one).join(mark))).toBe(textOf(one))
        },
      ),
    )
  })

  test('a run of words that follows itself without punctuation is indexed as one of them', () => {
    for (const one of ['please add dark mode', 'dark mode', 'dark', 'we need dark mode now']) {
      expect(textOf(`${one} `.repeat(50))).toBe(textOf(one))
      expect(textOf('', `${one} `.repeat(9))).toBe(textOf('', one))
    }
  })

  test('a text with its repetitions has all of its words, and no phrase that it did not have', () => {
    fc.assert(
      fc.property(fc.array(sentences, { maxLength: 12 }), fc.constantFrom('. ', ' ', '\n'), (parts, mark) => {
        const whole = ` ${parts.map((part) => textOf(part, '')).join(' ')} `
        const indexed = textOf(parts.join(mark), '')
        expect(new Set(indexed.split(/\s+/))).toEqual(new Set(whole.trim().split(/\s+/)))
      }),
    )
    expect(textOf('Dark mode. For all. Dark mode. In tables.', '')).toBe(`dark mode for all${fieldBoundary}in tables`)
  })

  test('words that people double, and names that differ in their marks, stay', () => {
    for (const text of ['very very good', 'no no no', 'a b a b', 'it is it is done']) {
      expect(withoutRepeatedRuns(text)).toEqual([text])
    }
    expect(textOf('Support C. Support C++. Support C#.', '')).toBe('support c support cplusplus support csharp')
    expect(textOf('See userid. See userId.', '')).toContain('user id')
  })

  // In quadratic time it would take longer than a test may.
  test('takes time linear in the length of the text', () => {
    for (const text of [`${'.'.repeat(19_000)}x`, 'a '.repeat(9_999), ' '.repeat(19_999), `${'a b '.repeat(4_000)}c`])
      expect(textOf(text)).toEqual(expect.any(String))
  })
})
