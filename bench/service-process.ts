import { pino } from 'pino'
import { readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'

// The service in a process of its own, for other benches, with budgets that never wait: the simulated platforms have no limits.
// Every message is answered with the memory that is in use after a collection of garbage.

export interface MemoryReport {
  heapMb: number
  residentMb: number
}

const onCrash = (error: Error) => {
  throw error
}
const limits = {
  ofTier: () => 1_000_000,
  polls: 1_000_000,
  page: 1_000_000,
  feedback: 1_000_000,
  withoutKey: 1_000_000,
  files: 1_000_000,
}
const config = { ...readConfig(), requestLimits: limits }
const service = await startService(config, pino({ level: 'error' }), onCrash, { platforms: { timeScale: 1_000_000 } })

const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send?.({ heapMb: megabytes(heapUsed), residentMb: megabytes(rss) } satisfies MemoryReport)
})
process.on('disconnect', () => void service.stop().then(() => process.exit(0)))
process.send?.({ url: service.address })
