import { setTimeout as sleep } from 'node:timers/promises'
import type { Callers } from './callers.ts'
import { readState } from './sampling.ts'
import type { Stack } from './stack.ts'

const clientsOfSteps = [4, 16]
const pollMs = 1_000
const maxDrainSeconds = 600

async function isIndexReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`)
  const { searchIndex } = (await response.json()) as { searchIndex?: { state: string } }
  return searchIndex === undefined || searchIndex.state === 'ready'
}

/**
 * Waits until nothing is left to do in the background: jobs, wishes, words, deltas, outboxes, local indexes.
 * @returns whether that happened in ten minutes
 */
export async function drain(stack: Stack): Promise<boolean> {
  const until = performance.now() + maxDrainSeconds * 1_000
  while (performance.now() < until) {
    const { database, backlog } = await readState(stack)
    const waiting = [database.openTasks, database.deltas, ...Object.values(backlog).filter((value) => value > 0)]
    const ready = await Promise.all(stack.processes.map(({ url }) => isIndexReady(url)))
    if (waiting.every((value) => value === 0) && ready.every(Boolean) && !Number.isNaN(backlog.unplaced)) return true
    await sleep(pollMs)
  }
  return false
}

export interface CapacityStep {
  clients: number
  calls: number
  seconds: number
  /** How long the background needed for what these calls left to it. */
  drainSeconds: number
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
  const steps: CapacityStep[] = []
  for (const clients of clientsOfSteps) {
    const startedAt = performance.now()
    const calls = await callers.closedLoop(clients, seconds / clientsOfSteps.length)
    const loaded = performance.now()
    if (!(await drain(stack))) throw new Error(`the background did not end in ${maxDrainSeconds} s after a closed loop`)
    const step = {
      clients,
      calls,
      seconds: (loaded - startedAt) / 1_000,
      drainSeconds: (performance.now() - loaded) / 1_000,
      perSecond: (calls * 1_000) / (performance.now() - startedAt),
    }
    steps.push(step)
    note(
      `${clients} clients: ${step.calls} calls in ${step.seconds.toFixed(0)} s, and ${step.drainSeconds.toFixed(0)} s in the background: ${step.perSecond.toFixed(0)} calls a second`,
    )
  }
  return steps
}
