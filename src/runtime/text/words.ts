import { stem as porter2 } from 'porter2'
import { normaliseQuery } from './normalise.ts'

/** A normalized word's stem in the index: Snowball, as in Postgres' `english`. Words with a digit stay as is. */
export function stemOf(word: string): string {
  if (/\p{N}/u.test(word)) return word
  const stem = porter2(word)
  // Newer Snowball versions, also in Postgres, keep these doubles: added is a form of add, not ad.
  return stem.length === 2 && /^([aeo])(.)\2/.test(word) && !/^([aeo])(.)\2$/.test(stem) ? word.slice(0, 3) : stem
}

/** The prefix of all words with this stem, whose ending may be replaced: queries has `queri`, hoping `hope`. */
export function beginningOf(stem: string): string {
  if (/^(?:die|lie|tie)$/.test(stem)) return stem.slice(0, 1)
  return stem.length < 3 ? stem.slice(0, 1) : stem.replace(/(?:ie|bl|[eiy])$/, (ending) => (ending === 'bl' ? 'b' : ''))
}

/** Maximum distinct words of a query; later ones are ignored. */
export const queryWordLimit = 32

/** Snowball's English stop words, and the remains of its contractions without apostrophe. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are aren as at be because been before being below between both
  but by can couldn d did didn do does doesn doing don down during each few for from further had hadn has hasn have haven
  having he her here hers herself him himself his how i if in into is isn it its itself just ll m me mightn more most
  mustn my myself needn no nor not now of off on once only or other our ours ourselves out over own re s same shan she
  should shouldn so some such t than that the their theirs them themselves then there these they this those through to
  too under until up ve very was wasn we were weren what when where which while who whom why will with won wouldn you
  your yours yourself yourselves`.split(/\s+/),
)

/** Whether queries omit a word, if they have others. */
export const isStopWord = (word: string): boolean => stopWords.has(word)

/** A query's normalized words, in order. */
export const wordsOf = (text: string): string[] => normaliseQuery(text).split(' ').filter(Boolean)

/** Distinct search words of a text, without stop words unless it has only those. */
export function tellingWords(text: string): string[] {
  const words = [...new Set(wordsOf(text))]
  const telling = words.filter((word) => !isStopWord(word))
  return (telling.length > 0 ? telling : words).slice(0, queryWordLimit)
}
