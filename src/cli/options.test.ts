import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { commaList, wholeNumber } from './options.ts'

describe('a whole number', () => {
  const parseDepth = wholeNumber(1, 40)

  it.each(['1', '40', '007'])('is read from "%s"', (text) => {
    expect(parseDepth(text)).toBe(Number(text))
  })

  it.each(['0', '41', '1.5', '-1', 'two', '', ' 1', '1e1', '0x10', '9'.repeat(400)])(
    'is not read from "%s"',
    (text) => {
      expect(() => parseDepth(text)).toThrow(InvalidArgumentError)
    },
  )
})

describe('a comma list', () => {
  it('is read without spaces and empty items', () => {
    expect(commaList('github, hackernews,,')).toEqual(['github', 'hackernews'])
    expect(commaList(' , ')).toEqual([])
  })
})
