/** The start of a line that begins a block of its own: a heading, quote, list item, table, fence or code. */
const blockStart = /^(?: {4}|\t| {0,3}(?:#{1,6}(?:\s|$)|>|[-*+]\s|\d{1,9}[.)]\s|\||`{3}|~{3}|(?:[-*_=]\s*){3,}$))/
const fence = /^ {0,3}(`{3,}|~{3,})/
/** A line after which nothing is joined: a heading, table, fence, rule or code. */
const closedLine = /^(?: {4}|\t| {0,3}(?:#{1,6}(?:\s|$)|\||`{3}|~{3}|(?:[-*_=]\s*){3,}$))/
/** Two spaces or a backslash at the end of a line break it on purpose. */
const hardBreak = /(?: {2,}|\\)$/

/**
 * Joins the lines of each paragraph by spaces, as Reddit shows them: there a single line break in Markdown is only a space.
 * Code, lists, tables and deliberate breaks stay as they are.
 */
export function joinLines(markdown: string): string {
  const joined: string[] = []
  let openFence: string | null = null
  let before = ''
  for (const line of markdown.replace(/\r\n?/g, '\n').split('\n')) {
    const mark: string | undefined = fence.exec(line)?.[1]
    const isCode = openFence !== null
    if (isCode) openFence = mark?.startsWith(openFence!) ? null : openFence
    else openFence = mark ?? null
    if (!isCode && continues(before) && isContinuation(line)) joined.push(' ', line.trimStart())
    else joined.push('\n', line)
    // The end of a code block continues nothing.
    before = isCode ? '' : line
  }
  return joined.slice(1).join('')
}

/** A line with a bar may be the row of a table, which needs none at its start. */
const continues = (line: string): boolean =>
  line.trim() !== '' && !line.includes('|') && !closedLine.test(line) && !hardBreak.test(line)

const isContinuation = (line: string): boolean => line.trim() !== '' && !line.includes('|') && !blockStart.test(line)
