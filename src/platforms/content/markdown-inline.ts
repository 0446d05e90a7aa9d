import type { Token } from 'markdown-it'
import { withoutSpoilerMarks } from './spoiler-marks.ts'

/** The hosts whose addresses are images although they may have no ending that says so. */
const imageHosts =
  /^https?:\/\/(?:(?:private-)?user-images\.githubusercontent\.com|github\.com\/user-attachments\/assets|i\.imgur\.com|i\.redd\.it|preview\.redd\.it|i\.(?:stack\.imgur\.com|sstatic\.net))\//i
const imageEnding = /\.(?:png|jpe?g|gif|webp|svg|bmp|avif|heic)(?:[?#].*)?$/i
/** A row of dashes under the head of a table. */
const tableRule = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*$/m

/** Leaves out of the parsed line of a paragraph what a reader does not see: spoiler marks, image attributes and image addresses. */
export function readInlineAsShown(content: string, children: Token[]): void {
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
