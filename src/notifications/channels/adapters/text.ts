import type { Message, MessageItem } from '../../../accounts/events/message.ts'
import { withoutUnseen } from '../../../runtime/text/unseen.ts'

const blanks = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu

/** Cuts to `max` UTF-16 units, never within a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(max - 2)) ? max - 2 : max - 1
  return `${text.slice(0, end)}…`
}

/** One line of visible text, without invisible rests of a cut flag. */
export const toLine = (text: string, max: number): string =>
  withoutUnseen(cut(withoutUnseen(text.toWellFormed()).replace(blanks, ' ').trim(), max))

/** Invisibly splits what programs would take for an address. */
const gap = '\u200b'

/** Breaks addresses that start with a scheme or `www`. */
export const withoutAddresses = (text: string): string =>
  text.replace(/:(?=\S)/g, `:${gap}`).replace(/(www\d{0,3}(?:\u200c|\u200d)?)\./gi, `$1${gap}.`)

/** Breaks anything that a program may link, including bare hosts and mail addresses. */
export const withoutHosts = (text: string): string =>
  withoutAddresses(text)
    .replace(/(?<=[\p{L}\p{N}_-]|\u200c|\u200d)\.(?=[\p{L}\p{N}]|\u200c|\u200d)/gu, `.${gap}`)
    .replaceAll('@', `@${gap}`)

/** The limits of a format, in characters. */
export interface TextLimits {
  title: number
  paragraph: number
  item: number
}

export const usualLimits: TextLimits = { title: 200, paragraph: 500, item: 200 }

/** A line of a message, our own or foreign, and its link. */
export type MessageLine =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; text: string }
  | { kind: 'item'; title: string; url: string | null; detail: string }
  | { kind: 'more'; text: string }

const toItem = ({ title, url, detail }: MessageItem, limits: TextLimits): MessageLine => ({
  kind: 'item',
  title: toLine(title, limits.item) || 'Untitled',
  url,
  detail: toLine(detail, limits.item),
})

/** The lines below a message's title, cleaned and cut, not escaped. */
export function linesOf({ paragraphs, sections }: Message, limits: TextLimits = usualLimits): MessageLine[] {
  const lines: MessageLine[] = [
    ...paragraphs.map((text): MessageLine => ({ kind: 'paragraph', text: toLine(text, limits.paragraph) })),
    ...sections.flatMap(({ heading, note = '', items, more }): MessageLine[] => [
      { kind: 'heading', text: toLine(heading, limits.title) },
      { kind: 'paragraph', text: toLine(note, limits.paragraph) },
      ...items.map((item) => toItem(item, limits)),
      ...(more > 0 ? [{ kind: 'more' as const, text: `and ${more.toLocaleString('en-US')} more` }] : []),
    ]),
  ]
  // A text may be nothing but invisible characters.
  return lines.filter((line) => line.kind === 'item' || line.text !== '')
}

/** The lines that fit the limit, the last of which says if there are more. @param size of a line with its end */
export function fitting(lines: readonly string[], limit: number, size: (line: string) => number): string[] {
  const end = '…'
  const taken: string[] = []
  let left = limit - size(end)
  for (const [index, line] of lines.entries()) {
    left -= size(line)
    if (left < 0) return index === 0 ? [end] : [...taken, end]
    taken.push(line)
  }
  return taken
}

/** A message as plain text without any markup. @param clean applied to each foreign text */
export function plainLines(message: Message, clean: (text: string) => string, limits?: TextLimits): string[] {
  return linesOf(message, limits).map((line) => {
    switch (line.kind) {
      case 'heading':
        return `\n${clean(line.text)}`
      case 'item':
        return `• ${clean(line.title)}${line.detail === '' ? '' : ` (${clean(line.detail)})`}`
      default:
        return clean(line.text)
    }
  })
}
