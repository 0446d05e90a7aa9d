import { feedDate } from './dates.ts'

/** Maximum elements and attributes; this many take some seconds to parse. 50 items have about 2,000. */
const memberLimit = 250_000
const itemLimit = 1_000

/** No upper bound: these dates are only compared with each other. */
const everyDate = new Date('9999-01-01')

/** Picks the newest items, in their order. Undated items rank last, the first of them as the newest. */
export function newestOf<Item>(items: readonly Item[], datesOf: (item: Item) => readonly unknown[]): Item[] {
  const dated = items.map((item) => ({ item, at: feedDate(datesOf(item), everyDate)?.getTime() ?? 0 }))
  const newest = dated.toSorted((one, other) => other.at - one.at).slice(0, itemLimit)
  const kept = new Set(newest.map(({ item }) => item))
  return items.filter((item) => kept.has(item))
}

/**
 * Counts the names in a tag: its own, its attributes, and tags that begin in it. Only a quote after `=` that closes
 * within the tag starts a value; any other is a name to the parser.
 */
function namesOf(xml: string, from: number, to: number): number {
  let names = 0
  let isInName = false
  for (let index = from; index < to; index++) {
    const code = xml.charCodeAt(index)
    if ((code === 0x22 || code === 0x27) && xml[index - 1] === '=') {
      const close = xml.indexOf(xml[index]!, index + 1)
      if (close > 0 && close < to) index = close
      isInName = false
      continue
    }
    // Space, `/`, `<` and `=` end a name.
    const isOfName = code > 0x20 && code !== 0x2f && code !== 0x3c && code !== 0x3d
    if (isOfName && !isInName) names++
    isInName = isOfName
  }
  return Math.max(1, names)
}

/** Where the parser ends a tag: outside quotes, except in closing tags and declarations. */
function endOfTag(xml: string, from: number): number {
  if (xml[from] === '/' || xml[from] === '!') return xml.indexOf('>', from)
  const end = xml[from] === '?' ? '?>' : '>'
  for (let index = from; index < xml.length; index++) {
    const code = xml.charCodeAt(index)
    if (code === 0x22 || code === 0x27) {
      index = xml.indexOf(xml[index]!, index + 1)
      if (index < 0) return -1
    } else if (xml.startsWith(end, index)) return index
  }
  return -1
}

/** Whether XML has few enough elements and attributes, outside comments and CDATA, and closes all of them. */
export function isWithinLimits(xml: string, maxMembers = memberLimit): boolean {
  let members = 0
  for (let index = xml.indexOf('<'); index >= 0; index = xml.indexOf('<', index)) {
    const end = xml.startsWith('<![CDATA[', index) ? ']]>' : xml.startsWith('<!--', index) ? '-->' : '>'
    const close = end === '>' ? endOfTag(xml, index + 1) : xml.indexOf(end, index)
    if (close < 0) return false
    if (end === '>') members += namesOf(xml, index + 1, close)
    if (members > maxMembers) return false
    index = close + end.length
  }
  return true
}
