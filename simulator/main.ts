/** Starts the simulator by hand: `node simulator/main.ts`, then export what it prints. */
import { startPlatformSimulator } from './simulator.ts'

const port = 4690

const simulator = await startPlatformSimulator({ port, timeScale: 10 })
console.log('# The platforms are simulated; limits are the real ones, ten times faster. Ctrl-C ends it.')
for (const [name, value] of Object.entries(simulator.environment)) console.log(`export ${name}=${value}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void simulator.stop())
}
