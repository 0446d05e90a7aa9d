/** How many slips lead from one word to another (optimal string alignment: Damerau, CACM 1964). */
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
