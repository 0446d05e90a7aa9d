import { foundRequest } from '../src/platforms/content/fields.ts'
import type { FoundRequest } from '../src/platforms/platform.ts'

/** Numbers that are the same in every run (a linear congruential generator). */
let seed = 20261121
export const random = () => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
  return seed / 0x80000000
}
/** A word with the frequencies of a language: a few words are in most texts, most words are in a few. */
export const word = () =>
  Math.floor(30_000 ** random())
    .toString(26)
    .replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')
export const text = (length: number) => Array.from({ length }, word).join(' ')

/** A request that the bench refreshes. */
export interface Known {
  sourceId: string
  title: string
  description: string
  tags: string[]
}

/** The request as a round collects it: with other votes and, for a share of the requests, another text. */
export const refresh = (known: Known, round: number, textShare: number): FoundRequest => {
  if (round > 0 && random() < textShare) known.description = text(70)
  return foundRequest({
    ...known,
    votes: Math.floor(random() * 10_000),
    commentCount: round,
    sourceUrl: `https://example.org/${known.sourceId}`,
    confidence: 1,
  })
}
