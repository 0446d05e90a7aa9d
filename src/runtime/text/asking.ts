import { stemOf, stopWords } from './words.ts'

/** Words of titles that say that something is wanted, not what. */
export const askingWords: readonly string[] =
  `ability able add added adding allow can could enable expose feature functionality get give good great have idea implement implementation
  include introduce like make missing need nice option please possibility possible possibly proposal provide request should suggestion
  support us use want way wish would`.split(/\s+/)

/** Labels of tickets, and what people say as they ask. */
const labels =
  `fr rfe rfc req suggest enhancement improvement wishlist todo ask hn help hello hi dear thanks kindly bring implementing supporting lack
  lacking wanted requesting suggesting proposing hope love see let offer seeing having still native builtin`.split(
    /\s+/,
  )

/** Words that deny are not among them: a title with one may say the opposite. */
const denying = new Set('no nor not off out don won few only'.split(' '))

/** The stems of all words that say nothing about what is asked for. */
export const askingStems: readonly string[] = [
  ...new Set([...askingWords, ...labels, ...[...stopWords].filter((word) => !denying.has(word))].map(stemOf)),
]
