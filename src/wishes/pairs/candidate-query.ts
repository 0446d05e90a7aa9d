import type { ComparedText } from './compared-text.ts'
import type { Rarity } from './rarity.ts'

/** A title has its words so many times in the query. */
const titleWeight = 3
/** So many of the most telling words of the text join those of the title: on judged issues 12 find no more, and 24 less (bench/wishes.ts). */
const maxTextWords = 8
const maxTitleWords = 12
/** More frequent words say little and cost the index the most; they are left out where the title has so many rarer ones. */
const minTitleWords = 3

/**
 * The words by which the index is asked for the candidates of a request: those of its title three times, and the most telling
 * words of its text by tf·idf. A word that no other request has matches nothing, and is left out of the text's.
 * @param isFrequent whether so many requests have a stem that it hardly tells one from another.
 */
export function candidateWords(
  text: ComparedText,
  rarity: Rarity,
  { isShared, isFrequent }: Record<'isShared' | 'isFrequent', (stem: string) => boolean>,
): string[] {
  const wordOf = (stem: string) => [...(text.words.get(stem) ?? [])][0] ?? stem
  const titleStems = [...new Set(text.title)].sort((a, b) => rarity(b) - rarity(a))
  const ofTitle = titleStems.slice(0, maxTitleWords).filter((stem, index) => index < minTitleWords || !isFrequent(stem))
  const inTitle = new Set(titleStems)
  const weigh = ([stem, count]: [string, number]) => (1 + Math.log(count)) * rarity(stem)
  const telling = [...text.counts]
    .filter(([stem]) => !inTitle.has(stem) && isShared(stem))
    .sort((a, b) => weigh(b) - weigh(a) || (a[0] < b[0] ? -1 : 1))
    .slice(0, maxTextWords)
    .filter(([stem]) => !isFrequent(stem))
    .map(([stem]) => wordOf(stem))
  return [...Array<string[]>(titleWeight).fill(ofTitle.map(wordOf)).flat(), ...telling]
}
