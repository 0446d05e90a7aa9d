/** What a tokenizer seldom splits further: the beginning of a word, up to three digits, one other character. */
const piece = / ?[A-Za-z]{1,3}|\d{1,3}|./gsu

const tokensOf = (text: string): number => (text.charCodeAt(0) < 0x80 ? 1 : Buffer.byteLength(text))

/**
 * How many tokens a text is for a model, rather more than less: tokenizers differ, and a byte is the smallest token of all of them. Prose is
 * counted at about twice, random letters at two thirds of what `o200k_base` makes of them.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [part] of text.matchAll(piece)) tokens += tokensOf(part)
  return tokens
}

/** The beginning of a text, in at most `limit` estimated tokens, with `…` where it is cut. */
export function clip(text: string, limit: number): string {
  let tokens = 0
  for (const { 0: part, index } of text.matchAll(piece)) {
    tokens += tokensOf(part)
    if (tokens > limit) return `${text.slice(0, index).trimEnd()}…`
  }
  return text
}
