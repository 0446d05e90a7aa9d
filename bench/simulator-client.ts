import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SimulatorOptions } from '../simulator/simulator.ts'
import type { SimulatorReport } from './simulator-process.ts'

/** Starts the simulated platforms in a process of their own: their work must not count as ours. */
export async function startSimulator(options: SimulatorOptions) {
  const file = fileURLToPath(new URL('simulator-process.ts', import.meta.url))
  const child = fork(file, [JSON.stringify(options)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const [{ environment }] = (await once(child, 'message')) as [{ environment: Record<string, string> }]
  return {
    environment,
    report: async (): Promise<SimulatorReport> => {
      child.send('report')
      const [report] = await once(child, 'message')
      return report as SimulatorReport
    },
    /**
     * Builds the texts of topics before anybody asks for them. Otherwise that is done at the first requests, which then take longer
     * than they should, and whose minute begins seconds after ours: the first request of our next minute would be refused.
     */
    warm: async (topics: readonly string[]): Promise<void> => {
      child.send(topics)
      await once(child, 'message')
    },
    /** Raises the votes of everything on the platforms by one, as time does. */
    bumpVotes: (): void => void child.send(1),
    stop: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
