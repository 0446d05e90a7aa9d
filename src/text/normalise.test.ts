import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normaliseText } from './normalise.ts'

const wordsOf = (text: string) => text.split(/\s+/)

describe('normalised text', () => {
  test.each([
    ['C++ and c++17, C/C++; g++', 'cplusplus and cplusplus 17 c cplusplus gplusplus'],
    ['C# F# f#/c# abc#', 'csharp fsharp fsharp csharp abc'],
    ['.NET, ASP.NET Core, example.net, a ...net', 'dotnet asp dotnet core example net a net'],
    ['Objective-C objective c ObjectiveC, Objective-C++', 'objectivec objectivec objectivec objectivecplusplus'],
    ['Node.js nodejs NodeJS, foojs', 'node js node js node js foojs'],
  ])('keeps the names of languages apart: %s', (text, normalised) => {
    expect(normaliseText(text)).toBe(normalised)
  })

  test.each([
    ['darkMode', 'darkmode dark mode'],
    ['HTTPServer', 'httpserver http server'],
    ['getXAxis', 'getxaxis get x axis'],
    ['OAuth2Client MP3Player', 'oauth2client oauth2 client mp3player mp3 player'],
    ['iOS OAuth APIs 2FA H264 utf8 SQL', 'ios oauth apis 2fa h264 utf8 sql'],
    ['JavaScript on GitHub', 'javascript on github'],
  ])('has camel case whole and in parts, and splits nothing else: %s', (text, normalised) => {
    expect(normaliseText(text)).toBe(normalised)
  })

  test.each([
    [
      'snake_case kebab-case file.js /usr/bin "quoted" (x) a&b|c!d <e> f:*',
      'snakecase snake case kebab case file js usr bin quoted x a b c d e f',
    ],
    ['❤️ 1️⃣ 👩‍👩‍👧 🇩🇪 € © — … 100%', '1 100'],
    ['tab\tline\nnull\u0000bell\u0007 lone\ud800surrogate', 'tab line null bell lone surrogate'],
    ['soft\u00adhyphen zero\u200bwidth no\u2060break', 'softhyphen zero width nobreak'],
    ['Ｆｕｌｌ ﬁne Ⅷ ²', 'full fine viii 2'],
    ['Café ÜBER naïve Ångström İstanbul cafe\u0301', 'cafe uber naive angstrom istanbul cafe'],
    ['Поиск ЁЖ हिन्दी', 'поиск ёж हिन्दी'],
  ])('has only letters, digits and their marks, in one form: %j', (text, normalised) => {
    expect(normaliseText(text)).toBe(normalised)
  })

  test('finds words in scripts without spaces: every two neighbouring characters are one', () => {
    expect(normaliseText('検索機能 iPhone用ケース 字')).toBe('検索 索機 機能 iphone 用ケ ケー ース 字')
  })

  test('cuts a word that Postgres could not index', () => {
    const [long, next] = wordsOf(normaliseText(`${'𐐨'.repeat(5_000)} next`))
    expect(Buffer.byteLength(long!)).toBeLessThan(2_047)
    expect([...long!]).toHaveLength(100)
    expect(next).toBe('next')
  })

  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc
      .array(
        fc.constantFrom('C', '++', '#', '.', 'net', 'objectivec', ' ', 'aB', 'X', '1', '\u0301', '検', 'ß', 'İ', '-'),
      )
      .map((parts) => parts.join('')),
  )

  test('is nothing but words with single spaces between them, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const normalised = normaliseText(text)
        expect(normalised).not.toMatch(/[\p{P}\p{S}\p{C}\p{Me}\p{Lu}]/u)
        expect(normalised).toMatch(/^(?:[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?: [\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*)?$/u)
        for (const word of wordsOf(normalised)) expect(Buffer.byteLength(word)).toBeLessThan(2_047)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['marks that must be sorted', 'a', '\u0345\u0301\u0316'],
    ['camel case', '', 'aB'],
    ['one word', '', 'x'],
    ['aliases', '', 'objective c++ .net'],
    ['beginnings of aliases', '', 'objective '],
    ['punctuation', '', '.#+'],
    ['no spaces', '', '検'],
    ['spaces', '', ' '],
  ])('takes linear time: %s', (_, start, piece) => {
    const text = (start + piece.repeat(1_000_000)).slice(0, 400_000)
    // In quadratic time it would take longer than a test may.
    expect(normaliseText(text)).toEqual(expect.any(String))
  })
})
