import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cleanTags,
  escapedTitle,
  firstSentence,
  htmlToPlainText,
  markdownToPlainText,
  plainText,
  plainTitle,
  textLimitBytes,
} from './text.ts'

describe('HTML becomes readable text', () => {
  it('decodes entities, keeps paragraphs, code and link texts', () => {
    const text = htmlToPlainText(
      'I&#x27;d like <i>tabs</i>.<p>See <a href="https://a.example/x?utm=1">the plan</a><pre><code>if (a &lt; b)\n  c()</code></pre>',
    )
    expect(text).toBe("I'd like tabs.\n\nSee the plan\n\nif (a < b)\n  c()")
  })

  it('drops images, scripts, styles and comments', () => {
    expect(htmlToPlainText('a<img src="x" alt="pixel"><script>evil()</script><style>b{}</style><!-- c --> d')).toBe(
      'a d',
    )
  })

  it('keeps the text around a body tag', () => {
    expect(htmlToPlainText('one <body>two</body> three')).toBe('one two three')
  })

  it('separates the cells and rows of a table, however large their spans', () => {
    const text = htmlToPlainText('<table><tr><td colspan="999999999">a</td><td>b</td></tr><tr><td>c</td></tr></table>')
    expect(text.split(/\s+/)).toEqual(['a', 'b', 'c'])
  })
})

describe('Markdown becomes readable text', () => {
  it('keeps words, code and line breaks, and drops marks, images and link targets', () => {
    const source =
      '# Title\r\n\r\n**Please** add `a < b`\nand [docs](https://a.example) ![shot](https://a.example/p.png)'
    expect(markdownToPlainText(source)).toBe('Title\n\nPlease add a < b\nand docs')
  })

  it('covers the HTML inside it', () => {
    const source = '<!-- template --><details><summary>More</summary>\n\n*in* &amp; out\n</details>'
    expect(markdownToPlainText(source).split(/\s+/)).toEqual(['More', 'in', '&', 'out'])
  })

  it('keeps what only looks like a tag: types and XML', () => {
    const source =
      'A `x<y>` and Array<string>, List<P>, <BR>not <b>bold</b>\n\n<?xml version="1.0"?>\n<Document a="1">v</Document>'
    const text = markdownToPlainText(source).replace(/\s+/g, ' ')
    expect(text).toBe('A x<y> and Array<string>, List<P>, not bold <?xml version="1.0"?> <Document a="1">v</Document>')
  })

  it('keeps the end of a long text that grows when it is rendered', () => {
    expect(markdownToPlainText(`${'"a" & <b '.repeat(5_000)} the end`)).toMatch(/the end$/)
  })

  it('shows a table as it was typed', () => {
    expect(markdownToPlainText('| a | b |\n|---|---|\n| 1 | 2 |')).toContain('| 1 | 2 |')
  })
})

describe('text is fit to store', () => {
  it('has no control characters, also none that entities hide, and keeps tabs and line breaks', () => {
    expect(plainText('a\0b\u0001\u001b[0m\tc\r\nd\re\u007f\u0085')).toBe('ab[0m\tc\nd\ne')
    expect(htmlToPlainText('a&#0;b&#1;c&#x1b;d')).not.toMatch(/[^\P{Cc}\n]/u)
  })

  it('has no lone surrogates and keeps whole characters', () => {
    expect(plainText('a\ud800b\udc00c\u{1f600}')).toBe('abc\u{1f600}')
    expect(htmlToPlainText('a&#xd800;b').isWellFormed()).toBe(true)
  })

  it('has at most two empty lines in a row, and none at its ends', () => {
    expect(plainText('\n\n a\n\n\n \t\n\n\nb\n\n\nc\n')).toBe('a\n\n\nb\n\n\nc')
  })

  it('has at most 64 KiB and never half a character', () => {
    for (const clean of [plainText, htmlToPlainText, markdownToPlainText]) {
      const text = clean(`x${'\u{1f600}'.repeat(30_000)}`)
      expect(Buffer.byteLength(text)).toBeGreaterThan(textLimitBytes - 10)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(textLimitBytes)
      expect(text.isWellFormed()).toBe(true)
    }
    // Indentation makes the text larger than its source.
    const grown = htmlToPlainText('<ul><li>'.repeat(20) + '<br>a'.repeat(13_000))
    expect(Buffer.byteLength(grown)).toBeGreaterThan(textLimitBytes - 100)
    expect(Buffer.byteLength(grown)).toBeLessThanOrEqual(textLimitBytes)
  })

  it('holds for anything', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'<>&;#*[]()`!\\_\n a\0\ud800') }),
    )
    fc.assert(
      fc.property(anything, (source) => {
        for (const clean of [
          plainText,
          htmlToPlainText,
          markdownToPlainText,
          plainTitle,
          escapedTitle,
          firstSentence,
        ]) {
          const text = clean(source)
          expect(text).not.toMatch(/[^\P{Cc}\n\t]|\p{Surrogate}/u)
          expect(text).toBe(text.trim())
        }
      }),
    )
  })
})

