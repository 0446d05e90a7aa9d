import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { collectSource, commaList, wholeNumber } from './options.ts'

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
    expect(commaList('GitHub, hackernews,,')).toEqual(['github', 'hackernews'])
    expect(commaList(' , ')).toEqual([])
  })
})

describe('a source', () => {
  it('is of the platform before its first colon, and joins the sources before it', () => {
    const first = collectSource('github:ada/engine')
    const second = collectSource('discourse:https://forum.example/c/ideas/5', first)
    expect(collectSource('github:ada/notes', second)).toEqual({
      github: ['ada/engine', 'ada/notes'],
      discourse: ['https://forum.example/c/ideas/5'],
    })
  })

  it.each(['ada/engine', 'https://forum.example', ':ada/engine', 'github:', ''])(
    'is refused without a platform: %j',
    (text) => {
      expect(() => collectSource(text)).toThrow('a platform, a colon and a source')
    },
  )
})
