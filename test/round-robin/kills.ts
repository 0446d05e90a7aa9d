import { createRandom } from '../../simulator/random.ts'
import type { DeployedProcess, Deployment } from './deployment.ts'
import type { LoadBalancerOptions } from './load-balancer.ts'

/** The processes of a deployment in a random order. */
export function shuffled(processes: readonly DeployedProcess[], seed: number): DeployedProcess[] {
  const random = createRandom(seed)
  return processes
    .map((process) => ({ process, rank: random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ process }) => process)
}

export interface KillOptions {
  seed: number
  /** About how many calls are between two kills. */
  callsBetween: number
  deployment(): Deployment
}

export interface Kills {
  beforeCall: NonNullable<LoadBalancerOptions['beforeCall']>
  /** Resolves when what was killed runs again. @returns the names of the killed processes, in their order. */
  settled(): Promise<string[]>
}

/**
 * Ends each process once with kill -9 and starts it again, each between two calls: so no caller loses an answer, and every call must be answered as if nothing
 * had happened. Calls go on while a process is away; the next kill waits until it runs again.
 */
export function createKills({ seed, callsBetween, deployment }: KillOptions): Kills {
  const random = createRandom(seed)
  const nextGap = () => random.integer(Math.ceil(callsBetween / 2), Math.ceil(callsBetween * 1.5))
  const killed: string[] = []
  let left: DeployedProcess[] | null = null
  let callsLeft = nextGap()
  let killing = Promise.resolve()
  let starting = Promise.resolve()

  async function killNext(others: () => number): Promise<void> {
    left ??= shuffled(deployment().processes, seed)
    await starting
    const [process] = left
    // Other calls have begun meanwhile: the kill is due before a later call.
    if (!process || others() > 0) return
    left.shift()
    callsLeft = nextGap()
    await deployment().kill(process)
    killed.push(process.name)
    starting = deployment().startAgain(process)
    // Whoever waits for it gets its error.
    starting.catch(() => {})
  }

  return {
    beforeCall: async (others) => {
      // No call is forwarded while a process is being killed.
      await killing
      callsLeft -= 1
      if (callsLeft > 0 || others() > 0) return
      killing = killNext(others)
      await killing
    },
    settled: async () => {
      await starting
      return killed
    },
  }
}
