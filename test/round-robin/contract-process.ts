import { join } from 'node:path'
import { pino } from 'pino'
import { formatWelcome } from '../../src/cli/welcome.ts'
import type { ServiceOverrides } from '../../src/compose-service.ts'
import { readConfig } from '../../src/config.ts'
import { startService } from '../../src/service.ts'
import { unlimited } from '../unlimited.ts'

// A process of the service as the contract suite needs it: without rate limits, with scripted platforms where TEST_PLATFORMS is a module that
// exports `platforms`, and with wishes that change only by corrections, as in the contract suite on one process.

const config = readConfig()
const crash = (error: unknown) => {
  console.error(error)
  process.exit(1)
}
const { platforms } = (process.env.TEST_PLATFORMS ? await import(process.env.TEST_PLATFORMS) : {}) as ServiceOverrides
const service = await startService(config, pino({ level: config.logLevel }, process.stderr), crash, {
  requestLimits: unlimited,
  placesRequests: false,
  pageDirectory: join(config.dataDir, 'no-page'),
  ...(platforms ? { platforms } : {}),
})
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0), crash))
console.log(formatWelcome(service, false).join('\n'))
