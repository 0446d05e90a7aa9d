// What a brief is rendered from, and the words that stand for what was removed.

/** A text, or a link away. */
export type Inline = string | { text: string; url: string | null; platform: string }

export type Block =
  | { kind: 'heading'; level: 1 | 2 | 3; text: string }
  | { kind: 'line'; tone: 'text' | 'facts' | 'removed'; parts: Inline[] }
  | { kind: 'quote'; text: string; isWhole: boolean; origin: Inline[] }
  | { kind: 'ranking'; rows: Inline[][] }

const numbers = new Intl.NumberFormat('en-GB')

/** A number as people read it. */
export const number = (value: number) => numbers.format(value)
/** A count with its noun. */
export const counted = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`

/** Parts of a line with dots between them. */
export const dotted = (parts: readonly (Inline | null)[]): Inline[] =>
  parts.filter((part) => part !== null).flatMap((part, at) => (at === 0 ? [part] : [' · ', part]))

/** A paragraph; what is null in it is left out. */
export const line = (parts: (Inline | null)[] | string, tone: 'text' | 'facts' | 'removed' = 'text'): Block => ({
  kind: 'line',
  tone,
  parts: typeof parts === 'string' ? [parts] : parts.filter((part) => part !== null),
})
/** A heading. */
export const heading = (level: 1 | 2 | 3, text: string): Block => ({ kind: 'heading', level, text })

/** What stands where something was. */
export const removedText = 'Removed since: the request was deleted.'
export const removedTitle = 'Removed since'
export const removedStatus = 'Its status was decided in a request that was removed since.'
