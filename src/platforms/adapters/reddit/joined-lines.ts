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
  const lines: string[] = []
  let openFence: string | null = null
  for (const line of markdown.replace(/\r\n?/g, '\n').split('\n')) {
    const before = lines.at(-1)
    const mark: string | undefined = fence.exec(line)?.[1]
    if (openFence !== null) {
      lines.push(line)
      if (mark?.startsWith(openFence)) openFence = null
      continue
    }
    openFence = mark ?? null
    const isJoined = before !== undefined && continues(before) && line.trim() !== '' && !blockStart.test(line)
    if (isJoined) lines[lines.length - 1] = `${before} ${line.trimStart()}`
    else lines.push(line)
  }
  return lines.join('\n')
}

const continues = (line: string): boolean => line.trim() !== '' && !closedLine.test(line) && !hardBreak.test(line)
