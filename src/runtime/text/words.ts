import { stem as porter2 } from 'porter2'
import { normaliseQuery } from './normalise.ts'

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

/** A query has at most this many different words; those after them are ignored. */
export const queryWordLimit = 32

/** The stop words of Snowball's English stemmer, and what is left of its contractions without their apostrophe. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are aren as at be because been before being below between both
  but by can couldn d did didn do does doesn doing don down during each few for from further had hadn has hasn have haven
  having he her here hers herself him himself his how i if in into is isn it its itself just ll m me mightn more most
  mustn my myself needn no nor not now of off on once only or other our ours ourselves out over own re s same shan she
  should shouldn so some such t than that the their theirs them themselves then there these they this those through to
  too under until up ve very was wasn we were weren what when where which while who whom why will with won wouldn you
  your yours yourself yourselves`.split(/\s+/),
)

/** Whether a word is so common that a query omits it where it has others. */
export const isStopWord = (word: string): boolean => stopWords.has(word)

/** As one character, or as a vowel and a mark, as some keyboards and file systems write it. */
const umlaut = /[äöüøÄÖÜØ]|[aouAOU]\u0308/g
const plainVowels: Record<string, string> = { ä: 'a', ö: 'o', ü: 'u', ø: 'o' }

/** Whether a text has an umlaut of German, or its like in Danish and Norwegian. */
export const hasUmlaut = (text: string): boolean => text.search(umlaut) !== -1

/** A text with its umlauts as people type them who have no key for them: `Übersicht` is `Uebersicht`. */
export const withDigraphs = (text: string): string =>
  text.replace(umlaut, (letter, index: number) => {
    const vowel = plainVowels[letter.toLowerCase()] ?? letter[0]!.toLowerCase()
    if (letter === letter.toLowerCase()) return `${vowel}e`
    // Else `ÜBER` would be two words, as in `darkMode`.
    const next = text[index + letter.length] ?? ''
    const isAmongCapitals = /\p{L}/u.test(next) ? /\p{Lu}/u.test(next) : /\p{Lu}/u.test(text[index - 1] ?? '')
    return vowel.toUpperCase() + (isAmongCapitals ? 'E' : 'e')
  })

/**
 * A text with the vowels that normalisation makes of umlauts: `Uebersicht` is `Ubersicht`. After a vowel or q, `ue` is not typed for ü:
 * `neue`, `queue` (the rule of Lucene's GermanNormalizationFilter, which is that of Snowball's `german2`).
 */
export const withVowels = (text: string): string => text.replace(/([ao])e|(?<![aeiouyq])(u)e/giu, '$1$2')

/** How words may be spelt otherwise, by their normalised form. */
export type Spellings = ReadonlyMap<string, readonly string[]>

/**
 * The words of a text that people also type otherwise, with an umlaut or with an e (decision 097), by their normalised form; not where both
 * have one stem, nor a stop word: most texts have those. Texts are not indexed so.
 */
export function otherSpellings(text: string): Spellings {
  const spellings = new Map<string, string[]>()
  for (const piece of text.split(/\s+/)) {
    const words = wordsOf(piece)
    for (const other of [withDigraphs(piece), withVowels(piece)]) {
      const others = other === piece ? [] : wordsOf(other)
      if (others.length !== words.length) continue
      for (const [index, word] of words.entries()) {
        const spelling = others[index]!
        if (isStopWord(spelling) || stemOf(spelling) === stemOf(word)) continue
        spellings.set(word, [...new Set([...(spellings.get(word) ?? []), spelling])])
      }
    }
  }
  return spellings
}

/** The words of a query in their normalised form, in their order. */
export const wordsOf = (text: string): string[] => normaliseQuery(text).split(' ').filter(Boolean)

/** The different words by which a text is searched: not the stop words, unless it has nothing else. */
export function tellingWords(text: string): string[] {
  const words = [...new Set(wordsOf(text))]
  const telling = words.filter((word) => !isStopWord(word))
  return (telling.length > 0 ? telling : words).slice(0, queryWordLimit)
}
