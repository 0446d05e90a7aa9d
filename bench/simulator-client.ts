import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SimulatorOptions } from '../test/platform-simulator/simulator.ts'
import type { SimulatorReport } from './simulator-process.ts'

/**
 * Starts the simulated platforms in a process of their own: their work must not count as ours.
 * @param warmTopic a topic whose texts are built before anything is asked. Otherwise that is done at the first requests, whose
 * minute then begins seconds after ours: the first request of our next minute would be refused, and wait for a whole one.
 */
export async function startSimulator(options: SimulatorOptions, warmTopic = '') {
  const file = fileURLToPath(new URL('simulator-process.ts', import.meta.url))
  const child = fork(file, [JSON.stringify(options), warmTopic], {
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
    stop: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
