/** Bounds what is under way at a time, so that what takes long never takes the places of what is fast. */
export interface Lanes {
  /** How many more may begin now. */
  free(): number
  /** Runs one in a fast place; one that takes long goes on in a slow place, if there is one. */
  run(host: string, work: () => Promise<void>): void
  /** How many are under way, by host. */
  underWay: ReadonlyMap<string, number>
  /** Waits until nothing is under way. */
  idle(): Promise<void>
}

export interface LanesOptions {
  fast: number
  slow: number
  /** After which time one counts as slow. */
  slowAfterMs: number
  /** Called whenever a fast place became free. */
  onFree: () => void
}

export function createLanes({ fast, slow, slowAfterMs, onFree }: LanesOptions): Lanes {
  const underWay = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const usage = { fast: 0, slow: 0 }
  const count = (host: string, change: number) => {
    const total = (underWay.get(host) ?? 0) + change
    if (total === 0) underWay.delete(host)
    else underWay.set(host, total)
  }
  const begin = async (host: string, work: () => Promise<void>) => {
    let lane: 'fast' | 'slow' = 'fast'
    // Again and again, because the slow places may all be taken.
    const timer = setInterval(() => {
      if (lane === 'slow' || usage.slow >= slow) return
      usage.fast -= 1
      usage.slow += 1
      lane = 'slow'
      clearInterval(timer)
      onFree()
    }, slowAfterMs)
    try {
      await work()
    } finally {
      clearInterval(timer)
      usage[lane] -= 1
      count(host, -1)
      onFree()
    }
  }
  return {
    free: () => fast - usage.fast,
    underWay,
    run: (host, work) => {
      usage.fast += 1
      count(host, 1)
      const one = begin(host, work).finally(() => running.delete(one))
      running.add(one)
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
