export { count as counted } from '../../runtime/count.ts'

/** A text or a link. */
export type Inline<Text = string> = Text | Link<Text>
interface Link<Text> {
  text: Text
  url: string | null
  platform: string
}

export type Block<Text = string> =
  | { kind: 'heading'; level: 1 | 2 | 3; text: Text }
  | { kind: 'line'; tone: 'text' | 'facts' | 'removed'; parts: Inline<Text>[] }
  | { kind: 'quote'; text: Text; isWhole: boolean; origin: Inline<Text>[] }
  | { kind: 'ranking'; rows: Inline<Text>[][] }

/** A block with its texts mapped, e.g. escaped. @param link maps links; by default links with mapped text */
export function withTexts<From, To>(
  block: Block<From>,
  change: (text: From) => To,
  link = (one: Link<From>): Inline<To> => ({ ...one, text: change(one.text) }),
): Block<To> {
  const isLink = (part: Inline<From>): part is Link<From> => typeof part === 'object'
  const inline = (part: Inline<From>) => (isLink(part) ? link(part) : change(part))
  switch (block.kind) {
    case 'heading':
      return { ...block, text: change(block.text) }
    case 'line':
      return { ...block, parts: block.parts.map(inline) }
    case 'quote':
      return { ...block, text: change(block.text), origin: block.origin.map(inline) }
    case 'ranking':
      return { ...block, rows: block.rows.map((row) => row.map(inline)) }
  }
}

const numbers = new Intl.NumberFormat('en-GB')

/** A number as people read it. */
export const number = (value: number) => numbers.format(value)

/** Joins parts of a line with dots, skipping null. */
export const dotted = (parts: readonly (Inline | null)[]): Inline[] =>
  parts.filter((part) => part !== null).flatMap((part, at) => (at === 0 ? [part] : [' · ', part]))

/** A paragraph, skipping null parts. */
export const line = (parts: (Inline | null)[] | string, tone: 'text' | 'facts' | 'removed' = 'text'): Block => ({
  kind: 'line',
  tone,
  parts: typeof parts === 'string' ? [parts] : parts.filter((part) => part !== null),
})
/** Makes a heading. */
export const heading = (level: 1 | 2 | 3, text: string): Block => ({ kind: 'heading', level, text })

export const removedText = 'Removed since: the request was deleted.'
export const removedTitle = 'Removed since'
export const removedStatus = 'Its status was decided in a request that was removed since.'
