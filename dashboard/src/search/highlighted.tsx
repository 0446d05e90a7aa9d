import type { ReactNode } from 'react'
import type { FoundRequest, Highlight } from '../api/types.ts'

/** The part of a field that a search shows; null when nothing of it matched. */
export const highlightOf = (request: FoundRequest, field: Highlight['field']): Highlight | null =>
  request.highlights?.find((highlight) => highlight.field === field) ?? null

/** A text with its matches marked. Ranges outside the text, or out of order, are left out. */
export function Highlighted({ text, ranges }: Pick<Highlight, 'text' | 'ranges'>): ReactNode {
  const parts: ReactNode[] = []
  let end = 0
  for (const [from = 0, to = 0] of ranges) {
    if (!(from >= end && to > from && to <= text.length)) continue
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>)
    end = to
  }
  return [...parts, text.slice(end)]
}

/** A whole field, marked when the highlight covers the whole field. */
export function Marked({ text, highlight }: { text: string; highlight: Highlight | null }): ReactNode {
  return highlight?.text === text ? <Highlighted text={text} ranges={highlight.ranges} /> : text
}
