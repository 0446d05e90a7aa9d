import english from './english.json' with { type: 'json' }
import { isStopWord, stemOf, wordsOf } from './words.ts'

// Spellings and unrelated stems of a word. Texts are indexed as written; queries, topics and wish comparison add these.
// `english.json` has British and American pairs without endings (`british`), and forms with different stems (`forms`).

const endingsOf = (word: string): string[] =>
  word.endsWith('e')
    ? [word, `${word}s`, `${word}d`, `${word.slice(0, -1)}ing`]
    : [word, `${word}s`, `${word}ed`, `${word}ing`]
const pairOf = new Map<string, readonly [string, string]>()
// By endings, because stems differ: practical has that of practice.
for (const pair of english.british) {
  const [ones, others] = pair.split(' ').map(endingsOf) as [string[], string[]]
  for (const [at, one] of ones.entries()) for (const word of [one, others[at]!]) pairOf.set(word, [one, others[at]!])
}

/** `colour`, `behaviours`, `favourite`; others with this ending (`four`, `tour`) have one spelling. */
const inOur =
  /^((?:be|bi|dis|mis|multi|re|techni|un|water)?(?:arm|behavi|cand|clam|col|demean|endeav|fav|ferv|flav|glam|harb|hon|hum|lab|neighb|od|parl|ranc|rig|rum|savi?|splend|tum|val|vap|vig))ou?r(?!ous|ary|at|ific)(\p{L}*)$/u
/** `organise`, `analysing`, `localisation`; not `promise` and `resize`, written in one way. */
const inIse =
  /^((?!(?:adv|advert|clockw|comprom|conc|dev|disgu|enterpr|exerc|expert|franch|improv|merchand|otherw|prec|prem|prom|rev|superv|surpr|caps|downs|overs|res|ups)i[sz])\p{L}{3,}i|(?:anal|catal|dial|electrol|hydrol|paral)y)[sz](e[drs]?|ers|ings?|able|ability|ations?|ational)$/u

/** A normalized word in British (0) or American (1) spelling. */
function inEnglishOf(country: 0 | 1, word: string): string {
  const written = pairOf.get(word)?.[country]
  if (written !== undefined) return written
  return word.replace(inOur, `$1${country === 0 ? 'our' : 'or'}$2`).replace(inIse, `$1${'sz'[country]}$2`)
}

/** A normalized word in the other spelling; null if equal. */
export function respelled(word: string): string | null {
  const [one, other] = [inEnglishOf(0, word), inEnglishOf(1, word)]
  return one === other ? null : word === one ? other : one
}

/** One stem for all of a word's spellings. */
export const stemInOneSpelling = (word: string): string => stemOf(inEnglishOf(1, word))

const formsOf = new Map<string, readonly string[]>()
for (const line of english.forms) {
  const words = line.split(' ')
  // An abstract noun's stem may be another word: subscript.
  for (const word of words)
    for (const key of word.endsWith('ion') ? [word, `${word}s`] : [stemOf(word)]) formsOf.set(key, words)
}
const inIfy = /^(\p{L}{3,})(?:(if(?:y|ies|ied|ying|iers?))|ifications?)$/u

/** Forms with another stem: `faster` of `fast`, `notification` of `notify`. */
export function otherFormsOf(word: string): string[] {
  const other = word.replace(
    inIfy,
    (_, root: string, verb?: string) => root + (verb === undefined ? 'ify' : 'ification'),
  )
  const found = formsOf.get(word) ?? formsOf.get(stemInOneSpelling(word)) ?? (other === word ? [] : [other])
  const spelt = new Set(found.flatMap((form) => [form, respelled(form) ?? form]))
  return [...spelt].filter((form) => stemOf(form) !== stemOf(word))
}

/** One character, or a vowel plus a mark, as some keyboards and file systems write it. */
const umlaut = /[äöüøÄÖÜØ]|[aouAOU]\u0308/g
const plainVowels: Record<string, string> = { ä: 'a', ö: 'o', ü: 'u', ø: 'o' }

/** Whether a text has a German, Danish or Norwegian umlaut. */
export const hasUmlaut = (text: string): boolean => text.search(umlaut) !== -1

/** Umlauts as typed without a key for them: `Übersicht` is `Uebersicht`. */
export const withDigraphs = (text: string): string =>
  text.replace(umlaut, (letter, index: number) => {
    const vowel = plainVowels[letter.toLowerCase()] ?? letter[0]!.toLowerCase()
    if (letter === letter.toLowerCase()) return `${vowel}e`
    // Else `ÜBER` would split like `darkMode`.
    const next = text[index + letter.length] ?? ''
    const isAmongCapitals = /\p{L}/u.test(next) ? /\p{Lu}/u.test(next) : /\p{Lu}/u.test(text[index - 1] ?? '')
    return vowel.toUpperCase() + (isAmongCapitals ? 'E' : 'e')
  })

/**
 * Umlauts as normalized: `Uebersicht` is `Ubersicht`. Not `ue` after a vowel or q: `neue`, `queue` (rule of Lucene's
 * GermanNormalizationFilter, from Snowball's `german2`).
 */
export const withVowels = (text: string): string => text.replace(/([ao])e|(?<![aeiouyq])(u)e/giu, '$1$2')

/** Alternative spellings, by normalized form. */
export type Spellings = ReadonlyMap<string, readonly string[]>

/** Words also typed with an umlaut, an e (decision 097) or in other English; no stop words or equal stems. */
export function otherSpellings(text: string): Spellings {
  const spellings = new Map<string, string[]>()
  for (const piece of text.split(/\s+/)) {
    const words = wordsOf(piece)
    const inOtherCountry = words.map((word) => respelled(word) ?? word).join(' ')
    for (const other of [withDigraphs(piece), withVowels(piece), inOtherCountry]) {
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
