/** The words that one request is compared by, in their stems. */
export interface ComparedRequest {
  title: ReadonlySet<string>
  /** Those of the title and of the beginning of the description. */
  text: ReadonlySet<string>
}

/** From this on two requests are taken for the same wish (bench/similar.ts shows what that finds and what it gets wrong). */
export const sameWish = 0.5

export type WordWeight = (word: string) => number

/** Requests that are thought of beside the given ones, and the share of them that has any word: among few, a word tells little. */
const imagined = { requests: 20, share: 0.1 }

/**
 * Weighs a word by how few of the given requests have it (inverse document frequency, smoothed). Among the best matches of one
 * title the rare words are those that tell them apart, which the weights of the whole cache do not. Never 0: where all have a
 * word, it still tells that they are alike.
 */
export function wordWeights(requests: readonly ComparedRequest[]): WordWeight {
  const counts = new Map<string, number>()
  for (const { text } of requests) for (const word of text) counts.set(word, (counts.get(word) ?? 0) + 1)
  const all = requests.length + imagined.requests
  return (word) => Math.log(1 + all / ((counts.get(word) ?? 1) + imagined.requests * imagined.share))
}

/** The cosine of two sets of words, each word with its weight. */
function cosine(a: ReadonlySet<string>, b: ReadonlySet<string>, weight: WordWeight): number {
  const norm = (words: ReadonlySet<string>) => {
    let sum = 0
    for (const word of words) sum += weight(word) ** 2
    return Math.sqrt(sum)
  }
  let shared = 0
  for (const word of a) if (b.has(word)) shared += weight(word) ** 2
  return shared === 0 ? 0 : shared / (norm(a) * norm(b))
}

/** How alike two requests are, from 0 to 1: their titles, and a little less what they say first. */
export function similarityOf(a: ComparedRequest, b: ComparedRequest, weight: WordWeight): number {
  return Math.min(1, 0.6 * cosine(a.title, b.title, weight) + 0.4 * cosine(a.text, b.text, weight))
}

/**
 * Puts alike requests together: each is joined with those that are at least `sameWish` alike, and with whatever these are
 * joined with.
 * @returns groups of positions, each group and the groups in the order of the requests.
 */
export function groupAlike(requests: readonly ComparedRequest[]): number[][] {
  const weight = wordWeights(requests)
  const parents = requests.map((_, index) => index)
  const rootOf = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root]!
    return root
  }
  for (let later = 1; later < requests.length; later++) {
    for (let earlier = 0; earlier < later; earlier++) {
      const [a, b] = [rootOf(earlier), rootOf(later)]
      if (a !== b && similarityOf(requests[earlier]!, requests[later]!, weight) >= sameWish) {
        parents[Math.max(a, b)] = Math.min(a, b)
      }
    }
  }
  const groups = new Map<number, number[]>()
  for (const index of requests.keys()) groups.set(rootOf(index), [...(groups.get(rootOf(index)) ?? []), index])
  return [...groups.values()]
}
