/** The words that one request is compared by, in their stems. */
export interface ComparedRequest {
  title: ReadonlySet<string>
  /** Those of the title and of the beginning of the description. */
  text: ReadonlySet<string>
}

/** Two requests that are at least this similar belong to the same wish (bench/similar.ts measures hits and errors). */
export const sameWish = 0.5

/** Imagined requests beside the given ones, and the share of them that has any word: in a small group, rarity says little. */
const imagined = { requests: 20, share: 0.1 }

/**
 * The squared weight of each word, by how few of the given requests have it (inverse document frequency, smoothed). Among the best
 * matches of one title the rare words distinguish them, which the weights of the whole cache would not. Never 0: a word that
 * all of them have still makes them similar.
 */
function squaredWeights(requests: readonly ComparedRequest[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { text } of requests) for (const word of text) counts.set(word, (counts.get(word) ?? 0) + 1)
  const all = requests.length + imagined.requests
  const squared = new Map<string, number>()
  for (const [word, count] of counts) {
    squared.set(word, Math.log(1 + all / (count + imagined.requests * imagined.share)) ** 2)
  }
  return squared
}

/** The similarity of two requests, from 0 to 1, by their positions in the compared list. */
export type Comparison = (one: number, other: number) => number

/** Compares requests by their titles, and a little less by the beginning of their text: cosines of sets of weighted words. */
export function createComparison(requests: readonly ComparedRequest[]): Comparison {
  const squared = squaredWeights(requests)
  // Once for each request: every one is compared with all the others.
  const weigh = (words: ReadonlySet<string>) => {
    let sum = 0
    for (const word of words) sum += squared.get(word) ?? 0
    return { words, norm: Math.sqrt(sum) }
  }
  const weighed = requests.map(({ title, text }) => ({ title: weigh(title), text: weigh(text) }))
  const cosine = (a: ReturnType<typeof weigh>, b: ReturnType<typeof weigh>) => {
    const [smaller, larger] = a.words.size <= b.words.size ? [a, b] : [b, a]
    let shared = 0
    for (const word of smaller.words) if (larger.words.has(word)) shared += squared.get(word) ?? 0
    return shared === 0 ? 0 : shared / (a.norm * b.norm)
  }
  return (one, other) => {
    const [a, b] = [weighed[one]!, weighed[other]!]
    return Math.min(1, 0.6 * cosine(a.title, b.title) + 0.4 * cosine(a.text, b.text))
  }
}
