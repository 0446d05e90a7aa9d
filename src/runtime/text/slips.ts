/** Number of typos between two words (optimal string alignment: Damerau, CACM 1964). */
export function slipsBetween(a: string, b: string): number {
  const [from, to] = [[...a], [...b]]
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, one] of from.entries()) {
    const current = [row + 1]
    for (const [column, other] of to.entries()) {
      const swapped = row > 0 && column > 0 && one === to[column - 1] && from[row - 1] === other
      current.push(
        Math.min(
          last[column + 1]! + 1,
          current[column]! + 1,
          last[column]! + (one === other ? 0 : 1),
          swapped ? beforeLast[column - 1]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return last.at(-1)!
}

const lettersOf = (word: string) => [...word].sort().join('')

/** Typos between words; null if too many for the length. Reordered letters are at most two. */
export function fewSlips(written: string, word: string): number | null {
  const slips = slipsBetween(written, word)
  const most = lettersOf(written) === lettersOf(word) ? 2 : Math.min(2, Math.floor((word.length - 1) / 3))
  return slips <= most ? slips : null
}

/** The closest of a few words; null if none is similar. */
export function nearestWord(written: string, words: readonly string[]): string | null {
  const ranked = words.flatMap((word) => {
    const slips = fewSlips(written.toLowerCase(), word.toLowerCase())
    return slips === null ? [] : [{ word, slips }]
  })
  return ranked.toSorted((a, b) => a.slips - b.slips)[0]?.word ?? null
}
