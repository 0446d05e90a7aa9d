import words from './words.json' with { type: 'json' }

/** The same for singular and plural (the S stemmer: Harman, "How effective is suffixing?", 1991). */
export function singular(word: string): string {
  if (word.length > 4 && /(?<![ae])ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (word.length > 4 && /(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2)
  if (word.length > 3 && /[^su]s$/.test(word) && !/is$/.test(word)) return word.slice(0, -1)
  return word
}

/** A rough stem to compare phrases: mining, miner and mine are equal, playing and play too. It is never shown. */
export function root(word: string): string {
  const one = singular(word)
  if (one.length <= 5) return one.replace(/e$/, '')
  return one
    .replace(/(?:ing|ed|er)$/, '')
    .replace(/e$/, '')
    .replace(/(\p{L})\1$/u, '$1')
}

/** The same for texts of the same words, whatever their order, number, case and punctuation. */
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

/** Words without a meaning of their own. They may stand inside a phrase ("drag and drop"), not at its ends. */
export const functionWords = list(words.functionWords)

/** Words about the wish itself, not about its subject. No topic contains one. */
export const genericWords = list(words.genericWords)

/** Words that mean something only next to another word: "map view", not "view". */
export const plainNouns = list(words.plainNouns)

/** Headings of issue templates and courtesies of more than one word. */
export const templatePhrases = list(words.templatePhrases)
