import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { queryWordLimit } from '../../text/words.ts'
import { parseQuery } from './query.ts'
import { searchTextOf } from './text.ts'

const wordsOf = (query: string) => parseQuery(query).words.join(' ')

describe('a query', () => {
  test('has each word once, without stop words', () => {
    expect(wordsOf('How can I add the Dark Mode, dark?')).toBe('add dark mode')
    expect(wordsOf("don't we've it isn't the user's")).toBe('user')
    expect(wordsOf('version 2.10 or v3.0.1')).toBe('version 2dot10 v3 3dot0dot1')
  })

  test('keeps the stop words when it has nothing else', () => {
    expect(wordsOf('To be, or not to be!')).toBe('to be or not')
  })

  test('without a word is empty', () => {
    for (const query of ['', ' ', '!?', '"" & | <-> :* ()', '🎉', '\u0000', '\u0301', '-', '-""', '-!']) {
      expect(parseQuery(query, { prefix: true })).toEqual({ words: [], phrases: [], excluded: [], prefix: null })
    }
  })

  test('has the normalised words of its text', () => {
    const request = { title: '', tags: [], authorName: null, authorHandle: null }
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const indexed = new Set(searchTextOf({ ...request, description: text }).split(/\s+/))
        for (const word of parseQuery(text.replaceAll('-', ' ')).words) expect(indexed).toContain(word)
      }),
    )
  })

  test('has a bounded number of words', () => {
    const { words } = parseQuery(Array.from({ length: 300 }, (_, index) => `word${index}`).join(' '))
    expect(words).toHaveLength(queryWordLimit)
    expect(words[0]).toBe('word0')
  })
})

describe('quotes and minus signs', () => {
  test.each([
    ['"dark mode" toggle', ['dark', 'mode', 'toggle'], [['dark mode']], []],
    ['toggle -"dark mode" -blue', ['toggle'], [], [['dark mode'], ['blue']]],
    ['“dark mode” «night»', ['dark', 'mode', 'night'], [['dark mode'], ['night']], []],
    ['"to be" hamlet', ['hamlet'], [['to be']], []],
    ['"C++"', ['cplusplus'], [['cplusplus']], []],
    ['widget -darkMode', ['widget'], [], [['darkmode dark mode', 'darkmode', 'dark mode']]],
    ['検索 -"機能"', ['検索'], [], [['機能']]],
  ])('are phrases and exclusions: %s', (query, words, phrases, excluded) => {
    expect(parseQuery(query)).toMatchObject({ words, phrases, excluded })
  })

  test.each([
    ['drag-drop', ['drag', 'drop']],
    ['5 - 3', ['5', '3']],
    ['git --amend', ['git', 'amend']],
    ['a quote " that does not close', ['quote', 'close']],
    ['27" monitor', ['27', 'monitor']],
  ])('are punctuation anywhere else: %s', (query, words) => {
    expect(parseQuery(query)).toMatchObject({ words, phrases: [], excluded: [] })
  })

  test('are refused without a word to search, and when there are too many', () => {
    expect(() => parseQuery('-dark -"blue mode"')).toThrow(/has exclusions only/)
    expect(() => parseQuery(`dark ${Array.from({ length: 11 }, (_, index) => `-w${index}`).join(' ')}`)).toThrow(
      /at most 10/,
    )
  })
})

test.each([
  ['dark mo', 'mo'],
  ['Dark Mo', 'mo'],
  ['darkMo', 'darkmo'],
  ['node.j', 'j'],
  ['日本', '日本'],
  ['dark -mo', null],
  ['"dark mo"', null],
  ['dark !', null],
])('the last word may be a beginning: %s', (query, prefix) => {
  expect(parseQuery(query, { prefix: true }).prefix).toBe(prefix)
  expect(parseQuery(query).prefix).toBeNull()
})
