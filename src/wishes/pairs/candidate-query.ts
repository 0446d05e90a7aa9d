import type { ComparedText } from './compared-text.ts'
import type { Rarity } from './rarity.ts'

/** A title has its words so many times in the query. */
const titleWeight = 3
/** So many of the most telling words of the text join those of the title: 24 made recall@5 worse on judged issues (bench/wishes.ts). */
const maxTextWords = 12
/** Of a longer title, the rarest words: together with those of the text, 24. */
const maxTitleWords = 12

/**
 * The words by which the index is asked for the candidates of a request: those of its title three times, and the most telling
 * words of its text by tf·idf. A word that no other request has matches nothing, and is left out.
 */
export function candidateWords(text: ComparedText, rarity: Rarity, isShared: (stem: string) => boolean): string[] {
  const wordOf = (stem: string) => [...(text.words.get(stem) ?? [])][0] ?? stem
  const titleStems = [...new Set(text.title)].sort((a, b) => rarity(b) - rarity(a)).slice(0, maxTitleWords)
  const inTitle = new Set(titleStems)
  const weigh = ([stem, count]: [string, number]) => (1 + Math.log(count)) * rarity(stem)
  const telling = [...text.counts]
    .filter(([stem]) => !inTitle.has(stem) && isShared(stem))
    .sort((a, b) => weigh(b) - weigh(a) || (a[0] < b[0] ? -1 : 1))
    .slice(0, maxTextWords)
    .map(([stem]) => wordOf(stem))
  const titleWords = titleStems.map(wordOf)
  return [...Array<string[]>(titleWeight).fill(titleWords).flat(), ...telling]
}
