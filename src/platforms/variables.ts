import { Type } from 'typebox'

// The kinds of environment variables that adapters have. `settings.ts` checks each by its `x-kind`.

/** The address of an API. */
export const webAddress = (fallback: string, meaning: string) =>
  Type.String({
    pattern: '^https?://[^\\s]+$',
    default: fallback,
    description: meaning,
    'x-kind': 'web address',
  })

/** A credential. One that no HTTP header can hold is refused at the start: each request with it would fail like a network fault. */
export const secret = (meaning: string) =>
  Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]+$', description: meaning, 'x-kind': 'secret' }))

/** A comma list of at least one item. */
export const commaList = (items: readonly string[], meaning: string) => list('list', items, meaning)

/** A comma list of at least one address. */
export const webAddressList = (items: readonly string[], meaning: string) => list('web address list', items, meaning)

const list = (kind: 'list' | 'web address list', items: readonly string[], meaning: string) =>
  Type.String({ default: items.join(','), description: `comma list: ${meaning}`, 'x-kind': kind })

/** The different items of a comma list. */
export function itemsOf(list = ''): string[] {
  const trimmed = list.split(',').map((item) => item.trim())
  return [...new Set(trimmed.filter((item) => item !== ''))]
}

export const isWebAddress = (text = ''): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)
