/** Runs at most so many at once; the others wait for their turn, in the order in which they were called. */
export function createTurns(total: number) {
  const waiting: (() => void)[] = []
  let free = total
  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
