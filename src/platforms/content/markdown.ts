import type { Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import { htmlToPlainText } from './html.ts'
import { withoutFillers } from './markdown-fillers.ts'
import { capBytes, textLimitBytes, withoutSpoilerMarks } from './plain-text.ts'

/** Hosts that serve images without a telling file ending. */
const imageHosts =
  /^https?:\/\/(?:(?:private-)?user-images\.githubusercontent\.com|github\.com\/user-attachments\/assets|i\.imgur\.com|i\.redd\.it|preview\.redd\.it|i\.(?:stack\.imgur\.com|sstatic\.net))\//i
const imageEnding = /\.(?:png|jpe?g|gif|webp|svg|bmp|avif|heic)(?:[?#].*)?$/i
/** The dashes below a table's head. */
const tableRule = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*$/m

/** Drops what readers do not see from a parsed line: spoiler marks, image attributes and image addresses. */
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

/** Spoiler marks of Discourse and Reddit; a pair may span two texts around other markup. */
function readSpoilers(children: Token[]): void {
  const texts = children.filter(({ type }) => type === 'text')
  // The parser's texts have no line breaks.
  const joined = texts.map(({ content }) => content).join('\n')
  const read = withoutSpoilerMarks(joined).split('\n')
  for (const [index, token] of texts.entries()) token.content = read[index] ?? ''
}

/** Lemmy: `::: spoiler title` and its closing `:::`, each on a line. */
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

/** Drops the break of a line that became empty. */
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

/** `>!…!<` at the start of a line is a Reddit spoiler, but parsed as a quotation of `!…!<`. */
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

/** Escaping makes rendered Markdown larger than its source, in some constructs without bound. */
const renderedLimitBytes = 4 * textLimitBytes

// `Array<string>` or XML in Markdown is meant as text, although the parser sees a tag.
const htmlTags = new Set(
  `a abbr b blockquote br center cite code dd del details div dl dt em font g-emoji h1 h2 h3 h4 h5 h6 hr i img input ins
  kbd li mark ol p picture pre q s samp script small source span strike strong style sub summary sup svg table tbody td
  tfoot th thead tr tt u ul var video`.split(/\s+/),
)

/** A single capital letter is a type, as in `List<T>`, not a tag. Comments stay, to be dropped later. */
function escapeOtherTags(source: string): string {
  return source.replace(/<(?!!--)\/?([A-Za-z][\w.:-]*)?/g, (start, name = '') =>
    htmlTags.has(name.length === 1 ? name : name.toLowerCase()) ? start : `&lt;${start.slice(1)}`,
  )
}

/** @param breaks keeps single line breaks */
function createMarkdown(breaks: boolean) {
  // Tables stay as typed: readable enough, and the only construct that can take markdown-it half a second.
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

/** Like `htmlToPlainText`, without empty template sections. Keeps single line breaks, as in GitHub issues. */
export const markdownToPlainText = (source: string): string => render(breaking, source)

/** Like `markdownToPlainText`, with single line breaks as spaces: Reddit, Lemmy and GitLab. */
export const flowingMarkdownToPlainText = (source: string): string => render(flowing, source)
