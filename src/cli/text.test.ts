import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAge } from './relative-time.ts'
import {
  count,
  countColumns,
  firstLine,
  formatDuration,
  lastArgument,
  printable,
  shellWord,
  shorten,
  toJsonLine,
  wrapLine,
} from './text.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 300 })
const hostile = fc.array(
  fc.constantFrom('\x1b', '\x9b', '[', ']', '31m', '0;t', '\x07', '\u202e', '\ud800', '\n', '界', '👩‍🚀'),
)
const harmful = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

describe('text from outside', () => {
  it('never reaches the terminal with control characters or direction overrides', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          hostile.map((parts) => parts.join('')),
        ),
        (text) => {
          expect(printable(text)).not.toMatch(harmful)
          expect(firstLine(text)).not.toMatch(harmful)
          expect(printable(text).isWellFormed()).toBe(true)
        },
      ),
    )
  })

  it.each([
    ['colours', '\x1b[31mred\x1b[0m', 'red'],
    ['a window title', '\x1b]0;owned\x07title', 'title'],
    ['a link', '\x1b]8;;http://evil.example\x1b\\text\x1b]8;;\x1b\\', 'text'],
    ['cleared lines', 'a\x1b[2K\rb', 'a b'],
    ['a C1 sequence', 'a\x9b31mb', 'ab'],
    ['a reversed direction', 'exe.\u202egpj', 'exe.gpj'],
    ['an emoji of several', '👩‍🚀 up', '👩‍🚀 up'],
  ])('loses %s and keeps what can be read', (_what, text, expected) => {
    expect(printable(text)).toBe(expected)
  })

  it('is one line', () => {
    expect(printable('a\r\n\tb\u2028c')).toBe('a b c')
    expect(firstLine('\n  \n\x1b[0m\n second \nthird')).toBe('second')
    expect(firstLine('')).toBe('')
  })

  it('is looked at only as far as it can be shown', () => {
    expect(printable('x'.repeat(100_000)).length).toBeLessThan(5_000)
  })

  it('stays the same value in JSON that no terminal obeys', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(toJsonLine({ text })).not.toMatch(harmful)
        expect(JSON.parse(toJsonLine({ text }))).toEqual({ text })
      }),
    )
  })
})

describe('a shortened text', () => {
  it('never takes more columns than there are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 40 }), (text, columns) => {
        expect(countColumns(shorten(text, columns))).toBeLessThanOrEqual(columns)
      }),
    )
  })

  it('is the text itself when that fits, and ends with an ellipsis when it does not', () => {
    expect(shorten('dark mode', 9)).toBe('dark mode')
    expect(shorten('dark mode', 8)).toBe('dark mo…')
    expect(shorten('dark mode', 6)).toBe('dark…')
    expect(shorten('界界界', 6)).toBe('界界界')
    expect(shorten('界界界', 5)).toBe('界界…')
    expect(shorten('界界界', 4)).toBe('界…')
  })
})

describe('a line on a terminal', () => {
  it('is wrapped between words, and continues at its own indentation', () => {
    expect(wrapLine('one two three four', 9)).toEqual(['one two', 'three', 'four'])
    expect(wrapLine('  one two three', 10)).toEqual(['  one two', '    three'])
    expect(wrapLine('  DATA_DIR  one two three', 25)).toEqual(['  DATA_DIR  one two three'])
    expect(wrapLine('  DATA_DIR  one two three', 24)).toEqual(['  DATA_DIR  one two', '            three'])
    expect(wrapLine('short', 80)).toEqual(['short'])
  })

  it('does not cut a word that is wider than the terminal', () => {
    const address = `https://wishes.example/${'x'.repeat(40)}`
    expect(wrapLine(`see ${address} now`, 20)).toEqual(['see', address, 'now'])
  })

  it('loses nothing and is never wider, unless a word is', () => {
    const words = fc.array(fc.constantFrom('a', 'bc', 'def', '界', '👩‍🚀', '·'), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(words, fc.integer({ min: 4, max: 40 }), (list, columns) => {
        const lines = wrapLine(list.join(' '), columns)
        expect(lines.join(' ').split(/ +/)).toEqual(list)
        for (const line of lines) expect(countColumns(line)).toBeLessThanOrEqual(columns)
      }),
    )
  })
})

describe('words for people', () => {
  it.each([
    [0, '0.0 s'],
    [4_210, '4.2 s'],
    [9_990, '10 s'],
    [59_600, '1 min 00 s'],
    [185_000, '3 min 05 s'],
  ])('%i ms is %s', (milliseconds, expected) => {
    expect(formatDuration(milliseconds)).toBe(expected)
  })

  it('counts in the singular and the plural', () => {
    expect([count(1, 'vote'), count(0, 'vote'), count(1_234, 'vote')]).toEqual(['1 vote', '0 votes', '1,234 votes'])
  })
})

describe('how long ago a moment was', () => {
  it.each([
    ['2026-06-15T11:59:30.000Z', 'just now'],
    ['2026-06-15T12:30:00.000Z', 'just now'],
    ['2026-06-15T11:59:00.000Z', '1 minute ago'],
    ['2026-06-15T11:00:01.000Z', '59 minutes ago'],
    ['2026-06-15T11:00:00.000Z', '1 hour ago'],
    ['2026-06-14T12:00:01.000Z', '23 hours ago'],
    ['2026-06-14T12:00:00.000Z', '1 day ago'],
    ['2026-06-13T12:00:01.000Z', '1 day ago'],
    ['2026-05-15T12:00:01.000Z', '30 days ago'],
    ['2026-05-15T12:00:00.000Z', '1 month ago'],
    ['2026-03-16T12:00:00.000Z', '2 months ago'],
    ['2026-03-10T12:00:00.000Z', '3 months ago'],
    ['2025-06-15T12:00:01.000Z', '11 months ago'],
    ['2025-06-15T12:00:00.000Z', '1 year ago'],
    ['2024-12-15T12:00:00.000Z', '1 year ago'],
    ['2024-06-15T12:00:01.000Z', '1 year ago'],
    ['2024-06-15T12:00:00.000Z', '2 years ago'],
    ['2020-01-01T00:00:00.000Z', '6 years ago'],
  ])('%s is %s at noon of 15 June 2026', (moment, expected) => {
    expect(formatAge(moment, new Date('2026-06-15T12:00:00.000Z'))).toBe(expected)
  })

  it.each([
    ['2026-01-31T00:00:00.000Z', '2026-02-27T23:59:59.000Z', '27 days ago'],
    ['2026-01-31T00:00:00.000Z', '2026-02-28T00:00:00.000Z', '1 month ago'],
    ['2024-02-29T00:00:00.000Z', '2025-02-28T00:00:00.000Z', '1 year ago'],
    ['2025-12-31T23:00:00.000Z', '2026-01-01T00:00:00.000Z', '1 hour ago'],
  ])('%s is, at %s, %s: months end with their last day', (moment, now, expected) => {
    expect(formatAge(moment, new Date(now))).toBe(expected)
  })

  it('says nothing false about an invalid date', () => {
    expect(formatAge('yesterday', new Date('2026-06-15T12:00:00.000Z'))).toBe('just now')
  })
})

describe('a command to paste', () => {
  const pasted = ['dark mode', "don't", '$(touch x) `y` "z"', 'a;b|c&d', '*', 'plain', '']

  it.skipIf(process.platform === 'win32').each(pasted)('gives the shell back what it was made of: %s', (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
  })

  it('does not mistake a text for an option', () => {
    expect(lastArgument('-5 offset')).toBe("-- '-5 offset'")
  })
})
