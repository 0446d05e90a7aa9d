import { stem as porter2 } from 'porter2'

/**
 * The stem of a word of a normalised text, as the search index has it: Snowball's English stemmer, as in the text search
 * configuration `english` of Postgres. Words with a digit have no other forms there.
 */
export function stemOf(word: string): string {
  if (/\p{N}/u.test(word)) return word
  const stem = porter2(word)
  // Newer versions of Snowball, Postgres' too, leave these double letters: added is a form of add, not of ad.
  return stem.length === 2 && /^([aeo])(.)\2/.test(word) && !/^([aeo])(.)\2$/.test(stem) ? word.slice(0, 3) : stem
}

/**
 * What every word with this stem begins with. Some endings are replaced, not only cut off: querying and queries are forms of `queri`,
 * hoping is one of `hope`, possibility one of `possibl`.
 */
export function beginningOf(stem: string): string {
  if (/^(?:die|lie|tie)$/.test(stem)) return stem.slice(0, 1)
  return stem.length < 3 ? stem.slice(0, 1) : stem.replace(/(?:ie|bl|[eiy])$/, (ending) => (ending === 'bl' ? 'b' : ''))
}
