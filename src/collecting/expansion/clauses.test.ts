import { describe, expect, it } from 'vitest'
import { clausesOf, phrasesOf } from './clauses.ts'

const phrases = (text: string) => [...phrasesOf(clausesOf(text))].map(({ written }) => written)
const keys = (text: string) => clausesOf(text).map((clause) => clause.map(({ key }) => key).join(' '))

describe('the words of a text', () => {
  it('end at the end of a sentence or of a part of it', () => {
    expect(keys('Dark mode, please! (At night.)\nNew line')).toEqual(['dark mode', 'please', 'at night', 'new line'])
  })

  it('are the same in singular and plural, with hyphens and without', () => {
    expect(keys("Radio-buttons and user's categories")).toEqual(keys('radio button and user category'))
  })

  it.each([
    ['fenced code', 'before\n```js\nconst secretWord = 1\n```\nafter'],
    ['fenced code without an end', 'before\nafter\n```\nsecretWord'],
    ['a macro of Jira', 'before\n{code:title=app.js}\nsecretWord now\n{code}\nafter'],
    ['inline code', 'before\n`secretWord`\nafter'],
    ['an address', 'before\nhttps://secretWord.example/secretWord\nafter'],
    ['an e-mail address', 'before\nsecretWord@secretWord.example\nafter'],
    ['a person', 'before\n@secretWord\nafter'],
    ['a line of a stack trace', 'before\n    at secretWord (secretWord.js:12:3)\nafter'],
    ['a line of a log', 'before\n[ERROR] secretWord failed\nafter'],
    ['a line of a program', 'before\nvar secretWord = new SecretWord()\nafter'],
    ['a call', 'before\nsecretWord.open();\nafter'],
    ['a tag', 'before\n<SecretWord id="secretWord">\nafter'],
    ['a version', 'before\n3.2.1 v12 ios7 secret2word3\nafter'],
  ])('are not those of %s', (_what, text) => {
    const found = keys(text).filter((clause) => clause !== '')
    expect(found.join(' ')).not.toMatch(/secret/i)
    expect(found).toEqual(expect.arrayContaining(['before', 'after']))
  })

  it('are read in linear time, for any text', () => {
    const hostile = ['<a', '`', '{code', '[', 'a@', ' -', "'", '; ', '```', 'http://', '\u0301'].map((part) =>
      part.repeat(2_000),
    )
    for (const text of hostile) expect(clausesOf(text)).toBeInstanceOf(Array)
  })
})

describe('phrases that may be topics', () => {
  it('have one to three words and begin and end with words that mean something', () => {
    expect(phrases('I would like to have a dark theme for the sidebar')).toEqual([
      'dark',
      'dark theme',
      'theme',
      'sidebar',
    ])
  })

  it('keep "and", "of" and "to" between two words', () => {
    expect(phrases('drag and drop')).toContain('drag and drop')
    expect(phrases('windows in linux')).not.toContain('windows in linux')
  })

  it('are no courtesies, headings of forms or words that fit everywhere', () => {
    expect(
      phrases('Steps to reproduce\nExpected result\nIt would be great to add this feature. Thanks in advance'),
    ).toEqual(['advance'])
    expect(phrases('view')).toEqual([])
    expect(phrases('map view')).toContain('map view')
  })
})
