import MarkdownIt from 'markdown-it'
import { htmlToPlainText } from './html.ts'
import { withoutFillers } from './markdown-fillers.ts'
import { readInlineAsShown } from './markdown-inline.ts'
import { withoutQuotedSpoilers } from './markdown-spoilers.ts'
import { capBytes, textLimitBytes } from './plain-text.ts'

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
