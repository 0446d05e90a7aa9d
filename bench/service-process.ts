import { pino } from 'pino'
import type { ServiceOverrides } from '../src/compose-service.ts'
import { readConfig } from '../src/config.ts'
import { startService } from '../src/service.ts'

// The service in a process of its own, for other benches, with budgets that never wait: the simulated platforms have no limits.
// The first parameter replaces more of the service, as JSON.
// Every message is answered with the memory that is in use after a collection of garbage.

export interface MemoryReport {
  heapMb: number
  residentMb: number
}

const onCrash = (error: Error) => {
  throw error
}
const limits = { ofTier: () => 1_000_000, polls: 1_000_000, withoutKey: 1_000_000, files: 1_000_000 }
const replaced = JSON.parse(process.argv[2] ?? '{}') as Pick<ServiceOverrides, 'cachesResponses' | 'placesRequests'>
const overrides = { platformTimeScale: 1_000_000, requestLimits: limits, ...replaced }
const service = await startService(readConfig(), pino({ level: 'error' }), onCrash, overrides)

const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send?.({ heapMb: megabytes(heapUsed), residentMb: megabytes(rss) } satisfies MemoryReport)
})
process.on('disconnect', () => void service.stop().then(() => process.exit(0)))
process.send?.({ url: service.address })
