import { setTimeout as sleep } from 'node:timers/promises'
import type { Callers } from './callers.ts'
import type { Stack } from './stack.ts'

const clientsOfSteps = [4, 16]
/** Before the first step, so that code is compiled and caches are filled: a share of the time of all steps. */
const warmUpShare = 0.2
const pollMs = 250
const maxDrainSeconds = 600

async function isIndexReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`)
  const { searchIndex } = (await response.json()) as { searchIndex?: { state: string } }
  return searchIndex === undefined || searchIndex.state === 'ready'
}

/**
 * Waits until nothing is left to do in the background: jobs, wishes, words, deltas, the first build of local indexes.
 * @returns what ended last
 * @throws with what is left after ten minutes
 */
export async function drain(stack: Stack): Promise<string> {
  const until = performance.now() + maxDrainSeconds * 1_000
  for (let last = 'nothing'; ; ) {
    // Not of /metrics, which shows what was some seconds ago. An outbox is read beside the load, within a second or two.
    const { openTasks, deltas, unplaced, uncounted } = await stack.processes[0]!.readDatabase()
    const ready = await Promise.all(stack.processes.map(({ url }) => isIndexReady(url)))
    const waiting = { tasks: openTasks, deltas, 'requests to place': unplaced, 'texts to count': uncounted }
    const left = Object.entries({ ...waiting, 'local indexes': ready.filter((isReady) => !isReady).length }).filter(
      ([, count]) => count > 0,
    )
    if (left.length === 0) return last
    last = left.map(([what]) => what).join(', ')
    if (performance.now() > until) throw new Error(`the background did not end in ${maxDrainSeconds} s: ${last}`)
    await sleep(pollMs)
  }
}

export interface CapacityStep {
  clients: number
  calls: number
  seconds: number
  /** How long the background needed for what these calls left to it. */
  drainSeconds: number
  /** What the background ended last. */
  lastEnded: string
  /** Calls a second, with the time of what they left to do. */
  perSecond: number
}

/**
 * The capacity of the mix: calls a second of a closed loop, with few and with many clients, each until all is done that its calls left to the
 * background. Without that time a capacity would be more than the service can carry for long.
 * @param seconds of all steps together
 */
export async function measureCapacity(
  stack: Stack,
  callers: Callers,
  seconds: number,
  note: (text: string) => void,
): Promise<CapacityStep[]> {
  await callers.closedLoop(clientsOfSteps[0]!, seconds * warmUpShare)
  await drain(stack)
  const steps: CapacityStep[] = []
  for (const clients of clientsOfSteps) {
    const startedAt = performance.now()
    const calls = await callers.closedLoop(clients, seconds / clientsOfSteps.length)
    const loaded = performance.now()
    const lastEnded = await drain(stack)
    const step = {
      clients,
      calls,
      seconds: (loaded - startedAt) / 1_000,
      drainSeconds: (performance.now() - loaded) / 1_000,
      lastEnded,
      perSecond: (calls * 1_000) / (performance.now() - startedAt),
    }
    steps.push(step)
    note(
      `${clients} clients: ${step.calls} calls in ${step.seconds.toFixed(0)} s, and ${step.drainSeconds.toFixed(0)} s in the background (last ${lastEnded}): ${step.perSecond.toFixed(1)} calls a second`,
    )
  }
  return steps
}
