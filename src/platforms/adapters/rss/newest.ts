import { feedDate } from './dates.ts'

/** Elements and attributes of an XML text; a feed of 50 items has about two thousand, and so many take half a second to parse. */
const memberLimit = 20_000
export const itemLimit = 1_000

/** For dates of items that are only compared with each other. */
const everyDate = new Date('9999-01-01')

/** The newest that fit, in their order; what has no date comes after what has one, and the first of it counts as the newest. */
export function newestOf<Item>(
  items: readonly Item[],
  datesOf: (item: Item) => readonly unknown[],
  fits: (item: Item) => boolean,
): Item[] {
  const dated = items.map((item) => ({ item, at: feedDate(datesOf(item), everyDate)?.getTime() ?? 0 }))
  const newest = dated.toSorted((one, other) => other.at - one.at).slice(0, itemLimit)
  const kept = new Set(newest.filter(({ item }) => fits(item)).map(({ item }) => item))
  return items.filter((item) => kept.has(item))
}

interface Element {
  from: number
  to: number
  /** Elements and attributes. */
  members: number
}

const itemName = /^(?:[\w-]+:)?(?:item|entry)$/i
const dateOfItem = /<(?:[\w-]+:)?(?:pubDate|published|updated|modified|issued|date)\b[^<>]*>([^<]{1,100})</gi

/**
 * The names of a tag: its own, and those of attributes, also without values, and of tags that begin in it. Only a quotation mark behind `=` that is
 * closed in the tag begins a value: any other is a name to the parser.
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
    // Blanks, `/`, `<` and `=` end a name.
    const isOfName = code > 0x20 && code !== 0x2f && code !== 0x3c && code !== 0x3d
    if (isOfName && !isInName) names++
    isInName = isOfName
  }
  return Math.max(1, names)
}

/** The members of an XML text and where its items are, outside of comments and CDATA; null for one that the parser refuses. */
function outline(xml: string): { members: number; items: Element[] } | null {
  const items: Element[] = []
  let members = 0
  let open: { name: string; depth: number; from: number; before: number } | null = null
  for (let index = xml.indexOf('<'); index >= 0; index = xml.indexOf('<', index)) {
    const isData = xml.startsWith('<![CDATA[', index)
    const end = isData ? ']]>' : xml.startsWith('<!--', index) ? '-->' : '>'
    const close = xml.indexOf(end, index)
    if (close < 0) return null
    const before = members
    if (end === '>') {
      members += namesOf(xml, index + 1, close)
      const [, slash = '', name = ''] = /^<(\/?)([\w:.-]+)/.exec(xml.slice(index, index + 60)) ?? []
      const isEmpty = xml[close - 1] === '/'
      if (open === null && slash === '' && !isEmpty && itemName.test(name))
        open = { name, depth: 1, from: index, before }
      else if (open?.name === name && !isEmpty) open.depth += slash === '' ? 1 : -1
      if (open?.depth === 0) {
        items.push({ from: open.from, to: close + 1, members: members - open.before })
        open = null
      }
    }
    index = close + end.length
  }
  return { members, items }
}

/**
 * An XML text that is not too dear to parse: of a feed with more than the limits the newest items.
 * @returns how many items are left out; null for a text that is too dear without its items, too.
 */
export function withinLimits(xml: string): { xml: string; leftOut: number } | null {
  const { members, items } = outline(xml) ?? { members: 0, items: [] }
  if (members <= memberLimit && items.length <= itemLimit) return { xml, leftOut: 0 }
  let left = memberLimit - members + items.reduce((sum, item) => sum + item.members, 0)
  if (left < 0 || items.length === 0) return null
  const datesOf = ({ from, to }: Element) => [...xml.slice(from, to).matchAll(dateOfItem)].map(([, text]) => text)
  const kept = newestOf(items, datesOf, (item) => {
    if (item.members > left) return false
    left -= item.members
    return true
  })
  const texts = kept.map(({ from, to }) => xml.slice(from, to))
  const cut = [xml.slice(0, items[0]!.from), ...texts, xml.slice(items.at(-1)!.to)]
  return { xml: cut.join(''), leftOut: items.length - kept.length }
}
