import type { ComparedText } from './compared-text.ts'
import { wordsOfTitles } from './conflicts.ts'
import { areOfOneProduct } from './products.ts'

export const reasonsFor = ['same_words', 'same_text'] as const
export const reasonsAgainst = ['opposed', 'numbers', 'words', 'product'] as const

interface Reason<Kind extends string> {
  kind: Kind
  /** The words behind it; empty if the texts are. */
  words: string[]
}

/** The reasons for and against two requests being the same. */
export interface Reasons {
  for: Reason<(typeof reasonsFor)[number]>[]
  against: Reason<(typeof reasonsAgainst)[number]>[]
}

/** The reasons for and against a pair, from its features. Reasons against make it less likely, not impossible. */
export function reasonsOf(one: ComparedText, other: ComparedText): Reasons {
  const { shared, numbers, others, isOpposed, hasSameText } = wordsOfTitles(one, other)
  const products = [one.product.id, other.product.id].filter((id) => id !== null)
  return {
    for: [
      ...(shared.length === 0 ? [] : [{ kind: 'same_words' as const, words: shared }]),
      ...(hasSameText ? [{ kind: 'same_text' as const, words: [] }] : []),
    ],
    against: [
      ...(isOpposed ? [{ kind: 'opposed' as const, words: others }] : []),
      ...(numbers.length === 0 ? [] : [{ kind: 'numbers' as const, words: numbers }]),
      ...(isOpposed || others.length === 0 ? [] : [{ kind: 'words' as const, words: others }]),
      ...(areOfOneProduct(one, other) ? [] : [{ kind: 'product' as const, words: products }]),
    ],
  }
}
