import { compile, type FormatCallback } from 'html-to-text'
import { capBytes, plainText, plainTitle, textLimitBytes } from './plain-text.ts'

const titleSourceLimitBytes = 8 * 1024
const addressLimit = 2_000

interface Node {
  type?: string
  name?: string
  data?: string
  attribs?: Record<string, string>
  children?: Node[]
}

/** Shows a link's text, or its address if the text is the address cut short, as on Hacker News. */
const formatLink: FormatCallback = (element, walk, builder) => {
  const address = addressCutShort(element as Node)
  if (address === null) walk(element.children, builder)
  else builder.addInline(address, { noWordTransform: true })
}

function addressCutShort({ attribs, children = [] }: Node): string | null {
  const [only, ...others] = children
  const shown =
    only?.type === 'text' && others.length === 0 ? /^(.{4,}?)(?:\.{3}|…)$/u.exec(only.data?.trim() ?? '') : null
  const address = attribs?.href?.trim() ?? ''
  if (!shown || address.length > addressLimit || !/^https?:\/\/\S+$/i.test(address)) return null
  const bare = (text: string) => text.replace(/^https?:\/\//i, '').replace(/^www\./i, '')
  return bare(address).startsWith(bare(shown[1]!)) ? address : null
}

/** An empty paragraph is not shown on a page, so it is no empty line. */
const formatParagraph: FormatCallback = (element, walk, builder, options) => {
  if ((element as Node).children?.every(isBlank)) return
  builder.openBlock({ leadingLineBreaks: options.leadingLineBreaks ?? 2 })
  walk(element.children, builder)
  builder.closeBlock({ trailingLineBreaks: options.trailingLineBreaks ?? 2 })
}

const isBlank = ({ type, name, data }: Node) =>
  type === 'text' ? /^[\s\u200b]*$/.test(data ?? '') : name === 'br' || name === 'img'

const convert = compile({
  wordwrap: false,
  // Readers see a no-break space as white space.
  whitespaceCharacters: ' \t\r\n\f\u200b\u00a0\ufeff',
  // A text with `<body>` must not hide the text around it.
  baseElements: { selectors: ['wishwell-root'], returnDomByDefault: true },
  // Deeper nesting attacks the stack.
  limits: { maxDepth: 64, ellipsis: '' },
  formatters: { link: formatLink, shownParagraph: formatParagraph },
  selectors: [
    { selector: 'a', format: 'link' },
    { selector: 'p', format: 'shownParagraph' },
    { selector: 'img', format: 'skip' },
    { selector: 'hr', options: { length: 3 } },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false, leadingLineBreaks: 2 },
    })),
    // The library's tables let `colspan` take any amount of memory.
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'block' },
    { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
  ],
})

/** Plain text without images, scripts and comments; links by their text. @param limitBytes how much is read */
export function htmlToPlainText(source: string, limitBytes = textLimitBytes): string {
  return plainText(convert(capBytes(source, limitBytes)))
}

/** Unescapes an HTML-escaped title, as in Stack Exchange: `&lt;div&gt;` becomes `<div>`. */
export function escapedTitle(source: string): string {
  // It has no tags: an unescaped bracket is text too.
  const escaped = capBytes(source, titleSourceLimitBytes).replaceAll('<', '&lt;')
  return plainTitle(convert(`<pre>${escaped}</pre>`))
}
