import { describe, expect, it } from 'vitest'
import { searchWords } from './topic-words.ts'

describe('the words of a topic', () => {
  it('keep names whole', () => {
    expect(searchWords("  C++ C# .NET node.js don't e-mail café 夜间模式 🌙 ")).toEqual([
      'C++',
      'C#',
      '.NET',
      'node.js',
      "don't",
      'e-mail',
      'café',
      '夜间模式',
      '🌙',
    ])
  })

  it('hold no operators', () => {
    expect(searchWords('"dark" -label:bug --x OR NOT and AND repo:a/b (c) [tag] user:1 a\\"b\0c')).toEqual([
      'dark',
      'label',
      'bug',
      'x',
      'or',
      'not',
      'and',
      'and',
      'repo',
      'a/b',
      'c',
      'tag',
      'user',
      '1',
      'a',
      'b',
      'c',
    ])
  })

  it('are none when a topic has nothing to search for', () => {
    for (const topic of ['""', '??', '- -', '\\\\', '()']) expect(searchWords(topic)).toEqual([])
  })
})
