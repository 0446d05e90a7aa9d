import { type BriefFormat, linesOf } from './files.ts'
import { removedStatus, removedText, removedTitle } from './lines.ts'
import { documentJson } from './parts.ts'
import type { Brief, BriefDocument, BriefWish } from './schemas.ts'
import { hasLostStatus, hasLostTitle, lostTitle } from './wish-blocks.ts'

// Lines of older files may since have been removed from the brief: this tolerates that many lines there.

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')
/** Matches a line of only this, with its format's markup. */
const saying = (pattern: string) => new RegExp(`^(?:<[^<>]*>|[*#>\\s])*${pattern}(?:<[^<>]*>|[*\\s])*$`, 'u')

const numbered = '(?:\\d+\\\\?\\. )?'
const notice = saying(
  '\\d+ parts? of this brief (?:was|were) removed since it was made: the requests were deleted\\\\?\\.',
)
const removedLine = saying(numbered + escaped(removedText))
const inRanking = /^\d|<li>/u
const removedHeading = saying(numbered + escaped(removedTitle))
const single = [removedHeading, saying(escaped(removedStatus)), saying(escaped(lostTitle))]

/** The most lines of a quotation and a wish in Markdown and HTML, and of a part and a wish in JSON. */
const [quoteLines, wishLines, jsonPartLines, jsonWishLines] = [3, 30, 30, 200] as const

const [removedPart, removedWish] = ['removed part', 'removed wish'] as const
const inJson = new RegExp(`^\\s*(?:"(?:title|statusFrom)": )?"(${removedPart}|${removedWish})",?$`, 'u')

/** Marks removed parts with words, because null may also mean that there never was one. */
function markRemoved(document: BriefDocument): unknown {
  const part = <Content>(content: Content) => content ?? removedPart
  const wish = (one: BriefWish | null) =>
    one === null
      ? removedWish
      : {
          ...one,
          ...(hasLostTitle(one) && { title: removedPart }),
          ...(hasLostStatus(one) && { statusFrom: removedPart }),
          quotes: one.quotes.map(part),
        }
  const { wishes, settled } = document
  return {
    ...document,
    wishes: wishes.map(wish),
    settled: settled.map(wish),
  }
}

/** How many lines of a file may replace a line as made; 0 if it must match. */
function mostLines(line: string, before: string, format: BriefFormat): number {
  if (format === 'json') {
    if (/^\s*"removed": \d+,?$/u.test(line)) return 1
    const marked = inJson.exec(line)?.[1]
    return marked === undefined ? 0 : marked === removedWish ? jsonWishLines : jsonPartLines
  }
  if (removedLine.test(line)) return inRanking.test(line) ? 1 : removedHeading.test(before) ? wishLines : quoteLines
  return notice.test(line) || single.some((one) => one.test(line)) ? 1 : 0
}

/** Whether a file has all of `made` in order, and surplus lines only in removed places. @param made as of now */
export function isButForRemovals(
  file: string,
  { made, brief, format }: { made: string; brief: Brief; format: BriefFormat },
): boolean {
  const { snapshot, removed, document } = brief
  const expected = linesOf(
    format === 'json'
      ? documentJson({ snapshot: `sha256:${snapshot}`, removed, document: markRemoved(document) })
      : made,
  ).map(({ text }) => text)
  const most = expected.map((line, at) => mostLines(line, expected[at - 1] ?? '', format))
  // All possible positions of the next line: an index in `expected`, and how many lines already replace that one.
  const width = Math.max(...most) + 1
  const reach = (places: Set<number>, at: number, used: number): void => {
    places.add(at * width + used)
    if ((most[at] ?? 0) > 0 && !places.has((at + 1) * width)) reach(places, at + 1, 0)
  }
  let places = new Set<number>()
  reach(places, 0, 0)
  for (const { text: line } of linesOf(file)) {
    const next = new Set<number>()
    for (const place of places) {
      const [at, used] = [Math.floor(place / width), place % width]
      if (expected[at] === line && most[at] === 0) reach(next, at + 1, 0)
      else if ((most[at] ?? 0) > used) reach(next, at, used + 1)
    }
    if (next.size === 0) return false
    places = next
  }
  return places.has(expected.length * width)
}
