import labels from './labels.json' with { type: 'json' }

/** What a source's labels, or a form's type field, say about a text. */
export type Evidence = 'wish' | 'other' | 'none'

/** Labels, forum categories and issue types that mean a wish, in the form of `labelWords`. */
const wishLabels: ReadonlySet<string> = new Set(labels.wishLabels)
const otherLabels: ReadonlySet<string> = new Set(labels.otherLabels)

/** The scope of a label: `kind/feature`, `type: feature`, `c-enhancement`. */
const scope = /^(?:kind|type|category|issue ?type|topic|t|c|area|status|is)(?:\s*[:/]+\s*|-)/

/** A label in lower case without scope and emoji, with `-` and `_` as spaces. */
function labelWords(label: string): string {
  const text = label
    .slice(0, 100)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[^a-z]+/, '')
  return text
    .replace(scope, '')
    .replace(/[^a-z]+/g, ' ')
    .trim()
}

/** The meaning of a label in lower case with single spaces. */
export function meaningOf(label: string): Evidence {
  if (wishLabels.has(label)) return 'wish'
  return otherLabels.has(label) ? 'other' : 'none'
}

/** Contradictory evidence counts as none. */
export function agreed(found: readonly Evidence[]): Evidence {
  const isWish = found.includes('wish')
  if (isWish === found.includes('other')) return 'none'
  return isWish ? 'wish' : 'other'
}

/** The joint meaning of a text's labels. */
export const evidenceOf = (tags: readonly string[]): Evidence =>
  agreed(tags.slice(0, 50).map((tag) => meaningOf(labelWords(tag))))
