import type { Block, Inline } from './lines.ts'

/** Characters that CommonMark, or GitHub with its tables, mentions and links, reads as markup. */
const markup = /[\\`*_[\]<>&|~$]|:(?=\/\/)|(?<=\bwww)\./giu
/** What would start another block: a heading, list or rule. */
const lineStart = /^(?:[#+\-=]|\d+(?=[.)]))/u

const escapeInline = (text: string): string =>
  text.replace(/\s+/gu, ' ').replace(markup, '\\$&').replaceAll('@', '&#64;')

/** Escapes a text as one line of literal Markdown. */
const escapeMarkdown = (text: string): string =>
  escapeInline(text).replace(lineStart, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))

/** A URL for angle brackets; null if it is no web address. */
const addressOf = (url: string): string | null => {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null
  return parsed.href.replace(
    /[<>\s()\\]/gu,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  )
}

function inline(part: Inline): string {
  if (typeof part === 'string') return escapeMarkdown(part)
  const address = part.url === null ? null : addressOf(part.url)
  return address === null ? escapeMarkdown(part.text) : `[${escapeMarkdown(part.text)}](<${address}>)`
}

const joined = (parts: readonly Inline[]) => parts.map(inline).join('')

function render(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${escapeInline(block.text).replace(/(?<=\s)#+$/u, '\\$&')}`
    case 'line':
      return block.tone === 'removed' ? `*${joined(block.parts)}*` : joined(block.parts)
    case 'quote':
      return `> “${escapeMarkdown(block.text)}${block.isWhole ? '' : ' …'}”\n>\n> — ${joined(block.origin)}`
    case 'ranking':
      return block.rows.map((row, at) => `${at + 1}. ${joined(row)}`).join('\n')
  }
}

/** A brief as Markdown. */
export const briefMarkdown = (blocks: readonly Block[]): string => `${blocks.map(render).join('\n\n')}\n`
