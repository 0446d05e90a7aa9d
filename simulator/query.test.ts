import { describe, expect, it } from 'vitest'
import { canonicalText, matchesQuery, parseQuery } from './query.ts'

const qualifiers = ['is', 'label', 'in']

describe('the topic of a search', () => {
  it.each([
    ['dark mode', 'dark mode'],
    ['"dark mode" is:issue label:"good first issue",bug -label:wontfix', 'dark mode'],
    ['"Dark Mode" ("feature request" OR "I wish")', 'dark mode'],
    ['dark mode "would be nice if" NOT light', 'dark mode'],
    ['C++ support', 'c++ support'],
    ['"node.js: end-to-end"', 'node.js end-to-end'],
    ['"an unclosed quote', 'an unclosed quote'],
    ['"feature request"', 'feature request'],
    ['unknown:word', 'unknown word'],
    ['🎉!', '🎉'],
    ['"---" ()', ''],
    ['is:issue', ''],
  ])('%s is %s', (text, topic) => {
    expect(parseQuery(text, qualifiers).topic).toBe(topic)
  })
})

describe('matching', () => {
  const text = canonicalText('Dark mode: I wish it were there')
  const matches = (search: string) =>
    matchesQuery(parseQuery(search, qualifiers), text, (_, value) => value === 'issue')

  it('wants every word and quoted phrase, and none that is excluded', () => {
    expect(matches('mode dark')).toBe(true)
    expect(matches('"mode dark"')).toBe(false)
    expect(matches('dark "i wish"')).toBe(true)
    expect(matches('dark -wish')).toBe(false)
    expect(matches('dark NOT wish')).toBe(false)
  })

  it('is content with one side of OR', () => {
    expect(matches('dark ("please add" OR "I wish")')).toBe(true)
    expect(matches('dark ("please add" OR "feature request")')).toBe(false)
  })

  it('asks about qualifiers', () => {
    expect(matches('dark is:issue')).toBe(true)
    expect(matches('dark -is:issue')).toBe(false)
    expect(matches('dark is:pr,issue')).toBe(true)
    expect(matches('dark is:pr')).toBe(false)
  })

  it('counts what GitHub limits', () => {
    const query = parseQuery('dark OR light AND is:issue', qualifiers)
    expect(query.operatorCount).toBe(2)
    expect(query.freeText).toBe('dark light')
  })
})
