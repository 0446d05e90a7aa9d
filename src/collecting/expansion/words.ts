import words from './words.json' with { type: 'json' }

/** Equal for singular and plural (S stemmer: Harman, "How effective is suffixing?", 1991). */
export function singular(word: string): string {
  if (word.length > 4 && /(?<![ae])ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (word.length > 4 && /(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2)
  if (word.length > 3 && /[^su]s$/.test(word) && !/is$/.test(word)) return word.slice(0, -1)
  return word
}

/** A rough stem to compare phrases, never shown: mining, miner and mine are equal, as are playing and play. */
export function root(word: string): string {
  const one = singular(word)
  if (one.length <= 5) return one.replace(/e$/, '')
  return one
    .replace(/(?:ing|ed|er)$/, '')
    .replace(/e$/, '')
    .replace(/(\p{L})\1$/u, '$1')
}

/** Equal for texts with the same words in any order, number, case and punctuation. */
export const likeness = (text: string): string =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}+#]+/gu) ?? []
  )
    .map(root)
    .sort()
    .join(' ')

const list = (lines: readonly string[]): ReadonlySet<string> => new Set(lines.join(' ').split(' '))

/** Words without meaning of their own. Phrases may contain them ("drag and drop"), but not at their ends. */
export const functionWords = list(words.functionWords)

/** Words about the wish, not its subject. No topic contains one. */
export const genericWords = list(words.genericWords)

/** Words that need another word: "map view", not "view". */
export const plainNouns = list(words.plainNouns)

/** Issue template headings and courtesies of several words. */
export const templatePhrases = list(words.templatePhrases)
