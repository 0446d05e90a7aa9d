import { compile } from 'html-to-text'
import MarkdownIt from 'markdown-it'

/** Texts of platforms are parsed and stored up to this size, in UTF-8 bytes (the storage rule of the whole service). */
export const textLimitBytes = 64 * 1024
/** Escaping makes rendered Markdown larger than its source, some constructs without measure. */
const renderedLimitBytes = 4 * textLimitBytes
/** Titles are single lines of at most this many characters. */
export const titleLimit = 500
const titleSourceLimitBytes = 8 * 1024
const tagLimit = 100
const tagCountLimit = 50

// `breaks`: GitHub, GitLab and Lemmy show a line break in an issue as one. Tables stay as typed: they are readable as
// text, and a table of many rows is the only construct that takes markdown-it half a second.
const markdown = new MarkdownIt({ html: true, breaks: true, maxNesting: 40 }).disable('table')

// `Array<string>` or a piece of XML in Markdown is meant as text, although the parser reads it as a tag.
const htmlTags = new Set(
  `a abbr b blockquote br center cite code dd del details div dl dt em font g-emoji h1 h2 h3 h4 h5 h6 hr i img input ins
  kbd li mark ol p picture pre q s samp script small source span strike strong style sub summary sup svg table tbody td
  tfoot th thead tr tt u ul var video`.split(/\s+/),
)
markdown.renderer.rules.html_inline = (tokens, index) => escapeOtherTags(tokens[index]!.content)
markdown.renderer.rules.html_block = markdown.renderer.rules.html_inline

const html = compile({
  wordwrap: false,
  // A text that contains `<body>` must not hide the text around it.
  baseElements: { selectors: ['wishwell-root'], returnDomByDefault: true },
  // Deeper than this is an attack on the stack, not a text.
  limits: { maxDepth: 64, ellipsis: '' },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
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
 * HTML as readable plain text: entities decoded, code kept, links by their text, images, scripts and comments dropped.
 * @param source at most 64 KiB of it are read.
 */
export function htmlToPlainText(source: string): string {
  return plainText(html(capBytes(source, textLimitBytes)))
}

/** Markdown, with the HTML in it, as readable plain text; the same rules as `htmlToPlainText`. */
export function markdownToPlainText(source: string): string {
  const rendered = markdown.render(capBytes(source, textLimitBytes))
  return plainText(html(capBytes(rendered, renderedLimitBytes)))
}

/**
 * Plain text that is safe to store: no NUL or other control characters, no lone surrogates (each of them
 * fails a whole batch in Postgres), at most two empty lines in a row, at most 64 KiB.
 */
export function plainText(source: string): string {
  const text = withoutControls(capBytes(source, textLimitBytes))
  return text.replace(/\n(?:[ \t]*\n){3,}/g, '\n\n\n').trim()
}

/** A title of plain text: one line of at most 500 characters. */
export function plainTitle(source: string): string {
  return singleLine(source, titleLimit)
}

/** A title of HTML-escaped text, as Stack Exchange sends it: `&lt;div&gt;` becomes `<div>`. */
export function escapedTitle(source: string): string {
  // It has no tags: a bracket that is not escaped is text too, and spaces are preserved.
  const escaped = capBytes(source, titleSourceLimitBytes).replaceAll('<', '&lt;')
  return singleLine(html(`<pre>${escaped}</pre>`), titleLimit)
}

/**
 * A title for a request without one: the first sentence, or the first line when that is shorter.
 * @param limit in characters; a longer sentence is cut between two words where it can be, and ends with "…".
 */
export function firstSentence(description: string, limit = 120): string {
  const start = description.trim().slice(0, 8 * limit)
  const [sentence] = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(start)
  const characters = [...singleLine(sentence?.segment ?? '', titleLimit)]
  if (characters.length <= limit) return characters.join('')
  const cut = characters.slice(0, limit - 1).join('')
  const lastSpace = cut.lastIndexOf(' ')
  return `${(lastSpace > cut.length / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`
}

/** Tags that can be stored: strings only, trimmed, each once, at most 50 of at most 100 characters. */
export function cleanTags(values: Iterable<unknown>): string[] {
  const tags = new Set<string>()
  for (const value of values) {
    const tag = typeof value === 'string' ? singleLine(value, tagLimit) : ''
    if (tag !== '') tags.add(tag)
    if (tags.size === tagCountLimit) break
  }
  return [...tags]
}

/** One letter in upper case is a type, as in `List<T>`, not a tag. Comments stay, to be dropped. */
function escapeOtherTags(source: string): string {
  return source.replace(/<(?!!--)\/?([A-Za-z][\w.:-]*)?/g, (start, name = '') =>
    htmlTags.has(name.length === 1 ? name : name.toLowerCase()) ? start : `&lt;${start.slice(1)}`,
  )
}

/** Line breaks become spaces; other white space stays. */
function singleLine(source: string, limit: number): string {
  const line = withoutControls(source.slice(0, 16 * limit))
    .replace(/[\n\t\u2028\u2029]+/g, ' ')
    .trim()
  return line.length <= limit ? line : [...line].slice(0, limit).join('').trimEnd()
}

function withoutControls(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\p{Surrogate}/gu, '')
}

/** The longest start of a text that fits into `limitBytes` of UTF-8, never half a character. */
function capBytes(text: string, limitBytes: number): string {
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= limitBytes || Buffer.byteLength(text) <= limitBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limitBytes))
  return text.slice(0, read)
}
