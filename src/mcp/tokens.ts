/** What a tokenizer seldom splits further: the start of a word, up to three digits, one other character. */
const piece = / ?[A-Za-z]{1,3}|\d{1,3}|./gsu

const tokensOf = (text: string): number => (text.charCodeAt(0) < 0x80 ? 1 : Buffer.byteLength(text))

/** Estimates tokens, rather too many: of those of `o200k_base`, prose about twice, random letters two thirds. */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [part] of text.matchAll(piece)) tokens += tokensOf(part)
  return tokens
}

/** Cuts a text to at most `limit` estimated tokens, with `…` if cut. */
export function clip(text: string, limit: number): string {
  let tokens = 0
  for (const { 0: part, index } of text.matchAll(piece)) {
    tokens += tokensOf(part)
    if (tokens > limit) return `${text.slice(0, index).trimEnd()}…`
  }
  return text
}
