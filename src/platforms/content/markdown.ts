import type { Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import { htmlToPlainText } from './html.ts'
import { withoutFillers } from './markdown-fillers.ts'
import { capBytes, textLimitBytes, withoutSpoilerMarks } from './plain-text.ts'

/** The hosts whose addresses are images although they may have no ending that says so. */
const imageHosts =
  /^https?:\/\/(?:(?:private-)?user-images\.githubusercontent\.com|github\.com\/user-attachments\/assets|i\.imgur\.com|i\.redd\.it|preview\.redd\.it|i\.(?:stack\.imgur\.com|sstatic\.net))\//i
const imageEnding = /\.(?:png|jpe?g|gif|webp|svg|bmp|avif|heic)(?:[?#].*)?$/i
/** A row of dashes under the head of a table. */
const tableRule = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*$/m

/** Leaves out of the parsed line of a paragraph what a reader does not see: spoiler marks, image attributes and image addresses. */
function readInlineAsShown(content: string, children: Token[]): void {
  if (tableRule.test(content)) for (const token of children) if (isBreak(token)) token.type = 'hardbreak'
  if (content.includes(':::')) readDirectives(children)
  if (/\[\/?(?:spoiler|details)|>!/i.test(content)) readSpoilers(children)
  for (const [index, token] of children.entries()) {
    if (token.type !== 'text') continue
    if (children[index - 1]?.type === 'image') token.content = token.content.replace(imageAttributes, '')
    token.content = withoutImageAddresses(token.content.replace(/[\u200b\u2060\ufeff]/g, ''))
  }
  dropEmptyLines(children)
}

/** `{width=300 height=200}` and `{.class #id}` after an image (GitLab, "Change image or video dimensions"). */
const imageAttributes = /^\{(?:\s*(?:[\w-]+\s*=\s*(?:"[^"\n]{0,80}"|[^\s"{}]{1,80})|[.#][\w-]+))+\s*\}/

function withoutImageAddresses(text: string): string {
  if (!text.includes('://')) return text
  return text.replace(/https?:\/\/[^\s<>"']+/gi, (address) => {
    const trailing = /[),.;:!?\]]{0,9}$/.exec(address)![0]
    const bare = address.slice(0, address.length - trailing.length)
    return imageHosts.test(bare) || imageEnding.test(bare) ? trailing : address
  })
}

/** The marks of Discourse's and Reddit's spoilers, which may stand in two texts around another mark. */
function readSpoilers(children: Token[]): void {
  const texts = children.filter(({ type }) => type === 'text')
  // A text of the parser has no line break.
  const joined = texts.map(({ content }) => content).join('\n')
  const read = withoutSpoilerMarks(joined).split('\n')
  for (const [index, token] of texts.entries()) token.content = read[index] ?? ''
}

/** Lemmy: `::: spoiler title` and the `:::` that ends it, each a line. */
function readDirectives(children: Token[]): void {
  for (const [index, token] of children.entries()) {
    const startsLine = index === 0 || isBreak(children[index - 1])
    if (token.type !== 'text' || !startsLine || !/^\s*:{3,}/.test(token.content)) continue
    token.content = token.content.replace(/^\s*:{3,}\s*(?:spoiler\b\s*)?/i, '')
    const end = children.findIndex((other, position) => position > index && isBreak(other))
    if (end >= 0) children[end]!.type = 'hardbreak'
    if (index > 0) children[index - 1]!.type = 'hardbreak'
  }
}

const isBreak = (token: Token | undefined) => token?.type === 'softbreak' || token?.type === 'hardbreak'

/** A line of which nothing is left is no line: its break goes too. */
function dropEmptyLines(children: Token[]): void {
  const left: Token[] = []
  let isEmptied = false
  for (const token of children) {
    if (token.type === 'text' && token.content.trim() === '' && (left.length === 0 || isBreak(left.at(-1))))
      isEmptied = true
    else if (isBreak(token) && isEmptied && (left.length === 0 || isBreak(left.at(-1)))) isEmptied = false
    else {
      isEmptied = false
      left.push(token)
    }
  }
  while (isBreak(left.at(-1))) left.pop()
  children.splice(0, children.length, ...left)
}

/** `>!…!<` at the start of a line is a spoiler of Reddit, although the parser reads it as a quotation of `!…!<`. */
function withoutQuotedSpoilers(tokens: Token[]): void {
  const isQuotedSpoiler: boolean[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'blockquote_open') {
      const inline = tokens[index + 2]
      const isSpoiler = inline?.type === 'inline' && /^![\s\S]*!</.test(inline.content)
      isQuotedSpoiler.push(isSpoiler)
      if (!isSpoiler) continue
      token.tag = 'div'
      const first = inline.children?.find(({ type }) => type === 'text')
      if (first) first.content = first.content.replace(/^!/, '>!')
      inline.content = `>${inline.content}`
    } else if (token.type === 'blockquote_close' && isQuotedSpoiler.pop()) token.tag = 'div'
  }
}

/** Escaping makes rendered Markdown larger than its source, some constructs without measure. */
const renderedLimitBytes = 4 * textLimitBytes

// `Array<string>` or a piece of XML in Markdown is meant as text, although the parser reads it as a tag.
const htmlTags = new Set(
  `a abbr b blockquote br center cite code dd del details div dl dt em font g-emoji h1 h2 h3 h4 h5 h6 hr i img input ins
  kbd li mark ol p picture pre q s samp script small source span strike strong style sub summary sup svg table tbody td
  tfoot th thead tr tt u ul var video`.split(/\s+/),
)

/** One letter in upper case is a type, as in `List<T>`, not a tag. Comments stay, to be dropped. */
function escapeOtherTags(source: string): string {
  return source.replace(/<(?!!--)\/?([A-Za-z][\w.:-]*)?/g, (start, name = '') =>
    htmlTags.has(name.length === 1 ? name : name.toLowerCase()) ? start : `&lt;${start.slice(1)}`,
  )
}

/** @param breaks whether a single line break is shown as one. */
function createMarkdown(breaks: boolean) {
  // Tables stay as typed: they are readable as text, and a table of many rows is the only construct that takes markdown-it
  // half a second.
  const markdown = new MarkdownIt({ html: true, breaks, maxNesting: 40 }).disable('table')
  markdown.renderer.rules.html_inline = (tokens, index) => escapeOtherTags(tokens[index]!.content)
  markdown.renderer.rules.html_block = markdown.renderer.rules.html_inline
  markdown.core.ruler.push('as_shown', (state) => {
    state.tokens = withoutFillers(state.tokens)
    withoutQuotedSpoilers(state.tokens)
    for (const { type, content, children } of state.tokens) {
      if (type === 'inline' && children) readInlineAsShown(content, children)
    }
  })
  return markdown
}

const breaking = createMarkdown(true)
const flowing = createMarkdown(false)

const render = (markdown: typeof breaking, source: string) =>
  htmlToPlainText(markdown.render(capBytes(source, textLimitBytes)), renderedLimitBytes)

/**
 * Markdown, with the HTML in it, as readable plain text: the rules of `htmlToPlainText`; empty sections of templates, spoiler
 * marks and addresses of images are left out. A single line break stays one, as in issues of GitHub.
 */
export const markdownToPlainText = (source: string): string => render(breaking, source)

/** As `markdownToPlainText`, where a single line break inside a paragraph is a space: Reddit, Lemmy and GitLab. */
export const flowingMarkdownToPlainText = (source: string): string => render(flowing, source)
