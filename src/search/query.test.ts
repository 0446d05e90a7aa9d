import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { searchTextOf } from '../requests/words/text.ts'
import { queryWordLimit } from '../runtime/text/words.ts'
import { describeQuery, parseQuery, replaceWords, spellingsOf, splitQuery, withoutPhrases } from './query.ts'
import { partsOfBeginning, respell, termsOf } from './terms.ts'

// Holds (Search, lists and export): a pasted title finds what has its words; deliberate phrases and exclusions decide alone

const wordsOf = (query: string) => parseQuery(query).words.join(' ')

describe('a query', () => {
  test('has each word once, without stop words', () => {
    expect(wordsOf('How can I add the Dark Mode, dark?')).toBe('dark mode')
    expect(wordsOf("don't we've it isn't the user's")).toBe('user')
    expect(wordsOf('version 2.10 or v3.0.1')).toBe('version 2dot10 3dot0dot1')
  })

  test('keeps the stop words when it has nothing else', () => {
    expect(wordsOf('To be, or not to be!')).toBe('to be or not')
  })

  test('has its words in other spellings, too', () => {
    const spellings = (query: string) => Object.fromEntries(spellingsOf(query))
    expect(spellings('ÜBERSICHT der Gro\u0308ße')).toEqual({ ubersicht: ['uebersicht'], grosse: ['groesse'] })
    expect(spellings('Uebersicht als Poesie')).toEqual({ uebersicht: ['ubersicht'], poesie: ['posie'] })
    expect(spellings('überfluessig')).toEqual({ uberfluessig: ['ueberfluessig', 'uberflussig'] })
    // One stem, ue after a vowel or q, and a stop word.
    expect(spellings('an issue with the neue queue of a doe')).toEqual({})
    const query = '"Übersicht fuer ALLE" -Größe'
    const { phrases, excluded } = parseQuery(query)
    expect(phrases.map((phrase) => respell(phrase, spellingsOf(query)))).toEqual([
      ['ubersicht fuer alle', 'ubersicht fur alle', 'uebersicht fuer alle', 'uebersicht fur alle'],
    ])
    expect(excluded.map((phrase) => respell(phrase, spellingsOf(query)))).toEqual([['grosse', 'groesse']])
  })

  test('has a phrase in Arabic letters with and without a zero width non-joiner', () => {
    expect(parseQuery('"می\u200cخواهم"').phrases).toEqual([['ميخواهم مي خواهم', 'ميخواهم', 'مي خواهم']])
    expect(parseQuery('"app می خواهم"').phrases).toEqual([['app مي خواهم', 'app ميخواهم مي خواهم']])
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

  test.each([
    ['dark mode -reddit', ['dark', 'mode'], [], ['reddit']],
    ['"dark mode" -ios', ['dark', 'mode'], ['dark mode'], ['ios']],
    ['dark mode -ios -"windows phone" -android', ['dark', 'mode'], [], ['ios', 'windows phone', 'android']],
    ['dark -ios "night mode"', ['dark', 'night', 'mode'], ['night mode'], ['ios']],
    ['-"ios" dark mode', ['dark', 'mode'], [], ['ios']],
    ['node.js export -.net', ['node', 'js', 'export'], [], ['.net']],
    ['検索 -機能', ['検索'], [], ['機能']],
    ['older workers reporting vocational rehabilitation -california', undefined, [], ['california']],
    ['“dark mode” -ios', ['dark', 'mode'], ['dark mode'], ['ios']],
  ])('are understood as deliberate: %s', (query, words, phrases, excluded) => {
    expect(describeQuery(query)).toMatchObject({ ...(words ? { words } : {}), phrases, excluded })
  })

  test.each([
    // A minus in the middle, as in commands and titles.
    ['go test: -race fails', ['go', 'test', 'race', 'fails']],
    ['-race fails in tests', ['race', 'fails', 'tests']],
    ['Addons -webview crash when scrolling', ['addons', 'webview', 'crash', 'scrolling']],
    // At the end, after what no person types before an exclusion.
    ['Support for -race', ['support', 'race']],
    ['Docs: list all options -verbose', ['docs', 'list', 'options', 'verbose']],
    ['Building an app (with the watch kit) -destination', ['building', 'app', 'watch', 'kit', 'destination']],
    // No words.
    ['emulator terminated exit value -1', ['emulator', 'terminated', 'exit', 'value', '1']],
    ['git clean -f', ['git', 'clean', 'f']],
    ['git rm -r -cached', ['git', 'rm', 'r', 'cached']],
    ['crashes on 4.0 -4.2.1', undefined],
    ['zoom out on maximum -iOS6)', ['zoom', 'maximum', 'ios6']],
    [
      'one two three four five six seven eight nine ten eleven -twelve',
      'two three four five six seven eight nine ten eleven twelve'.split(' ').toSpliced(0, 0, 'one'),
    ],
  ])('exclude nothing in a pasted title: %s', (query, words) => {
    const understood = describeQuery(query)
    expect(understood.excluded).toEqual([])
    if (words) expect(understood.words).toEqual(words)
  })

  test('beyond ten phrases are words', () => {
    const phrases = Array.from({ length: 12 }, (_, index) => `"word${index} extra"`)
    expect(parseQuery(phrases.join(' ')).phrases).toHaveLength(10)
    expect(parseQuery(phrases.join(' ')).words).toHaveLength(13)
  })

  test('can be taken apart, for searches of other words beside them', () => {
    expect(splitQuery('"dark mode" toggle -ios -"night theme"')).toEqual({
      asked: 'dark mode toggle',
      leftOut: '-"ios" -"night theme"',
    })
    expect(splitQuery('go test: -race fails')).toEqual({ asked: 'go test: race fails', leftOut: '' })
  })

  test('give a query of words alone, where a query has more than phrases', () => {
    expect(withoutPhrases('add "copy as" -ios')).toEqual({ query: 'add copy as -"ios"', isTitle: false })
    for (const title of [
      'CLI: command "help" fails',
      'Add "scaling mode" property to every image view of the scroll list',
    ]) {
      expect(withoutPhrases(title)?.isTitle).toBe(true)
    }
    for (const query of ['dark mode', '"dark mode"', '"dark mode" -ios', '"dark" "mode"', 'dark mode -"ios"']) {
      expect(withoutPhrases(query)).toBeNull()
    }
  })

  test('are left as they are where words are replaced', () => {
    const loud = (query: string) => replaceWords(query, (piece) => piece.toUpperCase())
    expect(loud('add "copy as" menu, -ios')).toBe('ADD "copy as" MENU, -IOS')
    expect(loud('add "copy as" menu -ios')).toBe('ADD "copy as" MENU -ios')
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
  ['see dark_mo', 'darkmo'],
  ['می\u200cخ', 'ميخ'],
  ['v2.1', '2dot1'],
  ['node.j', 'j'],
  ['日本', '日本'],
  ['dark -mo', null],
  ['"dark mo"', null],
  ['dark !', null],
])('the last word may be a beginning: %s', (query, prefix) => {
  expect(parseQuery(query, { prefix: true }).prefix).toBe(prefix)
  expect(parseQuery(query).prefix).toBeNull()
})

describe('the terms of a query', () => {
  test('every word of a query is a term', () => {
    expect(termsOf(['dark', '2'], null)).toEqual([['dark'], ['2']])
    expect(termsOf(['fur', 'alle'], null, { spellings: new Map([['fur', ['fuer']]]) })).toEqual([
      ['fur', '"furalle"', 'fuer'],
      ['alle', '"furalle"'],
    ])
  })

  test('neighbours of a short query are there, too, as one word', () => {
    expect(termsOf(['http', 'client', '2'], null)).toEqual([
      ['http', '"httpclient"'],
      ['client', '"httpclient"'],
      ['2'],
    ])
    const long = ['some', 'words', 'of', 'a', 'title']
    expect(termsOf(long, null)).toEqual(long.map((word) => [word]))
  })

  test('words with other forms are one term', () => {
    const same = [{ words: 'dark mode', others: ['darkmode', 'night mode'], kind: 'synonym' as const }]
    const dark = ['dark mode', '"darkmode"', '"night mode"']
    expect(termsOf(['add', 'dark', 'mode', '2'], null, { same })).toEqual([['add'], dark, ['2']])
    expect(termsOf(['mode', 'dark', '2'], null, { same })[2]).toEqual(['2'])
    const beginning = { prefix: 'mode', words: ['modem'], name: null }
    expect(termsOf(['dark', 'mode'], beginning, { same })).toEqual([
      ['dark mode', 'dark modem', '"darkmode"', '"night mode"'],
    ])
  })

  test('a name is one term: as one word, or in its parts', () => {
    expect(termsOf(['add', 'darkmode', 'dark', 'mode', 'now'], null)).toEqual([
      ['add'],
      ['darkmode', 'dark mode'],
      ['now'],
    ])
  })

  test('a word that may go on is one term with the words that begin so', () => {
    const beginning = { prefix: 'mod', words: ['mod', 'mode', 'model'], name: null }
    expect(termsOf(['dark', 'mod'], beginning)).toEqual([['dark'], ['mod', 'mode', 'model']])
  })

  test('a name that may go on is one term: as one word, or in parts whose last one may go on', () => {
    const words = ['add', 'darkmo', 'dark', 'mo']
    const parts = partsOfBeginning(words, 'darkmo')!
    expect(parts).toEqual({ before: ['dark'], last: 'mo' })
    const beginning = { prefix: 'darkmo', words: ['darkmode'], name: { ...parts, words: ['mode'] } }
    expect(termsOf(words, beginning)).toEqual([['add'], ['darkmo', 'darkmode', 'dark mo', 'dark mode']])
    expect(partsOfBeginning(['dark', 'mo'], 'mo')).toBeNull()
  })
})
