import { describe, expect, test } from 'vitest'
import { fieldBoundary, searchTextLimit, searchTextOf } from './text.ts'

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
