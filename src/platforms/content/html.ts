import { compile, type FormatCallback } from 'html-to-text'
import { capBytes, plainText, singleLine, textLimitBytes, titleLimit } from './plain-text.ts'

const titleSourceLimitBytes = 8 * 1024
const addressLimit = 2_000

interface Link {
  attribs?: Record<string, string>
  children?: Array<{ type?: string; data?: string }>
}

/** A link is its text, except where that is its address cut short, as Hacker News shows long ones: then it is the address. */
const formatLink: FormatCallback = (element, walk, builder) => {
  const address = addressCutShort(element as Link)
  if (address === null) walk(element.children, builder)
  else builder.addInline(address, { noWordTransform: true })
}

function addressCutShort({ attribs, children = [] }: Link): string | null {
  const [only, ...others] = children
  const shown =
    only?.type === 'text' && others.length === 0 ? /^(.{4,}?)(?:\.{3}|…)$/u.exec(only.data?.trim() ?? '') : null
  const address = attribs?.href?.trim() ?? ''
  if (!shown || address.length > addressLimit || !/^https?:\/\/\S+$/i.test(address)) return null
  const bare = (text: string) => text.replace(/^https?:\/\//i, '').replace(/^www\./i, '')
  return bare(address).startsWith(bare(shown[1]!)) ? address : null
}

const convert = compile({
  wordwrap: false,
  // A no-break space is white space to a reader.
  whitespaceCharacters: ' \t\r\n\f\u200b\u00a0\ufeff',
  // A text that contains `<body>` must not hide the text around it.
  baseElements: { selectors: ['wishwell-root'], returnDomByDefault: true },
  // Deeper than this is an attack on the stack, not a text.
  limits: { maxDepth: 64, ellipsis: '' },
  formatters: { link: formatLink },
  selectors: [
    { selector: 'a', format: 'link' },
    { selector: 'img', format: 'skip' },
    { selector: 'hr', options: { length: 3 } },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    // Not the library's own tables: `colspan` lets a page ask for any amount of memory.
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'block' },
    { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
    { selector: 'th', format: 'inlineSurround', options: { suffix: ' ' } },
  ],
})

/**
 * HTML as readable plain text: entities decoded, white space collapsed, code as it is, links by their text, images, scripts and
 * comments dropped.
 * @param source at most `limitBytes` of it are read.
 */
export function htmlToPlainText(source: string, limitBytes = textLimitBytes): string {
  return plainText(convert(capBytes(source, limitBytes)))
}

/** A title of HTML-escaped text, as Stack Exchange sends it: `&lt;div&gt;` becomes `<div>`. */
export function escapedTitle(source: string): string {
  // It has no tags: a bracket that is not escaped is text too.
  const escaped = capBytes(source, titleSourceLimitBytes).replaceAll('<', '&lt;')
  return singleLine(convert(`<pre>${escaped}</pre>`), titleLimit)
}
