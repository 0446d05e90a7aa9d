import { isStopWord, stemOf, stopWords } from './words.ts'

/** Title words that say something is wanted, but not what. */
export const askingWords: readonly string[] =
  `ability able add added adding allow can could enable expose feature functionality get give good great have idea implement implementation
  include introduce like make missing need nice option please possibility possible possibly proposal provide request should suggestion
  support us use want way wish would`.split(/\s+/)

/** Ticket labels and polite phrases. */
const labels =
  `fr rfe rfc req suggest enhancement improvement wishlist todo ask hn help hello hi dear thanks kindly bring implementing supporting lack
  lacking wanted requesting suggesting proposing hope love see let offer seeing having still native builtin`.split(
    /\s+/,
  )

/** Negations are excluded: a title with one may mean the opposite. */
const denying = new Set('no nor not off out don won few only'.split(' '))

/** Stems of words that say nothing about the wish itself. */
export const askingStems: readonly string[] = [
  ...new Set([...askingWords, ...labels, ...[...stopWords].filter((word) => !denying.has(word))].map(stemOf)),
]

/** Words that ask, but do not say what is wanted … */
const asking = new Set('please want wish need would could like love'.split(' '))
/** … nor before two or more words: `add friends` is about adding, `add a barcode scanner` is not. */
const changing = new Set(
  'add allow enable support implement introduce include provide make ability able option possibility'.split(' '),
)

/** A query without its leading words that only ask. */
export function withoutLeadIn(words: readonly string[]): readonly string[] {
  let from = 0
  for (const [index, word] of words.entries()) {
    if (isStopWord(word)) continue
    const left = words.slice(index + 1).filter((one) => !isStopWord(one)).length
    // In "like button", `like` names the thing.
    const asks = asking.has(word) && (index > 0 || !/^(?:like|love)$/.test(word))
    if (!(asks ? left >= 1 : changing.has(word) && left >= 2)) break
    from = index + 1
  }
  return words.slice(from)
}
