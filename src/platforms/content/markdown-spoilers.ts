import type { Token } from 'markdown-it'

/** `>!…!<` at the start of a line is a spoiler of Reddit, although the parser reads it as a quotation of `!…!<`. */
export function withoutQuotedSpoilers(tokens: Token[]): void {
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
