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
    ['Поиск ЁЖ й हिन्दी', 'поиск еж й हिन्दी'],
  ])('has only letters, digits and their marks, in one form: %j', (text, normalised) => {
    expect(normaliseText(text)).toBe(normalised)
  })

  test.each([
    ['العـــربية', 'العربية'],
    ['table ١٢٣ ۱۲۳ १२३', 'table 123'],
    ['أحمد آمن', 'احمد امن'],
    ['کتاب مکتبی', 'كتاب مكتبى'],
    ['שלום ספריות', 'שלומ ספריות'],
    ['Ёлка', 'елка'],
    ['Σίσυφος', 'σισυφοσ'],
  ])('has the spellings of one word in one form: %s', (one, other) => {
    const words = (text: string) => [...new Set(wordsOf(normaliseText(text)))]
    expect(words(one)).toEqual(words(other))
  })

  test('has a decimal digit of every script as it is in ASCII', () => {
    const collator = new Intl.Collator('en', { usage: 'search', sensitivity: 'base' })
    const digits = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
      /\p{Nd}/u.test(one),
    )
    expect(digits.length).toBeGreaterThan(600)
    expect(digits.filter((digit) => collator.compare(normaliseText(digit), digit) !== 0)).toEqual([])
    expect(digits.filter((digit) => !/^[0-9]$/.test(normaliseText(digit)))).toEqual([])
  })

  test('has a word with a zero width non-joiner whole and in parts, in Arabic letters only', () => {
    expect(normaliseText('می\u200cخواهم')).toBe('ميخواهم مي خواهم')
    expect(normaliseText('مِی\u200cخواهَم')).toBe('ميخواهم مي خواهم')
    expect(normaliseText('خانهٔ\u200cما')).toBe('خانهما خانه ما')
    expect(normaliseText('क्\u200cष')).toBe('क्ष')
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
    ['zero width non-joiners', 'م', '\u200c'],
    ['joined letters', '', 'م\u200c'],
    ['digits', '', '٣'],
  ])('takes linear time: %s', (_, start, piece) => {
    const text = (start + piece.repeat(1_000_000)).slice(0, 400_000)
    // In quadratic time it would take longer than a test may.
    expect(normaliseText(text)).toEqual(expect.any(String))
  })
})

describe('letters', () => {
  const collator = new Intl.Collator('en', { usage: 'search', sensitivity: 'base' })
  const lettersOf = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)).filter(
      (letter) => /\p{L}/u.test(letter) && letter === letter.toLowerCase() && letter === letter.normalize('NFKC'),
    )
  /** Told apart by the collation, and one letter here (decision 097). */
  const one = [
    ['ی', 'ي', 'ى', 'ئ', 'ۦ'],
    ['ک', 'ك'],
  ]
  const areOne = (a: string, b: string) => one.some((group) => group.includes(a) && group.includes(b))

  test.each([
    ['Latin', [...lettersOf(0x61, 0x7a), ...lettersOf(0xdf, 0x17f)]],
    ['Greek', [...lettersOf(0x3ac, 0x3ce), ...lettersOf(0x1f00, 0x1fff)]],
    ['Cyrillic', lettersOf(0x430, 0x52f)],
    ['Hebrew', lettersOf(0x5d0, 0x5ea)],
    ['Arabic', [...lettersOf(0x621, 0x64a), ...lettersOf(0x671, 0x6ff)].filter((letter) => letter !== '\u0640')],
  ])('of %s are equal where they are to Unicode, and only there', (_script, letters) => {
    const wrong: string[] = []
    for (const [index, a] of letters.entries()) {
      for (const b of letters.slice(0, index)) {
        const isEqual = normaliseText(a) === normaliseText(b)
        // ı and i are told apart in Turkish only.
        if (areOne(a, b) || [a, b].includes('ı')) continue
        if (isEqual !== (collator.compare(a, b) === 0)) wrong.push(`${a} ${b}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('of one sound on the keyboards of Arabic and Persian are equal', () => {
    expect(['ي', 'ی', 'ى', 'ئ'].map((letter) => normaliseText(letter))).toEqual(['ي', 'ي', 'ي', 'ي'])
    expect(['ك', 'ک'].map((letter) => normaliseText(letter))).toEqual(['ك', 'ك'])
  })
})
