import type { CorpusRecord } from '../corpus.ts'
import { canonicalText, type Query } from '../query.ts'

/** How exactly Algolia compares; what a request does not ask for is loose. */
export interface Exactness {
  /** `typoTolerance=false`. */
  withoutTypos: boolean
  /** `queryType=prefixNone`. */
  withoutPrefixes: boolean
  /** `restrictSearchableAttributes` without the author. */
  withoutAuthors: boolean
  /** `advancedSyntax`, which is on by default: words in quotes are compared exactly. */
  withQuotes: boolean
}

const exact: Exactness = { withoutTypos: true, withoutPrefixes: true, withoutAuthors: true, withQuotes: true }

/** @param isIgnored whether the platform ignores these parameters, and quotes with them. */
export function exactnessOf(parameters: URLSearchParams, isIgnored = false): Exactness {
  if (isIgnored) return { withoutTypos: false, withoutPrefixes: false, withoutAuthors: false, withQuotes: false }
  return {
    withoutTypos: parameters.get('typoTolerance') === 'false',
    withoutPrefixes: parameters.get('queryType') === 'prefixNone',
    withoutAuthors: parameters.has('restrictSearchableAttributes'),
    withQuotes: true,
  }
}

/** Whether every clause holds; a phrase of several words is always compared exactly. */
export function matchesAlgolia(query: Query, record: CorpusRecord, exactness: Exactness): boolean {
  const text = record.searchText.split(' ')
  const author = exactness.withoutAuthors ? [] : canonicalText(record.author?.handle ?? '').split(/[ -]/)
  return query.groups.every((group) =>
    group.some(({ kind, values, negated }) => {
      const words = values[0]!.split(' ')
      const isExact = kind === 'phrase' && (exactness.withQuotes || words.length > 1)
      const compared = isExact ? exact : exactness
      return hasWords([...text, ...author], words, compared) !== negated
    }),
  )
}

function hasWords(text: readonly string[], words: readonly string[], exactness: Exactness): boolean {
  return text.some((_, start) => words.every((word, index) => isSame(text[start + index] ?? '', word, exactness)))
}

function isSame(found: string, word: string, { withoutTypos, withoutPrefixes }: Exactness): boolean {
  if (found === word) return true
  if (!withoutPrefixes && word.length >= 3 && found.startsWith(word)) return true
  return !withoutTypos && word.length >= 4 && isOneTypoAway(found, word)
}

/** One letter more, fewer or other; the real index accepts two in words of eight letters. */
function isOneTypoAway(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start += 1
  return short.length === long.length
    ? short.slice(start + 1) === long.slice(start + 1)
    : short.slice(start) === long.slice(start + 1)
}
