export type HtmlStyle = 'hackernews' | 'stackexchange'

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes as the platform does: they differ in the numeric entities. */
export function escapeHtml(text: string, style: HtmlStyle): string {
  if (style === 'stackexchange') return text.replace(/[&<>"']/g, (character) => named[character] ?? '&#39;')
  return text.replace(/[&<>"'/]/g, (character) => named[character] ?? (character === '/' ? '&#x2F;' : '&#x27;'))
}

/** Turns paragraphs and ``` blocks into the platform's HTML: Hacker News never closes a paragraph. */
export function htmlFromText(text: string, style: HtmlStyle): string {
  const blocks = text.split('\n\n').map((block) => {
    const code = /^```\w*\n([\s\S]*?)\n```$/.exec(block)
    return code ? `<pre><code>${escapeHtml(code[1]!, style)}\n</code></pre>` : { plain: escapeHtml(block, style) }
  })
  if (style === 'stackexchange') {
    const closed = blocks.map((block) => (typeof block === 'string' ? block : `<p>${block.plain}</p>`))
    return `${closed.join('\n\n')}\n`
  }
  return blocks.map((block) => (typeof block === 'string' ? block : block.plain)).join('<p>')
}

/** Marks each word as Algolia does in `_highlightResult`. */
export function highlight(text: string, words: readonly string[]): { value: string; matched: string[] } {
  const matched = words.filter((word) => text.toLowerCase().includes(word))
  if (matched.length === 0) return { value: text, matched }
  const alternatives = matched.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')
  return { value: text.replace(new RegExp(alternatives, 'gi'), (found) => `<em>${found}</em>`), matched }
}

/** Escapes the characters of markup only. */
export const escapeMarkup = (text: string): string => text.replace(/[&<>]/g, (character) => named[character]!)
