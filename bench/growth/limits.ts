import { type Estimate, estimate, type Setup } from './estimate.ts'
import type { Inputs, Limit } from './figures.ts'

/** What each limit of growth/figures.json is about. */
const readings: Readonly<Record<string, (estimate: Estimate, limit: Limit) => number>> = {
  tsvectorRequests: ({ requests }) => requests,
  searchMs: ({ searchMs }) => searchMs,
  searchesMissing: ({ searchesPerSecond }, { wanted = 0 }) => wanted - searchesPerSecond,
  storedMissing: ({ storedPerSecond }, { wanted = 0 }) => wanted - storedPerSecond,
  machineGB: ({ machineGB }) => machineGB,
  processGB: ({ processGB }) => processGB,
  machineDiskGB: ({ machineDiskGB }) => machineDiskGB,
  buildHours: ({ buildHours }) => buildHours ?? 0,
}

const isExceeded = (name: string, limit: Limit, of: Estimate): boolean => {
  const reading = readings[name]
  if (reading === undefined) throw new Error(`growth/figures.json has a limit ${name} that no formula computes`)
  return (limit.setups?.includes(of.setup) ?? true) && reading(of, limit) > limit.max
}

/** The limits that an estimate exceeds. */
export const exceededBy = (inputs: Inputs, of: Estimate): string[] =>
  Object.entries(inputs.limits).flatMap(([name, limit]) => (isExceeded(name, limit, of) ? [name] : []))

export interface Break {
  limit: string
  /** The least number of requests that exceeds it. */
  requests: number
}

const fewest = 1_000
const most = 1e11

/**
 * What breaks, the first one first: the limits that a setup exceeds with at most 100 billion requests.
 * Values grow with the number of requests; those of OpenSearch vary a little with the number of its shards and nodes.
 */
export function breaksOf(inputs: Inputs, setup: Setup): Break[] {
  const breaks = Object.entries(inputs.limits).flatMap(([name, limit]) => {
    const exceeds = (requests: number) => isExceeded(name, limit, estimate(inputs, setup, requests))
    if (!exceeds(most)) return []
    let [within, beyond] = [fewest, most]
    if (exceeds(within)) return [{ limit: name, requests: within }]
    while (beyond / within > 1.001) {
      const middle = Math.sqrt(within * beyond)
      if (exceeds(middle)) beyond = middle
      else within = middle
    }
    return [{ limit: name, requests: beyond }]
  })
  return breaks.sort((one, other) => one.requests - other.requests)
}