describe('hostile text is read in bounded time', () => {
  const fill = (piece: string) => piece.repeat(Math.ceil(textLimitBytes / piece.length)).slice(0, textLimitBytes)
  const pieces = [
    '<div>',
    '</b>',
    '<',
    '<a ',
    '&#',
    '<!--',
    '[',
    '![[',
    '[a](',
    '*',
    '*a',
    '**a b* ',
    '_a_',
    '`',
    '> ',
    '- ',
    '\\',
    ' ',
    '\n',
    '|\n',
  ]
  const sources = [
    ...pieces.map(fill),
    '<div>'.repeat(10_000),
    `a|a\n-|-\n${fill('|\n')}`,
    `${'> '.repeat(100)}${fill('a\n')}`,
    `\n${fill(' ')}x`,
  ]

  it.each(sources.map((source) => [JSON.stringify(source.slice(0, 12)), source]))('%s', (_name, source) => {
    for (const clean of [htmlToPlainText, markdownToPlainText, plainText, escapedTitle, firstSentence]) {
      expect(clean(source)).toEqual(expect.any(String))
    }
  })

  it('also when it is far over the cap', () => {
    const source = '*a<b '.repeat(2_000_000)
    for (const clean of [htmlToPlainText, markdownToPlainText, plainText, plainTitle, escapedTitle]) {
      expect(clean(source)).toEqual(expect.any(String))
    }
  })
})

describe('titles', () => {
  it('are one line of at most 500 characters', () => {
    expect(plainTitle('  a\n\tb\0  c\u2028d\r\ne ')).toBe('a b c d e')
    expect([...plainTitle('\u{1f600}'.repeat(600))]).toHaveLength(500)
  })

  it('of plain text are not changed', () => {
    expect(plainTitle('Support Array<string> &amp; co')).toBe('Support Array<string> &amp; co')
  })

  it('that are HTML-escaped are decoded, once', () => {
    expect(escapedTitle('&lt;div&gt; isn&#39;t  &quot;x&quot; &amp;amp; a < b <c>')).toBe(
      '<div> isn\'t "x" &amp; a < b <c>',
    )
  })
})

describe('a title for what has none', () => {
  it('is the first sentence or line', () => {
    expect(firstSentence('Please add v1.5 tabs. They help.\nBye')).toBe('Please add v1.5 tabs.')
    expect(firstSentence('\n first line\nsecond line')).toBe('first line')
    expect(firstSentence('')).toBe('')
  })

  it('has at most 120 characters and ends between two words', () => {
    const title = firstSentence('lorem ipsum '.repeat(50))
    expect(title.length).toBeLessThanOrEqual(120)
    expect(title).toMatch(/ (lorem|ipsum)…$/)
    expect([...firstSentence('\u{1f600}'.repeat(300))]).toHaveLength(120)
  })
})

describe('tags', () => {
  it('are strings, trimmed, each once', () => {
    expect(cleanTags([' ui ', 'ui', '', null, 7, { name: 'x' }, 'a\0b'])).toEqual(['ui', 'ab'])
  })

  it('are at most 50 of at most 100 characters', () => {
    const tags = cleanTags(Array.from({ length: 80 }, (_, index) => `${index}${'x'.repeat(200)}`))
    expect(tags).toHaveLength(50)
    expect(tags[0]).toHaveLength(100)
  })
})
